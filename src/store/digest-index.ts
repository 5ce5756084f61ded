/**
 * The digests of files that were read once, kept for the next start.
 *
 * @module
 */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { capOf, LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { entryName, pruneEntries, readEntry, writeEntry } from './cache.ts';
import { cacheFolder, ensurePrivate, ensureTrusted } from './cache-folder.ts';
import { openStore } from './store.ts';

/** Options of {@link openDigestIndex}. */
export interface DigestIndexOptions {
  /** Look, and keep nothing. @default false */
  readonly readOnly?: boolean;
  /** A tree of fewer bytes is not kept: its files are read as fast. 0 means the default, -1 keeps all. @default 65,536 */
  readonly minTreeBytes?: number;
  /** Bytes that are kept of one tree; 0 means the default, -1 no cap. @default 134,217,728 */
  readonly maxTreeBytes?: number;
  /** Bytes that are kept of all trees; 0 means the default, -1 no cap. @default 268,435,456 */
  readonly maxIndexBytes?: number;
  /** Hears, at its lowest level, why something is not kept or not used. @default nobody */
  readonly logger?: Logger;
}

/** What is kept of trees of files, each under the key that its owner made; as `createProvider` takes it. */
export interface StoredDigestIndex {
  /** What was kept under a key; undefined if there is none or a damaged one. Does not reject. */
  load(key: string): Promise<Uint8Array | undefined>;
  /** Keeps bytes in place of those before, where it can. Does not reject. */
  save(key: string, bytes: Uint8Array): Promise<void>;
}

const FOLDER = 'digests';

/**
 * Returns the digest index in the cache folder `path`, by default `$XDG_CACHE_HOME/skillwire` or `~/.cache/skillwire`: a
 * file for each tree, which only this user may read or write, and which is trusted for that. Writes are atomic, also those
 * of several processes; beyond the caps the trees unused for longest go. A cache folder that is full, read-only or
 * somebody else's means that nothing is kept.
 *
 * @example
 * const provider = await createProvider({ source, digestIndex: openDigestIndex() })
 */
export function openDigestIndex(path?: string, options: DigestIndexOptions = {}): StoredDigestIndex {
  return new FolderDigestIndex(path, options);
}

class FolderDigestIndex implements StoredDigestIndex {
  readonly #path: string | undefined;
  readonly #readOnly: boolean;
  readonly #least: number;
  readonly #treeCap: number;
  readonly #indexCap: number;
  readonly #logger: Logger;

  constructor(path: string | undefined, options: DigestIndexOptions) {
    this.#path = path;
    this.#readOnly = options.readOnly === true;
    this.#least = options.minTreeBytes === -1 ? 0 : options.minTreeBytes || LIMITS.digestTreeLeastBytes;
    this.#treeCap = capOf(options.maxTreeBytes, LIMITS.digestTreeBytes);
    this.#indexCap = capOf(options.maxIndexBytes, LIMITS.digestIndexBytes);
    this.#logger = options.logger ?? silentLogger;
  }

  async load(key: string): Promise<Uint8Array | undefined> {
    try {
      const root = cacheFolder(this.#path);
      // Nothing is made before there is something to keep.
      if (!(await exists(join(root.path, FOLDER)))) return undefined;
      const folder = await this.#folder();
      return (await readEntry(folder, entryName(key), this.#treeCap, root.name))?.bytes;
    } catch (error) {
      this.#logger.debug('the digests of an earlier start cannot be read', { error });
      return undefined;
    }
  }

  async save(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#readOnly || bytes.byteLength < this.#least) return;
    if (bytes.byteLength > this.#treeCap) {
      this.#logger.debug('the digests are not kept for the next start, they are too many', {
        bytes: bytes.byteLength,
        limit: this.#treeCap,
      });
      return;
    }
    const store = openStore(this.#path, { logger: this.#logger });
    try {
      const { name: shown } = cacheFolder(this.#path);
      const folder = await this.#folder();
      const file = await store.tempFile('digests', { maxBytes: -1 });
      await writeEntry(folder, entryName(key), { bytes }, file, shown);
      await pruneEntries(folder, this.#indexCap);
    } catch (error) {
      this.#logger.debug('the digests cannot be kept for the next start', { error });
    } finally {
      await store.close().catch((error: unknown) => {
        this.#logger.debug('a temporary file cannot be removed', { error });
      });
    }
  }

  async #folder(): Promise<string> {
    const root = cacheFolder(this.#path);
    await ensureTrusted(root);
    return ensurePrivate(root, FOLDER);
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
