/**
 * Knowing when something has ended, whether it answers at once or later.
 *
 * @module
 */

/**
 * What `run` gives or throws, after exactly one of the two was called: at once, or when the promise that `run` gave
 * settles.
 *
 * @example
 * settle(() => fetchBytes(uri), () => span.end(), (error) => fail(span, error))
 */
export function settle<T>(run: () => T, succeeded: () => void, failed: (error: unknown) => void): T {
  let result: T;
  try {
    result = run();
  } catch (error) {
    failed(error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    succeeded();
    return result;
  }
  return result.then(
    (value: unknown) => {
      succeeded();
      return value;
    },
    (error: unknown) => {
      failed(error);
      throw error;
    },
  ) as T;
}
