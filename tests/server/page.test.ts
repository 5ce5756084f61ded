import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countPages, entriesPerPage, type PageOptions, pageOf } from '../../src/server/page.ts';

interface Item {
  readonly key: string;
  readonly size: number;
}

const OPEN: PageOptions<Item> = {
  keyOf: (item) => item.key,
  sizeOf: (item) => item.size,
  maxItems: 500,
  maxBytes: 1_000_000,
  maxItemBytes: 1_000_000,
};

function items(...keys: readonly string[]): Item[] {
  return keys.map((key) => ({ key, size: 10 }));
}

function keys(page: { readonly items: readonly Item[] }): string[] {
  return page.items.map((item) => item.key);
}

describe('a page', () => {
  const list = items('a', 'c', 'e', 'g', 'i');

  it.each([
    ['the first', {}, ['a', 'c'], 'c'],
    ['after a key', { after: 'c' }, ['e', 'g'], 'g'],
    ['after a key that is gone', { after: 'd' }, ['e', 'g'], 'g'],
    ['the last', { after: 'g' }, ['i'], undefined],
    ['after everything', { after: 'z' }, [], undefined],
    ['before everything', { after: '' }, ['a', 'c'], 'c'],
  ])('%s', (_name, options, expected, next) => {
    const page = pageOf(list, { ...OPEN, maxItems: 2, ...options });
    expect(keys(page)).toEqual(expected);
    expect(page.next).toBe(next);
  });

  it('has no next page when it ends with the list', () => {
    expect(pageOf(list, { ...OPEN, maxItems: 5 }).next).toBeUndefined();
    expect(pageOf([], OPEN)).toEqual({ items: [], left: [] });
  });

  it.each([
    [33, ['a', 'c', 'e'], 'e'],
    [32, ['a', 'c'], 'c'],
    [1, ['a'], 'a'],
  ])('is cut at %i bytes, a separator counted for each item', (maxBytes, expected, next) => {
    const page = pageOf(list, { ...OPEN, maxBytes });
    expect(keys(page)).toEqual(expected);
    expect(page.next).toBe(next);
  });

  it('lets an item over the cap go alone', () => {
    const mixed = [...items('a'), { key: 'b', size: 900 }, ...items('c')];
    const options = { ...OPEN, maxBytes: 100 };
    expect(keys(pageOf(mixed, options))).toEqual(['a']);
    expect(keys(pageOf(mixed, { ...options, after: 'a' }))).toEqual(['b']);
    expect(keys(pageOf(mixed, { ...options, after: 'b' }))).toEqual(['c']);
  });

  it('leaves out what no response carries, and says so', () => {
    const mixed = [...items('a'), { key: 'b', size: 1000 }, ...items('c')];
    const page = pageOf(mixed, { ...OPEN, maxItemBytes: 1000 });
    expect(keys(page)).toEqual(['a', 'c']);
    expect(page.left.map((item) => item.key)).toEqual(['b']);
    expect(pageOf([{ key: 'b', size: 1000 }], { ...OPEN, maxItemBytes: 1000 })).toMatchObject({ items: [] });
  });

  it('shows whatever stays exactly once while the list changes between pages', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), minLength: 1, maxLength: 4 });
    const change = fc.record({ remove: fc.array(key), add: fc.array(key) });
    fc.assert(
      fc.property(
        fc.uniqueArray(key, { maxLength: 40 }),
        fc.array(change, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (start, changes, maxItems) => {
          let now = new Set(start);
          const stayed = new Set(start);
          const seen: string[] = [];
          let after: string | undefined;
          for (let turn = 0; ; turn++) {
            const sorted = items(...[...now].sort());
            const page = pageOf(sorted, { ...OPEN, maxItems, ...(after !== undefined && { after }) });
            seen.push(...keys(page));
            after = page.next;
            if (after === undefined) break;
            const { remove, add } = changes[turn] ?? { remove: [], add: [] };
            now = new Set([...now, ...add].filter((each) => !remove.includes(each)));
            for (const each of remove) stayed.delete(each);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect([...seen].sort()).toEqual(seen);
          for (const each of stayed) expect(seen).toContain(each);
        },
      ),
    );
  });
});

describe('the number of entries on a page', () => {
  it.each([
    [0, undefined, 500],
    [499, undefined, 500],
    [20_000, undefined, 500],
    [20_001, undefined, 501],
    [100_000, undefined, 2500],
    [100_000, 0, 2500],
    [100_000, 7, 7],
    [100_000, -1, Number.POSITIVE_INFINITY],
  ])('%i entries, pageSize %s: %d', (total, pageSize, expected) => {
    expect(entriesPerPage(total, pageSize)).toBe(expected);
  });

  it('keeps any list within the 64 pages of the official client', () => {
    for (const total of [1, 500, 20_000, 1_000_000]) {
      expect(Math.ceil(total / entriesPerPage(total))).toBeLessThanOrEqual(40);
    }
  });
});

describe('the number of pages', () => {
  it.each([
    [0, 1],
    [1, 1],
    [10, 1],
    [11, 2],
    [100, 10],
  ])('%i items: %i', (total, expected) => {
    const list = Array.from({ length: total }, (_, index) => ({
      key: String(index).padStart(4, '0'),
      size: 1,
    }));
    expect(countPages(list, { ...OPEN, maxItems: 10 })).toBe(expected);
  });
});
