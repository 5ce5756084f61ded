/**
 * Work that waits for its turn.
 *
 * @module
 */

/**
 * Runs what it is given, `limit` at a time, in the order in which it was asked.
 *
 * @example
 * const inTurn = turns(8)
 * await Promise.all(uris.map((uri) => inTurn(() => fetch(uri))))
 */
export function turns(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The turn is handed on, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
