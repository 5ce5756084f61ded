/**
 * Work on many things, a few at a time.
 *
 * @module
 */

/**
 * Resolves to what `work` made of each item, in their order; `limit` run at a time. After the first rejection no further one
 * is begun, and it rejects with that once those under way have ended.
 *
 * @example
 * await inParallel(files, 8, (file) => client.read(skill, file.uri))
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, run));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
  return results;
}
