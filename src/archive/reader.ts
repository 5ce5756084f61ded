/**
 * One interface over the archive formats.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { Admission, type ArchiveEntry, type ReadArchiveOptions } from './admission.ts';
import { entryError } from './archive-error.ts';
import { Budget } from './budget.ts';
import { bunzip2 } from './bzip2.ts';
import { type ArchiveFormat, MAGIC_BYTES, requireFormat } from './detect.ts';
import { gunzip } from './gunzip.ts';
import { accessBytes, accessFile, type RandomAccess } from './random-access.ts';
import { TarReader } from './tar.ts';
import { ZipReader } from './zip.ts';

const FILE_CHUNK = 262_144;

/** Bytes in memory, a file on this machine (and what messages call it), or bytes as they come. */
export type ArchiveInput =
  | Uint8Array
  | { readonly file: string; readonly shown?: string }
  | AsyncIterable<Uint8Array>;

/** How an archive is opened. */
export interface OpenReaderOptions extends ReadArchiveOptions {
  /** @default by the name, then by the first bytes: see `detectArchiveFormat` */
  readonly format?: ArchiveFormat;
  /** A file name or URL to tell the format by. @default the path of `{ file }` */
  readonly name?: string;
  /**
   * Told while a tar is unpacked: bytes of the archive read so far, and all of them when that is known. A zip is not
   * unpacked here.
   */
  readonly onProgress?: (bytes: number, total: number | undefined) => void;
}

/** An open archive. All its entries were judged before it opened. */
export interface ArchiveReader {
  readonly format: ArchiveFormat;
  /** What the global header of a tar says of it; `git archive` and GitHub write the commit there. */
  readonly comment?: string;
  /** Files, folders that the archive names, and links if they were asked for; in the order of the archive. */
  entries(): readonly ArchiveEntry[];
  /**
   * The bytes of a file, which the caller must not change: at once when they are in memory or small.
   *
   * Errors: `FILE_NOT_FOUND`; `ARCHIVE_CORRUPT` (a zip is unpacked here); `ARCHIVE_CLOSED`; `SOURCE_UNREADABLE`.
   */
  read(path: string): Buffer | Promise<Buffer>;
  /** Frees everything; twice is fine. */
  close(): Promise<void>;
}

/**
 * Opens an archive. A zip is listed here and unpacked file by file in {@link ArchiveReader.read}; one on disk is never
 * held in memory. A tar has no directory: it is unpacked here, whole, and its files stay in memory until `close()`.
 * Nothing is written anywhere.
 *
 * A zip that comes as a stream and any tar.bz2 are gathered first, at most `maxBytes` and 32 MiB of them. The ratio of a tar.gz that
 * comes as a stream is judged against what came so far.
 *
 * Errors: `ARCHIVE_UNKNOWN_FORMAT`, `ARCHIVE_CORRUPT`, `ARCHIVE_UNSUPPORTED`; names: `ARCHIVE_PATH_TRAVERSAL`,
 * `ARCHIVE_ABSOLUTE_PATH`, `ARCHIVE_UNSAFE_NAME`, `ARCHIVE_NAME_TOO_LONG`, `ARCHIVE_TOO_DEEP`, `ARCHIVE_DUPLICATE`,
 * `ARCHIVE_COLLISION`; kinds: `ARCHIVE_SYMLINK_ESCAPE`, `ARCHIVE_SPECIAL_FILE`; caps: `ARCHIVE_TOO_LARGE`,
 * `ARCHIVE_TOO_MANY_ENTRIES`, `ARCHIVE_RATIO`; a file that cannot be opened: `SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE`.
 *
 * @example
 * const archive = await openReader({ file: 'skills.zip' });
 * for (const { path } of archive.entries()) console.log(path);
 */
export async function openReader(
  input: ArchiveInput,
  options: OpenReaderOptions = {},
): Promise<ArchiveReader> {
  if (input instanceof Uint8Array) return openBytes(input, options);
  if (Symbol.asyncIterator in input) return openStream(input, options);
  return openFile(input.file, input.shown ?? input.file, options);
}

async function openBytes(bytes: Uint8Array, options: OpenReaderOptions): Promise<ArchiveReader> {
  const format = requireFormat(options.format, options.name ?? '', bytes);
  if (format === 'zip') return openZip(accessBytes(bytes), options);
  return openTar(format, [bytes], bytes.length, options);
}

async function openFile(path: string, shown: string, options: OpenReaderOptions): Promise<ArchiveReader> {
  const access = accessFile(path, shown);
  try {
    const head = access.read(0, Math.min(access.size, MAGIC_BYTES));
    const format = requireFormat(options.format, options.name ?? shown, head);
    if (format === 'zip') return openZip(access, options);
    const archive = await openTar(format, chunksOf(access), access.size, options);
    access.close();
    return archive;
  } catch (error) {
    access.close();
    throw error;
  }
}

function* chunksOf(access: RandomAccess): Generator<Uint8Array> {
  for (let at = 0; at < access.size; at += FILE_CHUNK)
    yield access.read(at, Math.min(FILE_CHUNK, access.size - at));
}

async function openStream(
  input: AsyncIterable<Uint8Array>,
  options: OpenReaderOptions,
): Promise<ArchiveReader> {
  const chunks = input[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < MAGIC_BYTES) {
    const { done, value } = await chunks.next();
    if (done === true) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  const whole = startingWith(head, chunks);
  try {
    const format = requireFormat(options.format, options.name ?? '', head);
    if (format === 'zip') return openZip(accessBytes(await gather(whole, options)), options);
    return await openTar(format, whole, undefined, options);
  } finally {
    await chunks.return?.();
  }
}

/** The bytes that were looked at, and then the rest. Closing the iterator is left to whoever made it. */
async function* startingWith(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

/** The archive of a zip; closing it closes `access`. Errors: those of {@link openReader}. */
export function openZip(access: RandomAccess, options: ReadArchiveOptions): ArchiveReader {
  let open: ZipReader | undefined = new ZipReader(access, options);
  const entries = open.entries;
  return {
    format: 'zip',
    entries: () => entries,
    read: (path) => {
      if (open === undefined) throw closed();
      return open.read(path);
    },
    close: async () => {
      open = undefined;
      access.close();
    },
  };
}

async function openTar(
  format: 'tar.gz' | 'tar.bz2',
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number | undefined,
  options: OpenReaderOptions,
): Promise<ArchiveReader> {
  const budget = new Budget(options, size ?? 0);
  const tar = new TarReader(new Admission(options, budget), budget);
  const sink = (chunk: Buffer): void => tar.push(chunk);
  const counted = size === undefined ? count(input, budget) : input;
  const told = options.onProgress === undefined ? counted : tell(counted, size, options.onProgress);
  if (format === 'tar.gz') await gunzip(told, sink);
  else await bunzip2(await gather(told, options), sink);
  tar.end();
  return tarArchive(format, tar);
}

/** The archive of a tar that was read to its end. */
export function tarArchive(format: 'tar.gz' | 'tar.bz2', tar: TarReader): ArchiveReader {
  const entries = tar.entries.map(({ entry }) => entry);
  const files = new Map(
    tar.entries.filter(({ entry }) => entry.kind === 'file').map((each) => [each.entry.path, each.bytes]),
  );
  let open = true;
  return {
    format,
    ...(tar.comment === undefined ? {} : { comment: tar.comment }),
    entries: () => entries,
    read: (path) => {
      if (!open) throw closed();
      const bytes = files.get(path);
      if (bytes === undefined) throw entryError('FILE_NOT_FOUND', path, 'is no file of the archive');
      return bytes;
    },
    close: async () => {
      open = false;
      files.clear();
    },
  };
}

async function* tell(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  total: number | undefined,
  onProgress: NonNullable<OpenReaderOptions['onProgress']>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    onProgress(bytes, total);
    yield chunk;
  }
}

async function* count(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  budget: Budget,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of input) {
    budget.received(chunk.length);
    yield chunk;
  }
}

/** All bytes of the input. Errors: `ARCHIVE_TOO_LARGE` when they alone are more than any archive within the caps has. */
async function gather(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadArchiveOptions,
): Promise<Uint8Array> {
  const limit = capOf(options.maxBytes, LIMITS.archiveBytes) + LIMITS.archiveHeaderBytes;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= limit) continue;
    throw new SkillError(
      'ARCHIVE_TOO_LARGE',
      `the archive itself has more than ${limit} bytes; raise maxBytes if you trust it`,
      { details: { limit } },
    );
  }
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks);
}

function closed(): SkillError {
  return new SkillError('ARCHIVE_CLOSED', 'the archive is closed; open it again to read it');
}
