/**
 * The store: the one place where Skillwire keeps data on this machine.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { systemCode } from './atomic.ts';
import { type CacheEntry, entryName, pruneEntries, readEntry, removeEntry, writeEntry } from './cache.ts';
import { cacheFolder, ensurePrivate, ensureTrusted, type NamedFolder } from './cache-folder.ts';
import { removeLeftovers } from './leftovers.ts';
import {
  makeSession,
  makeTempFile,
  makeTempFolder,
  removeSession,
  type TempFile,
  type TempFileOptions,
  type TempFolder,
} from './temp.ts';

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Bytes of one cache entry; 0 means the default, -1 no cap. @default 16,777,216 */
  readonly maxEntryBytes?: number;
  /** Bytes of all cache entries; 0 means the default, -1 no cap. @default 268,435,456 */
  readonly maxCacheBytes?: number;
  /** Hears of leftovers that cannot be removed. @default nobody */
  readonly logger?: Logger;
}

/** Temporary files, and entries kept between runs. Everything but `close` rejects with `WRITE_FAILED` once it is closed. */
export interface Store {
  /** A new empty file that goes at the latest when the store is closed. `prefix` begins its name. */
  tempFile(prefix: string, options?: TempFileOptions): Promise<TempFile>;
  /** A new empty folder that goes at the latest when the store is closed. `prefix` begins its name. */
  tempFolder(prefix: string): Promise<TempFolder>;
  /** The entry of `key` as it was put; undefined if there is none or a damaged one. */
  get(key: string): Promise<CacheEntry | undefined>;
  /** Keeps an entry, in place of an earlier one, and tells whether it did: one beyond `maxEntryBytes` is not kept. */
  put(key: string, entry: CacheEntry): Promise<boolean>;
  /** Forgets the entry of `key`. */
  remove(key: string): Promise<void>;
  /** Removes the temporary files and folders of this store. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Returns the store in `path`, by default `$XDG_CACHE_HOME/skillwire` or `~/.cache/skillwire`. Nothing is made or looked at
 * before it is used; the first use also removes what processes left there that ended without tidying up.
 *
 * Errors of its methods: `WRITE_FAILED` when the system refuses, the disk is full, or the folder is not this user's alone.
 *
 * @example
 * const store = openStore()
 * const file = await store.tempFile('download')
 */
export function openStore(path?: string, options: StoreOptions = {}): Store {
  return new FolderStore(path, options);
}

class FolderStore implements Store {
  readonly #path: string | undefined;
  readonly #logger: Logger;
  readonly #entryCap: number;
  readonly #cacheCap: number;
  #session: Promise<string> | undefined;
  #entries: Promise<string> | undefined;
  /** Bytes of all entries as far as this store knows; undefined before they were counted. */
  #total: number | undefined;
  #closed = false;

  constructor(path: string | undefined, options: StoreOptions) {
    this.#path = path;
    this.#logger = options.logger ?? silentLogger;
    this.#entryCap = capOf(options.maxEntryBytes, LIMITS.cacheEntryBytes);
    this.#cacheCap = capOf(options.maxCacheBytes, LIMITS.cacheBytes);
  }

  tempFile(prefix: string, options: TempFileOptions = {}): Promise<TempFile> {
    return this.#inSession((session) => makeTempFile(session, prefix, this.#shown, options));
  }

  tempFolder(prefix: string): Promise<TempFolder> {
    return this.#inSession((session) => makeTempFolder(session, prefix, this.#shown));
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const folder = await this.#openEntries();
    return readEntry(folder, entryName(key), this.#entryCap, this.#shown);
  }

  async put(key: string, entry: CacheEntry): Promise<boolean> {
    if (entry.bytes.byteLength > this.#entryCap) return false;
    try {
      await this.#write(key, entry);
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#entries = undefined;
      await this.#write(key, entry);
    }
    return true;
  }

  async remove(key: string): Promise<void> {
    await removeEntry(await this.#openEntries(), entryName(key), this.#shown);
  }

  async close(): Promise<void> {
    this.#closed = true;
    // What failed to open has nothing to remove, and whoever opened it has the error.
    const session = await this.#session?.catch(() => undefined);
    if (session !== undefined) await removeSession(session, this.#shown);
    this.#session = undefined;
  }

  get #shown(): string {
    return cacheFolder(this.#path).name;
  }

  async #write(key: string, entry: CacheEntry): Promise<void> {
    const folder = await this.#openEntries();
    const file = await this.tempFile('entry', { maxBytes: -1 });
    const size = await writeEntry(folder, entryName(key), entry, file, this.#shown);
    this.#total = this.#total === undefined ? undefined : this.#total + size;
    if (this.#total === undefined || this.#total > this.#cacheCap) {
      this.#total = await pruneEntries(folder, this.#cacheCap);
    }
  }

  async #inSession<T>(work: (session: string) => Promise<T>): Promise<T> {
    const session = await this.#openSession();
    try {
      return await work(session);
    } catch (error) {
      if (!isGone(error)) throw error;
      this.#session = undefined;
      return await work(await this.#openSession());
    }
  }

  async #openSession(): Promise<string> {
    this.#assertOpen();
    this.#session ??= this.#makeSession();
    return this.#retried(this.#session, () => {
      this.#session = undefined;
    });
  }

  async #makeSession(): Promise<string> {
    const root = await this.#openRoot();
    const parent = await ensurePrivate(root, 'tmp');
    await removeLeftovers(parent, this.#logger).catch((error: unknown) => {
      this.#logger.warn('cannot look for temporary files left behind', { system: systemCode(error) });
    });
    return makeSession(parent, root.name);
  }

  async #openEntries(): Promise<string> {
    this.#assertOpen();
    this.#entries ??= this.#openRoot().then((root) => ensurePrivate(root, 'entries'));
    return this.#retried(this.#entries, () => {
      this.#entries = undefined;
    });
  }

  async #openRoot(): Promise<NamedFolder> {
    const folder = cacheFolder(this.#path);
    await ensureTrusted(folder);
    return folder;
  }

  /** What did not open is tried again by the next call. */
  async #retried<T>(opening: Promise<T>, forget: () => void): Promise<T> {
    try {
      return await opening;
    } catch (error) {
      forget();
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw new SkillError('WRITE_FAILED', 'the store is closed; open another');
  }
}

/** Somebody emptied the cache folder while this process used it, as users do; it is made again. */
function isGone(error: unknown): boolean {
  return isSkillError(error, 'WRITE_FAILED') && error.details.system === 'ENOENT';
}
