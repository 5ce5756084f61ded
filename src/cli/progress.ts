/**
 * Progress of long work.
 *
 * @module
 */
import type { Output } from './output.ts';
import { sizeText } from './plural.ts';

/** Work shorter than this shows nothing; longer work changes its line this often. */
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
  const due = every(now);
  return (done, total) => {
    if (due()) output.status(`reading skills: ${done} of ${total}`);
  };
}

/** Shows how many of `total` things are done: `writing files: 12 of 400`. */
export function showCount(
  output: Output,
  what: string,
  total: number,
  now: () => number = Date.now,
): (done: number) => void {
  const due = every(now);
  return (done) => {
    if (due()) output.status(`${what}: ${done} of ${total}`);
  };
}

/** Shows how many bytes came, of how many if that is known: `unpacking pdf.tar.gz: 1.5 MiB of 20.0 MiB`. */
export function showBytes(
  output: Output,
  what: string,
  now: () => number = Date.now,
): (done: number, total: number | undefined) => void {
  const due = every(now);
  return (done, total) => {
    if (due())
      output.status(`${what}: ${sizeText(done)}${total === undefined ? '' : ` of ${sizeText(total)}`}`);
  };
}

function every(now: () => number): () => boolean {
  let shownAt = now();
  return () => {
    const time = now();
    if (time - shownAt < EVERY_MS) return false;
    shownAt = time;
    return true;
  };
}
