/**
 * Keyset pages: what a page holds depends on the key it starts after, never on a position.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';

/** How {@link pageOf} cuts. */
export interface PageOptions<T> {
  /** The key of an item; items are in ascending order of it, and no two share one. */
  readonly keyOf: (item: T) => string;
  /** JSON bytes of an item. */
  readonly sizeOf: (item: T) => number;
  /** The key that the page starts after, which need not exist any more; absent: from the start. */
  readonly after?: string;
  /** Items on the page; Infinity is no cap. */
  readonly maxItems: number;
  /** JSON bytes of the items. An item larger than this goes alone. */
  readonly maxBytes: number;
  /** An item larger than this cannot be sent at all and is left out, so that it does not cost its neighbours the listing. */
  readonly maxItemBytes: number;
}

/** One page. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The key that the next page starts after; absent on the last page. */
  readonly next?: string;
  /** Items left out because they cannot be sent. */
  readonly left: readonly T[];
}

/** What `[`, `,` and whatever stands around the items take. */
const PER_ITEM = 1;

/**
 * The page of `items` after a key, stable under insertions and deletions between pages: what stays is seen exactly
 * once. It holds at least one item unless nothing is left (decision 10, requirement S41).
 *
 * @example
 * const { items, next } = pageOf(skills, { keyOf: (s) => s.uri, sizeOf: jsonBytes, maxItems: 500, maxBytes, maxItemBytes })
 */
export function pageOf<T>(items: readonly T[], options: PageOptions<T>): Page<T> {
  const { keyOf, sizeOf, maxItems, maxBytes, maxItemBytes } = options;
  const left: T[] = [];
  const taken: T[] = [];
  let bytes = 0;
  let last: string | undefined;
  let at = options.after === undefined ? 0 : firstAfter(items, options.after, keyOf);
  for (; at < items.length; at++) {
    const item = items[at] as T;
    const size = sizeOf(item) + PER_ITEM;
    if (size > maxItemBytes) {
      left.push(item);
      continue;
    }
    if (taken.length > 0 && (taken.length >= maxItems || bytes + size > maxBytes)) break;
    taken.push(item);
    bytes += size;
    last = keyOf(item);
  }
  return at < items.length && last !== undefined
    ? { items: taken, next: last, left }
    : { items: taken, left };
}

/** The index of the first item whose key is greater than `key`. */
function firstAfter<T>(items: readonly T[], key: string, keyOf: (item: T) => string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(items[middle] as T) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Entries on a page of a list of `total`: `pageSize` where given, else max(500, ⌈n/40⌉), so that official clients,
 * which give up after 64 pages, see the whole list. 0 is the default, -1 is off.
 *
 * @example
 * entriesPerPage(100_000) // 2500
 */
export function entriesPerPage(total: number, pageSize?: number): number {
  if (pageSize === undefined || pageSize === 0) return Math.max(LIMITS.pageEntries, Math.ceil(total / 40));
  return pageSize < 0 ? Number.POSITIVE_INFINITY : pageSize;
}

/**
 * How many pages a client walks to see all of `items`.
 *
 * @example
 * countPages(skills, options) > LIMITS.officialClientPages
 */
export function countPages<T>(items: readonly T[], options: Omit<PageOptions<T>, 'after'>): number {
  let pages = 0;
  let after: string | undefined;
  do {
    const page = pageOf(items, after === undefined ? options : { ...options, after });
    after = page.next;
    pages++;
  } while (after !== undefined);
  return pages;
}
