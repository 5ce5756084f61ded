import { describe, expect, it } from 'vitest';
import { decades, plotSvg, spread, ticks } from '../../bench/plot-svg.ts';

describe('plots', () => {
  it.each([
    [
      [0.02, 37],
      [-2, 2],
    ],
    [
      [100, 100_000],
      [2, 5],
    ],
    [[54], [1, 2]],
    [[10], [1, 2]],
  ])('have powers of ten around %j', (values, expected) => {
    expect(decades(values)).toEqual(expected);
  });

  it('have lines between where powers are few', () => {
    expect(ticks(1, 3)).toEqual([10, 20, 50, 100, 200, 500, 1_000]);
    expect(ticks(0, 3)).toEqual([1, 10, 100, 1_000]);
  });

  it.each([
    ['far from each other', [50, 200, 100], [50, 200, 100]],
    ['on each other', [100, 100, 105], [100, 116, 132]],
    ['at the lower end', [395, 400], [384, 400]],
    ['above the upper end', [10, 20], [40, 56]],
  ])('put labels %s', (_name, wanted, expected) => {
    expect(spread(wanted, 40, 400)).toEqual(expected);
  });

  it('put points where they belong on logarithmic axes', () => {
    const svg = plotSvg({
      title: 'Time <of> it',
      description: 'ours: 1 & 10',
      xLabel: 'skills',
      yLabel: 'seconds',
      tick: (value) => `${value} s`,
      series: [
        {
          name: 'ours',
          points: [
            [100, 1],
            [1_000, 10],
            [10_000, 100],
          ],
        },
        { name: 'none', points: [] },
      ],
    });
    expect(svg).toContain('<polyline class="line s0" points="76,384 303,214 530,44"/>');
    expect(svg).toContain('<title id="title">Time &lt;of&gt; it</title>');
    expect(svg).toContain('<desc id="desc">ours: 1 &amp; 10</desc>');
    expect(svg).toContain('role="img" aria-labelledby="title desc"');
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).toContain('>100 s</text>');
    expect(svg).toContain('>ours</text>');
    expect(svg).not.toContain('>none</text>');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('refuse to show nothing', () => {
    const empty = { title: 'T', description: '', xLabel: '', yLabel: '', tick: String, series: [] };
    expect(() => plotSvg(empty)).toThrow('nothing to plot');
  });
});
