/**
 * What fetching archives asks of a place on disk.
 *
 * @module
 */

/** A temporary file being written. */
export interface ArchiveTempFile {
  /** Appends; one at a time. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the writing and gives the path, at which the file stays until it is discarded. */
  done(): Promise<string>;
  /** Removes the file. Twice is fine. */
  discard(): Promise<void>;
}

/** A response that was kept. */
export interface StoredArchive {
  readonly bytes: Uint8Array;
  readonly etag?: string;
  readonly lastModified?: string;
}

/**
 * Where `fetchArchive` puts files while they are needed, and responses to ask for again. `openStore()` of
 * `skillwire/store` makes one; it also removes what a crashed process left behind.
 */
export interface ArchiveStore {
  /** A new empty file. */
  tempFile(prefix: string, options?: { readonly maxBytes?: number }): Promise<ArchiveTempFile>;
  /** What was put under `key`, byte for byte; undefined if there is none or it is damaged. */
  get(key: string): Promise<StoredArchive | undefined>;
  /** Keeps an entry and tells whether it did. */
  put(key: string, entry: StoredArchive): Promise<boolean>;
}
