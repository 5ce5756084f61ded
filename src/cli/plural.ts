/**
 * Numbers in sentences.
 *
 * @module
 */

/** `1 skill`, `2 skills`; `several` is the word where an s does not make it. */
export function plural(count: number, what: string, several: string = `${what}s`): string {
  return `${count} ${count === 1 ? what : several}`;
}

/** A number of bytes for people: `512 B`, `1.5 KiB`, `2.0 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
