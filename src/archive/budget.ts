/**
 * The caps of an archive as counters: what is counted is what was really unpacked (threat A3).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { entryError } from './archive-error.ts';

/** The caps of reading and of packing. Each: 0 or absent = default, -1 = off (**WARNING**: off trusts the archive). */
export interface ArchiveCaps {
  /** Bytes of all files together. @default LIMITS.archiveBytes (100 MiB) */
  readonly maxBytes?: number;
  /** Bytes of one file. @default LIMITS.archiveEntryBytes (64 MiB) */
  readonly maxEntryBytes?: number;
  /** Entries, folders and dropped ones included. @default LIMITS.archiveEntries (20,000) */
  readonly maxEntries?: number;
  /** Bytes of all files to bytes of the archive, above 1 MiB. @default LIMITS.archiveRatio (200) */
  readonly maxRatio?: number;
  /** Segments of a path. @default LIMITS.archiveDepth (64) */
  readonly maxDepth?: number;
}

/**
 * Counts what an archive unpacks to and stops it at the caps. A size that the archive declares can only refuse an
 * entry; it never allocates and is never believed.
 */
export class Budget {
  readonly #maxBytes: number;
  readonly #maxEntryBytes: number;
  readonly #maxEntries: number;
  readonly #maxRatio: number;
  /** Bytes of the archive; of a stream, those that came so far. */
  #packed: number;
  #bytes = 0;
  #entries = 0;
  #headers = 0;

  constructor(caps: ArchiveCaps, packed: number) {
    this.#maxBytes = capOf(caps.maxBytes, LIMITS.archiveBytes);
    this.#maxEntryBytes = capOf(caps.maxEntryBytes, LIMITS.archiveEntryBytes);
    this.#maxEntries = capOf(caps.maxEntries, LIMITS.archiveEntries);
    this.#maxRatio = capOf(caps.maxRatio, LIMITS.archiveRatio);
    this.#packed = packed;
  }

  /** More of a stream of unknown length came. */
  received(bytes: number): void {
    this.#packed += bytes;
  }

  /** Errors: `ARCHIVE_TOO_MANY_ENTRIES`. */
  entry(): void {
    this.#entries += 1;
    this.declareEntries(this.#entries);
  }

  /** Refuses an archive by the number of entries it declares. Errors: `ARCHIVE_TOO_MANY_ENTRIES`. */
  declareEntries(entries: number): void {
    if (entries <= this.#maxEntries) return;
    throw new SkillError(
      'ARCHIVE_TOO_MANY_ENTRIES',
      `the archive has more than ${this.#maxEntries} entries; pack less, or raise maxEntries`,
      { details: { limit: this.#maxEntries } },
    );
  }

  /** Refuses an entry by the size it declares. Errors: `ARCHIVE_TOO_LARGE`, `ARCHIVE_RATIO`. */
  declare(path: string, size: number): void {
    this.#check(path, size, this.#bytes + size);
  }

  /** Counts `more` bytes of an entry of which `before` came already. Errors: `ARCHIVE_TOO_LARGE`, `ARCHIVE_RATIO`. */
  body(path: string, before: number, more: number): void {
    this.#bytes += more;
    this.#check(path, before + more, this.#bytes);
  }

  /** Counts bytes of extended headers or of a directory. Errors: `ARCHIVE_TOO_LARGE`. */
  header(bytes: number): void {
    this.#headers += bytes;
    if (this.#headers <= LIMITS.archiveHeaderBytes) return;
    throw new SkillError(
      'ARCHIVE_TOO_LARGE',
      `the archive has more than ${LIMITS.archiveHeaderBytes} bytes of headers; pack it again without extended attributes`,
      { details: { limit: LIMITS.archiveHeaderBytes } },
    );
  }

  #check(path: string, size: number, total: number): void {
    if (size > this.#maxEntryBytes) {
      throw entryError(
        'ARCHIVE_TOO_LARGE',
        path,
        `has more than ${this.#maxEntryBytes} bytes; split it, or raise maxEntryBytes if you trust the archive`,
        { limit: this.#maxEntryBytes },
      );
    }
    if (total > this.#maxBytes) {
      throw new SkillError(
        'ARCHIVE_TOO_LARGE',
        `the archive unpacks to more than ${this.#maxBytes} bytes; raise maxBytes if you trust it`,
        { details: { limit: this.#maxBytes } },
      );
    }
    if (total > LIMITS.archiveRatioFloor && total / this.#packed > this.#maxRatio) {
      throw new SkillError(
        'ARCHIVE_RATIO',
        `the archive unpacks to more than ${this.#maxRatio} times its ${this.#packed} bytes; raise maxRatio if you trust it`,
        { details: { limit: this.#maxRatio, packed: this.#packed } },
      );
    }
  }
}
