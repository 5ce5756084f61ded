import { describe, expect, it } from 'vitest';
import { median, quantile } from '../../bench/median.ts';

describe('what many values say', () => {
  it.each([
    [[3], 3],
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 3],
    [[10, 9, 100], 10],
  ])('the median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('of none there is none', () => {
    expect([median([]), quantile([], 0.99)]).toEqual([Number.NaN, Number.NaN]);
  });

  it('finds ends and the long tail, and leaves the values as they were', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([quantile(values, 0), quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual(
      [1, 51, 100, 100],
    );
    expect(values[0]).toBe(100);
  });
});
