import { describe, expect, it } from 'vitest';
import { megabytes, number, quotient, rate, table, time, whole } from '../../bench/table.ts';

describe('tables of results', () => {
  it('aligns numbers to the right', () => {
    expect(
      table(
        ['who', { number: 'time' }],
        [
          ['floor', '1'],
          ['ours', '2'],
        ],
      ),
    ).toEqual(['| who | time |', '|---|--:|', '| floor | 1 |', '| ours | 2 |']);
  });

  it.each([
    [28_300.4, '28,300'],
    [123.4, '123'],
    [37.74, '37.7'],
    [0.571, '0.57'],
    [0, '0.00'],
    [undefined, '–'],
    [Number.NaN, '–'],
  ])('writes %s as %s', (value, expected) => {
    expect(number(value)).toBe(expected);
  });

  it.each([
    [37_700, '37.7 s'],
    [1_000, '1.00 s'],
    [999, '999 ms'],
    [0.613, '0.61 ms'],
    [undefined, '–'],
  ])('writes %s ms as %s', (value, expected) => {
    expect(time(value)).toBe(expected);
  });

  it('writes memory in millions of bytes, and rates whole', () => {
    expect([
      megabytes(334_000_000),
      megabytes(undefined),
      rate(724.4),
      rate(undefined),
      whole(1_499.5),
    ]).toEqual(['334 MB', '–', '724/s', '–', '1,500']);
  });

  it.each([
    [3, 2, 1.5],
    [undefined, 2, undefined],
    [3, undefined, undefined],
    [3, 0, undefined],
    [Number.NaN, 2, undefined],
  ])('divides %s by %s', (over, under, expected) => {
    expect(quotient(over, under)).toBe(expected);
  });
});
