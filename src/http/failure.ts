/**
 * Thrown values as they may stand in a log.
 *
 * @module
 */

/**
 * The text of anything that was thrown. For the log alone: it may name a path or hold the words of a library.
 *
 * @example
 * logger.error('a request failed', { error: failureText(error) })
 */
export function failureText(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
  return typeof error === 'string' ? error : `thrown value of type ${error === null ? 'null' : typeof error}`;
}
