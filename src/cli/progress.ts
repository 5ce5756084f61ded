/**
 * Progress of a long load.
 *
 * @module
 */
import type { Output } from './output.ts';

/** A load shorter than this shows nothing; a longer one changes its line this often. */
const EVERY_MS = 200;

/**
 * Shows how many skills were read, on stderr and only when that is a terminal.
 *
 * @example
 * const catalog = await openCatalog(source, { onProgress: showProgress(output) })
 */
export function showProgress(
  output: Output,
  now: () => number = Date.now,
): (done: number, total: number) => void {
  let shownAt = now();
  return (done, total) => {
    const time = now();
    if (time - shownAt < EVERY_MS) return;
    shownAt = time;
    output.status(`reading skills: ${done} of ${total}`);
  };
}
