/**
 * Values that are there now or come later.
 *
 * @module
 */
import type { MaybePromise } from './source.ts';

/**
 * Returns `next` of a value, at once when the value is there.
 *
 * @example
 * whenThere(source.list(''), (folder) => folder.nodes.length)
 */
export function whenThere<T, R>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<R>,
): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Returns what `make` returns for each item, one after the other; at once unless one of them takes its time.
 *
 * @example
 * eachInOrder(sources, (source) => source.list(''))
 */
export function eachInOrder<T, R>(
  items: readonly T[],
  make: (item: T) => MaybePromise<R>,
): MaybePromise<R[]> {
  const made: R[] = [];
  for (const [index, item] of items.entries()) {
    const value = make(item);
    if (value instanceof Promise) return finish(value, made, items.slice(index + 1), make);
    made.push(value);
  }
  return made;
}

/**
 * Returns what `make` returns if that is there at once, and undefined if it comes later or is an error.
 *
 * @example
 * onlyNow(() => source.list(''))
 */
export function onlyNow<T>(make: () => MaybePromise<T>): T | undefined {
  try {
    const made = make();
    if (!(made instanceof Promise)) return made;
    made.catch(() => undefined);
    return undefined;
  } catch {
    return undefined;
  }
}

async function finish<T, R>(
  pending: Promise<R>,
  made: R[],
  rest: readonly T[],
  make: (item: T) => MaybePromise<R>,
): Promise<R[]> {
  made.push(await pending);
  for (const item of rest) made.push(await make(item));
  return made;
}
