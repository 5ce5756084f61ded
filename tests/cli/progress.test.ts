import { describe, expect, it } from 'vitest';
import { createOutput } from '../../src/cli/output.ts';
import { showBytes, showCount, showProgress } from '../../src/cli/progress.ts';
import { clip } from '../../src/cli/text-width.ts';

/** An output whose stderr is a terminal or not, what was written there, and a clock. */
function watched(isTTY: boolean) {
  const written: string[] = [];
  const stream = (keep: boolean) => ({
    isTTY,
    write(data: string | Uint8Array) {
      if (keep) written.push(String(data));
      return true;
    },
    on: () => undefined,
  });
  const clock = { ms: 0 };
  return { output: createOutput(stream(false), stream(true), {}), written, clock, now: () => clock.ms };
}

describe('progress', () => {
  const kinds = [
    [
      'showProgress',
      (at: ReturnType<typeof watched>) => {
        const show = showProgress(at.output, at.now);
        return (n: number) => show(n, 400);
      },
      'reading skills: 2 of 400',
    ],
    [
      'showCount',
      (at: ReturnType<typeof watched>) => showCount(at.output, 'writing files', 400, at.now),
      'writing files: 2 of 400',
    ],
    [
      'showBytes',
      (at: ReturnType<typeof watched>) => {
        const show = showBytes(at.output, 'unpacking x.zip', at.now);
        return (n: number) => show(n * 1_024, 1_048_576);
      },
      'unpacking x.zip: 2.0 KiB of 1.0 MiB',
    ],
    [
      'showBytes of nobody knows how many',
      (at: ReturnType<typeof watched>) => {
        const show = showBytes(at.output, 'unpacking -', at.now);
        return (n: number) => show(n, undefined);
      },
      'unpacking -: 2 B',
    ],
  ] as const;

  it.each(kinds)('%s says nothing for short work, then changes one line now and then', (_, make, text) => {
    const at = watched(true);
    const show = make(at);
    show(1);
    at.clock.ms = 199;
    show(1);
    expect(at.written).toEqual([]);
    at.clock.ms = 200;
    show(2);
    show(3);
    at.clock.ms = 250;
    show(4);
    expect(at.written).toEqual([text]);
    at.clock.ms = 400;
    show(2);
    expect(at.written).toEqual([text, `\r\u001b[2K${text}`]);
  });

  it.each(kinds)('%s says nothing where nobody looks', (_, make) => {
    const at = watched(false);
    const show = make(at);
    at.clock.ms = 10_000;
    show(2);
    expect(at.written).toEqual([]);
  });
});

describe('clip', () => {
  it.each([
    ['', 5, ''],
    ['abcde', 5, 'abcde'],
    ['abcdef', 5, 'abcd…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['abc', 1, '…'],
  ])('%j to %d cells is %j', (text, width, expected) => {
    expect(clip(text, width)).toBe(expected);
  });
});
