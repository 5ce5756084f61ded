import { describe, expect, it } from 'vitest';
import { takesGzip } from '../../src/http/accept-encoding.ts';

describe('a client', () => {
  it.each<[string | undefined, boolean]>([
    // What clients send.
    ['gzip, deflate', true],
    ['gzip, deflate, br, zstd', true],
    ['br, gzip, deflate', true],
    ['gzip;q=1.0,deflate;q=0.6,identity;q=0.3', true],
    ['identity', false],
    [undefined, false],
    ['', false],
    ['deflate, br', false],
    // Names.
    ['GZIP', true],
    ['x-gzip', true],
    ['gzipped', false],
    ['xgzip', false],
    // Weights.
    ['gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['gzip;q=0.001', true],
    ['gzip; q=0.5', true],
    ['gzip ;\tQ=1', true],
    ['gzip;q=1.000', true],
    ['gzip;q=0.', false],
    ['gzip;q=1.', true],
    ['x-gzip;q=0, deflate', false],
    ['identity;q=0, gzip', true],
    ['identity;q=1, gzip;q=0.5', false],
    ['identity;q=0.5, gzip;q=0.5', true],
    // Everything else.
    ['*', true],
    ['*;q=0.1', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['gzip, *;q=0', true],
    ['identity, *;q=0.5', false],
    // Twice, of which the lesser counts.
    ['gzip, gzip;q=0', false],
    ['gzip;q=0, x-gzip', false],
    // A list may have empty members.
    [',gzip, ,', true],
    // What is not written as it should be.
    ['gzip;q=2', false],
    ['gzip;q=1.001', false],
    ['gzip;q=-1', false],
    ['gzip;q=0.0001', false],
    ['gzip;q=', false],
    ['gzip;q', false],
    ['gzip;level=9', false],
    ['gzip;q=1;q=0', false],
    ['gzip q=1', false],
    ['gzip deflate', false],
    ['gzip, de flate', false],
    ['gzip, "deflate"', false],
    ['gzip;q = 1', false],
  ])('that sends %j takes gzip: %s', (header, expected) => {
    expect(takesGzip(header)).toBe(expected);
    // Remembered, it is the same.
    expect(takesGzip(header)).toBe(expected);
  });

  it('is judged by its own header, whoever asked before', () => {
    expect(['gzip', 'identity', 'gzip', undefined, 'gzip'].map(takesGzip)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });
});
