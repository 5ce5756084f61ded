import { describe, expect, it } from 'vitest';
import { glanceLines } from '../../bench/glance.ts';
import { goalLines } from '../../bench/goals.ts';

/** The line of a goal, without its bars. */
function line(name: string, numbers: Readonly<Record<string, number>>): string | undefined {
  return goalLines(numbers).find((each) => each.startsWith(`| ${name} |`));
}

describe('goals', () => {
  it.each([
    ['first load ÷ floor', 1_800, 'at most 1.50 | 1.50 | reached'],
    ['first load ÷ floor', 1_801, 'at most 1.50 | 1.50 | **not reached**'],
  ])('%s of %d ms to 1,200 ms', (name, ms, expected) => {
    expect(line(name, { 'load.cold.ms': ms, 'load.floor.ms': 1_200 })).toBe(`| ${name} | ${expected} |`);
  });

  it.each([
    [20_000, 'reached'],
    [19_999, '**not reached**'],
  ])('%d reads a second to 1,000 of the official SDK: %s', (perSecond, expected) => {
    const found = line('HTTP `resources/read` ÷ official SDK', {
      'http.read.skillwire.perSecond': perSecond,
      'http.read.sdk.perSecond': 1_000,
    });
    expect(found?.endsWith(`| ${expected} |`)).toBe(true);
  });

  it('says of what was not measured that it was not', () => {
    const lines = goalLines({});
    expect(lines).toHaveLength(38);
    expect(lines.slice(2).every((each) => each.endsWith('|  | *not run* |'))).toBe(true);
  });

  it('has memory in MB', () => {
    expect(line('memory while serving', { 'large.rss': 119_000_000 })).toBe(
      '| memory while serving | at most 120 MB | 119 MB | reached |',
    );
  });
});

describe('the table at a glance', () => {
  it('has everybody beside everybody, and a dash where nobody measured', () => {
    expect(
      glanceLines({
        'load.floor.ms': 1_200,
        'load.cold.ms': 1_700,
        'load.sdk.ms': 37_700,
        'http.read.floor.perSecond': 28_300,
        'http.read.skillwire.perSecond': 19_000.4,
        'http.read.olaservo.perSecond': 41,
      }).slice(2, 6),
    ).toEqual([
      '| load | 1.20 s | 1.70 s | 37.7 s | – |',
      '| load, warm start |  | – |  |  |',
      '| reload after one edit |  | – | – | restart |',
      '| HTTP `resources/read` of 4 KiB | 28,300/s | 19,000/s | – | 41/s |',
    ]);
  });
});
