/**
 * What a catalog keeps between runs, as it sees it.
 *
 * @module
 */

/**
 * Keeps what was found out about trees, digests above all, so that the next start need not read files that did not change.
 * What it gives back is believed, so it has to be the user's own, and whole.
 */
export interface DigestIndex {
  /** What was kept under a key; undefined when there is nothing, or nothing usable. Does not reject. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Keeps bytes in place of those before, or does not. Does not reject. */
  save(key: string, bytes: Uint8Array): Promise<void>;
}
