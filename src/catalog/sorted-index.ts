/**
 * Where something stands in a sorted list.
 *
 * @module
 */

/**
 * The index of the item for which `orderOf` gives 0, or -1. It gives less than 0 for items before that one and more for
 * items behind it.
 *
 * @example
 * sortedIndex(['a', 'b'], (text) => compareCodePoints(text, 'b')) // 1
 */
export function sortedIndex<T>(sorted: readonly T[], orderOf: (item: T) => number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = orderOf(sorted[middle] as T);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The index of the item with a canonical URI in a list in the order of URIs, or -1. */
export function indexOfUri(sorted: readonly { readonly uri: string }[], uri: string): number {
  return sortedIndex(sorted, (item) => (item.uri < uri ? -1 : item.uri > uri ? 1 : 0));
}
