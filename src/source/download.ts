/**
 * An archive from the network, in memory or on disk, asked for only if it changed.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { FetchOptions, NetOptions, NetResponse, Validators } from '../net/index.ts';
import { printableUrl } from '../net/net-error.ts';
import type { ArchiveStore, ArchiveTempFile, StoredArchive } from './archive-store.ts';
import { DownloadDisk, validatorsOf } from './download-disk.ts';
import type { OnSourceProgress } from './source-progress.ts';

/** How an archive is downloaded. */
export interface DownloadOptions extends NetOptions, Omit<FetchOptions, 'method' | 'validators'> {
  /** A place on disk for temporary files and kept responses. @default none: memory, and nothing is kept */
  readonly store?: ArchiveStore;
  /** Write the response to a temporary file, from which a zip is then read. @default whether there is a store */
  readonly streamToDisk?: boolean;
  /**
   * Keep the response in the store and next time ask whether it changed. What its server marks `no-store` is not kept.
   * @default whether there is a store
   */
  readonly cacheable?: boolean;
  /** Hears how far the download and the unpacking are. */
  readonly onProgress?: OnSourceProgress;
  /** Hears what went wrong and was got round. @default nobody */
  readonly logger?: Logger;
}

/** A downloaded archive. */
export interface Download {
  readonly input: Buffer | { readonly file: string; readonly shown: string };
  /** At most 4,096 bytes from its start. */
  readonly head: Uint8Array;
  /** Where it came from in the end. */
  readonly url: string;
  readonly contentType: string | undefined;
  readonly digest: string;
  /** It was kept from an earlier time, and the server says that it did not change. */
  readonly notModified: boolean;
  /** What to ask with whether it changed. */
  readonly validators: Validators;
  /** Keeps it for the next time, if that is wanted; never rejects. */
  keep(): Promise<void>;
  /** Removes its temporary file. Twice is fine. */
  release(): Promise<void>;
}

const HEAD_BYTES = 4_096;

/**
 * Resolves once every byte is there and the server has no more.
 *
 * Errors: `ARCHIVE_EXCEEDS_MAX_BYTES`, `ARCHIVE_DOWNLOAD_FAILED`, each with the error of the network as its cause; the reason
 * of the signal; `WRITE_FAILED` when the disk fills up meanwhile.
 */
export async function download(url: URL, label: string, options: DownloadOptions): Promise<Download> {
  const disk = new DownloadDisk(url, options);
  const kept = await disk.kept();
  const response = await ask(url, kept ?? {}, options);
  if (response.notModified) {
    response.discard();
    return fromKept(response, kept, options);
  }
  return received(response, disk, label, options);
}

/** As {@link download}, but undefined when the server says that nothing changed since it gave these validators. */
export async function downloadSince(
  url: URL,
  label: string,
  validators: Validators,
  options: DownloadOptions,
): Promise<Download | undefined> {
  const response = await ask(url, validators, options);
  if (!response.notModified) return received(response, new DownloadDisk(url, options), label, options);
  response.discard();
  if (validators.etag === undefined && validators.lastModified === undefined) throw unasked(response);
  return undefined;
}

async function ask(url: URL, validators: Validators, options: DownloadOptions): Promise<NetResponse> {
  try {
    // Loaded when it is needed: a folder is served without the machinery of connections.
    const { safeFetch } = await import('../net/index.ts');
    return await safeFetch(url, { ...options, validators });
  } catch (error) {
    throw downloadError(error);
  }
}

async function received(
  response: NetResponse,
  disk: DownloadDisk,
  label: string,
  options: DownloadOptions,
): Promise<Download> {
  const tell = progressOf(response, label, options);
  const file = await disk.tempFile();
  if (file === undefined) return inMemory(response, disk, tell);
  try {
    return await onDisk(response, file, disk, label, tell);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

function fromKept(
  response: NetResponse,
  kept: StoredArchive | undefined,
  options: DownloadOptions,
): Download {
  if (kept === undefined) throw unasked(response);
  const shown = printableUrl(response.url);
  const bytes = Buffer.from(kept.bytes.buffer, kept.bytes.byteOffset, kept.bytes.byteLength);
  const cap = capOf(options.maxBytes, LIMITS.fetchBytes);
  if (bytes.length > cap) {
    throw new SkillError(
      'ARCHIVE_EXCEEDS_MAX_BYTES',
      `the archive kept from ${shown} has ${bytes.length} bytes, more than the limit of ${cap}; raise maxBytes if that is to be`,
      { details: { url: shown, limit: cap, actual: bytes.length } },
    );
  }
  return {
    input: bytes,
    head: bytes.subarray(0, HEAD_BYTES),
    url: response.url,
    contentType: undefined,
    digest: digestOf(bytes),
    notModified: true,
    validators: validatorsOf(kept),
    keep: async () => {},
    release: async () => {},
  };
}

async function inMemory(
  response: NetResponse,
  disk: DownloadDisk,
  tell: (more: number) => void,
): Promise<Download> {
  const chunks: Buffer[] = [];
  for await (const chunk of bodyOf(response)) {
    chunks.push(chunk);
    tell(chunk.length);
  }
  const bytes = Buffer.concat(chunks);
  return {
    ...factsOf(response, disk),
    input: bytes,
    head: bytes.subarray(0, HEAD_BYTES),
    digest: digestOf(bytes),
    keep: () => disk.keep(response, bytes.length, async () => bytes),
    release: async () => {},
  };
}

async function onDisk(
  response: NetResponse,
  file: ArchiveTempFile,
  disk: DownloadDisk,
  label: string,
  tell: (more: number) => void,
): Promise<Download> {
  const hash = createHash('sha256');
  let head: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of bodyOf(response)) {
    if (size < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - size)]);
    size += chunk.length;
    hash.update(chunk);
    await file.write(chunk);
    tell(chunk.length);
  }
  const path = await file.done();
  return {
    ...factsOf(response, disk),
    input: { file: path, shown: label },
    head,
    digest: `sha256:${hash.digest('hex')}`,
    keep: () => disk.keep(response, size, () => readFile(path)),
    release: () => file.discard(),
  };
}

function factsOf(
  response: NetResponse,
  disk: DownloadDisk,
): Pick<Download, 'url' | 'contentType' | 'notModified' | 'validators'> {
  const { url, headers } = response;
  return {
    url,
    contentType: headers['content-type'],
    notModified: false,
    validators: disk.validators(response),
  };
}

function unasked(response: NetResponse): SkillError {
  const shown = printableUrl(response.url);
  return new SkillError(
    'ARCHIVE_DOWNLOAD_FAILED',
    `the server of ${shown} says that nothing changed since a time that it was not asked about; drop the conditional headers`,
    { details: { url: shown, status: response.status } },
  );
}

async function* bodyOf(response: NetResponse): AsyncGenerator<Buffer> {
  const chunks = response.body[Symbol.asyncIterator]();
  try {
    for (;;) {
      let next: IteratorResult<Buffer>;
      try {
        next = await chunks.next();
      } catch (error) {
        throw downloadError(error);
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

function progressOf(
  { length }: NetResponse,
  label: string,
  { onProgress }: DownloadOptions,
): (more: number) => void {
  let bytes = 0;
  return (more) => {
    bytes += more;
    onProgress?.({ step: 'download', label, bytes, total: length });
  };
}

/** Returns an error of the network as one of archives (seed 000); any other as it is. */
function downloadError(error: unknown): unknown {
  if (!(error instanceof SkillError) || !error.code.startsWith('NET_')) return error;
  const code = error.code === 'NET_TOO_LARGE' ? 'ARCHIVE_EXCEEDS_MAX_BYTES' : 'ARCHIVE_DOWNLOAD_FAILED';
  return new SkillError(code, error.message, {
    details: { ...error.details, net: error.code },
    cause: error,
  });
}
