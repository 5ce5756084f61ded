import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexOfUri, sortedIndex } from '../../src/catalog/sorted-index.ts';

describe('an index in a sorted list', () => {
  it.each<[readonly string[], string, number]>([
    [[], 'skill://a', -1],
    [['skill://a'], 'skill://a', 0],
    [['skill://a', 'skill://b', 'skill://c'], 'skill://a', 0],
    [['skill://a', 'skill://b', 'skill://c'], 'skill://c', 2],
    [['skill://a', 'skill://c'], 'skill://b', -1],
    [['skill://a', 'skill://c'], 'skill://d', -1],
  ])('of %j, %s is %i', (uris, uri, at) => {
    expect(
      indexOfUri(
        uris.map((each) => ({ uri: each })),
        uri,
      ),
    ).toBe(at);
  });

  it('is what a look at each item finds', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 60 })),
        fc.integer({ min: 0, max: 60 }),
        (items, one) => {
          const sorted = items.sort((a, b) => a - b);
          expect(sortedIndex(sorted, (item) => item - one)).toBe(sorted.indexOf(one));
        },
      ),
    );
  });
});
