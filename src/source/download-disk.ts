/**
 * What a download puts on disk and asks the network with.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import type { NetResponse, Validators } from '../net/index.ts';
import { printableUrl } from '../net/net-error.ts';
import type { ArchiveTempFile, StoredArchive } from './archive-store.ts';
import type { DownloadOptions } from './download.ts';

/** The store of a download, as far as it is wanted and works: without a disk an archive is downloaded all the same. */
export class DownloadDisk {
  readonly #options: DownloadOptions;
  readonly #address: string;
  readonly #shown: string;
  readonly #logger: Logger;

  constructor(url: URL, options: DownloadOptions) {
    const bare = new URL(url);
    bare.hash = '';
    this.#address = bare.href;
    this.#shown = printableUrl(url);
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
  }

  #key(): string {
    return `archive ${this.#address}`;
  }

  async kept(): Promise<StoredArchive | undefined> {
    const { store, cacheable = true } = this.#options;
    if (store === undefined || !cacheable) return undefined;
    return this.#tried('no archive of before is looked up', () => store.get(this.#key()));
  }

  async tempFile(): Promise<ArchiveTempFile | undefined> {
    const { store, streamToDisk = true } = this.#options;
    if (store === undefined || !streamToDisk) return undefined;
    // The network holds the cap, whose error says what it is about.
    return this.#tried('the archive is held in memory', () => store.tempFile('archive', { maxBytes: -1 }));
  }

  validators({ url, validators }: NetResponse): Validators {
    // A time says which version it is of one address alone, and a redirect may lead to another next time.
    const { etag, lastModified } = validators;
    return validatorsOf({ etag, lastModified: url === this.#address ? lastModified : undefined });
  }

  async keep(response: NetResponse, size: number, read: () => Promise<Buffer>): Promise<void> {
    const { store, cacheable = true } = this.#options;
    const validators = this.validators(response);
    if (store === undefined || !cacheable || size > LIMITS.cacheEntryBytes) return;
    if (validators.etag === undefined && validators.lastModified === undefined) return;
    if (/\bno-store\b/i.test(response.headers['cache-control'] ?? '')) return;
    await this.#tried('the archive is not kept', async () =>
      store.put(this.#key(), { bytes: await read(), ...validators }),
    );
  }

  async #tried<T>(otherwise: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      this.#logger.warn(`${otherwise}: ${reason}`, { url: this.#shown });
      return undefined;
    }
  }
}

/** The validators among the properties of `kept`. */
export function validatorsOf({
  etag,
  lastModified,
}: Partial<Record<keyof Validators, string | undefined>>): Validators {
  return {
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}
