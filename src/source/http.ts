/**
 * A source over an archive that a server has.
 *
 * @module
 */
import {
  type ArchiveCaps,
  type ArchiveFormat,
  type ArchiveReader,
  detectArchiveFormat,
  openReader,
} from '../archive/index.ts';
import { SkillError } from '../errors.ts';
import { isDigest, sameDigest } from '../integrity/index.ts';
import { printableUrl } from '../net/net-error.ts';
import { quote } from '../uri/quote.ts';
import {
  type ArchiveOptions,
  type ArchiveSource,
  type CreateArchiveOptions,
  readerOptions,
} from './archive.ts';
import { type Download, type DownloadOptions, download, downloadSince } from './download.ts';
import { FetchedSource, type Generation } from './fetched.ts';
import type { IgnoreOptions } from './ignore.ts';
import { nameArchive } from './open-archive.ts';

/** Options of {@link fetchArchive}. */
export interface FetchArchiveOptions extends DownloadOptions, IgnoreOptions {
  /** @default by the first bytes, then by the end of the URL's path, then by the content type */
  readonly format?: ArchiveFormat;
  /** What messages call it. @default the URL without its query */
  readonly label?: string;
  /** Take off the one folder that holds everything, if there is one and it is no skill. @default true */
  readonly stripWrapper?: boolean;
  /** See `ArchiveOptions.links`. @default 'refuse' */
  readonly links?: ArchiveOptions['links'];
  /** The caps of unpacking; `maxBytes` beside it is that of the download. @default those of `openReader` */
  readonly unpack?: ArchiveCaps;
  /** The archive that is expected, `sha256:` and 64 hex digits; another is `DIGEST_MISMATCH`. @default any */
  readonly digest?: string;
}

/** A source over a fetched archive. */
export interface FetchedArchive extends ArchiveSource {
  /** Digest of the archive in force, as it was sent. */
  readonly digest: string;
  /** It was kept from an earlier time, and the server says that it did not change. */
  readonly notModified: boolean;
}

/**
 * Resolves to a source over the archive at `url`, laid out as `openArchive` does (seed 000's `FetchArchive`). `close()` it.
 *
 * One `GET`, by `safeFetch`: hosts, addresses, redirects, sizes and times are held there, and its options are taken here.
 * With a `store` the response goes to a temporary file, from which a zip is read for as long as the source is open, and
 * stays in the cache with its `ETag`, so that the next call asks whether it changed. Without one all is in memory.
 * `revalidate()` asks whether it changed while the source is open, and puts a new archive in the place of the old one; an
 * archive with a `digest` to have cannot change and has no such method.
 *
 * Errors: `ARCHIVE_EXCEEDS_MAX_BYTES`; `ARCHIVE_DOWNLOAD_FAILED`, whose `cause` is the error of `safeFetch` and whose
 * `details.net` is its code; `DIGEST_MISMATCH`; those of `openArchive`; and the reason of the signal.
 *
 * @example
 * const source = await fetchArchive('https://skills.example/pdf.tar.gz', { maxBytes: 5_000_000 });
 */
export async function fetchArchive(
  url: string | URL,
  options: FetchArchiveOptions = {},
): Promise<FetchedArchive> {
  const label = options.label ?? printableUrl(url);
  return openFetched(url, label, options, () => ({
    arrange: (reader, held) => nameArchive(reader, { ...options, label, ...held }),
  }));
}

/** How one version of an archive becomes a source. */
export interface Reading {
  /** Makes the source over an open archive, which is closed when it rejects. */
  readonly arrange: (
    reader: ArchiveReader,
    held: Required<Pick<CreateArchiveOptions, 'identity' | 'release'>>,
  ) => Promise<ArchiveSource>;
  /** Which entries are wanted. @default all */
  readonly include?: (path: string) => boolean;
}

/** Options of {@link openFetched}. */
export interface OpenFetchedOptions extends FetchArchiveOptions {
  /** What comes from this address never changes. @default whether there is a digest to have */
  readonly fixed?: boolean;
  /** Says in other words what went wrong. */
  readonly explain?: (error: unknown) => unknown;
}

let count = 0;

/**
 * Downloads and opens an archive, now and whenever it is revalidated; `read` is called for each version. Errors: those of
 * {@link fetchArchive}.
 */
export async function openFetched(
  url: string | URL,
  label: string,
  options: OpenFetchedOptions,
  read: () => Reading,
): Promise<FetchedArchive> {
  if (options.digest !== undefined && !isDigest(options.digest)) {
    throw new SkillError(
      'USAGE',
      `${quote(options.digest)} is no digest; write "sha256:" and 64 lower-case hex digits`,
    );
  }
  const typed = parseUrl(url);
  count += 1;
  const identity = `fetched:${count}:`;
  const { explain = (error: unknown): unknown => error, fixed = options.digest !== undefined } = options;
  try {
    const got = await download(typed, label, options);
    const first = await generationOf(typed, got, label, { ...options, identity }, read());
    if (fixed) return new FetchedSource(label, first);
    const { onProgress: _, ...later } = options;
    return new FetchedSource(label, first, async (now, signal) => {
      try {
        const next = await downloadSince(typed, label, now.validators, { ...later, signal });
        if (next === undefined) return undefined;
        if (next.digest !== now.digest) {
          return await generationOf(typed, next, label, { ...later, signal, identity }, read());
        }
        await next.release();
        return { ...now, validators: next.validators };
      } catch (error) {
        throw explain(error);
      }
    });
  } catch (error) {
    throw explain(error);
  }
}

async function generationOf(
  typed: URL,
  got: Download,
  label: string,
  options: FetchArchiveOptions & { readonly identity: string },
  { arrange, include }: Reading,
): Promise<Generation> {
  try {
    requireDigest(got.digest, options.digest, label);
    options.signal?.throwIfAborted();
    const reader = await openReader(got.input, {
      ...options.unpack,
      ...readerOptions({ links: options.links ?? 'refuse' }),
      format: formatOf(typed, got, options.format, label),
      ...(include === undefined ? {} : { include }),
      onProgress: (bytes, total) => options.onProgress?.({ step: 'unpack', label, bytes, total }),
    });
    const held = { identity: options.identity, release: got.release };
    const source = await arrange(reader, held).catch(async (error: unknown) => {
      await reader.close();
      throw error;
    });
    await got.keep();
    // A tar is in memory by now.
    if (reader.format !== 'zip') await got.release();
    const { digest, notModified, validators } = got;
    return { source, digest, notModified, validators };
  } catch (error) {
    await got.release();
    throw error;
  }
}

function parseUrl(url: string | URL): URL {
  try {
    return new URL(url);
  } catch {
    throw new SkillError(
      'ARCHIVE_DOWNLOAD_FAILED',
      'this is not a URL of an archive; write it as https://host/path',
      { details: { net: 'NET_URL_REFUSED' } },
    );
  }
}

function requireDigest(actual: string, expected: string | undefined, label: string): void {
  if (expected === undefined || sameDigest(expected, actual)) return;
  throw new SkillError(
    'DIGEST_MISMATCH',
    `the archive ${quote(label)} has the digest ${actual}, not ${expected}; it must not be used`,
    { details: { source: label, expected, actual } },
  );
}

const FORMAT_OF_TYPE: ReadonlyMap<string, ArchiveFormat> = new Map([
  ['application/zip', 'zip'],
  ['application/x-zip', 'zip'],
  ['application/x-zip-compressed', 'zip'],
  ['application/gzip', 'tar.gz'],
  ['application/x-gzip', 'tar.gz'],
  ['application/tar+gzip', 'tar.gz'],
  ['application/x-gtar', 'tar.gz'],
  ['application/x-tgz', 'tar.gz'],
  ['application/x-compressed-tar', 'tar.gz'],
  ['application/x-bzip2', 'tar.bz2'],
  ['application/x-bzip', 'tar.bz2'],
  ['application/x-bzip-compressed-tar', 'tar.bz2'],
]);

/** What the bytes are counts most: servers and URLs call archives by all sorts of names. */
function formatOf(typed: URL, got: Download, given: ArchiveFormat | undefined, label: string): ArchiveFormat {
  const found = given ?? detectArchiveFormat('', got.head);
  if (found !== undefined) return found;
  const type = got.contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^text\/|^application\/(?:json|xhtml\+xml)$/.test(type)) {
    throw new SkillError(
      'ARCHIVE_UNKNOWN_FORMAT',
      `the server sent ${type} for ${quote(label)} and no archive; is this the URL of a page, or does it ask to log in?`,
      { details: { source: label, contentType: type } },
    );
  }
  const byName =
    detectArchiveFormat(typed.pathname, got.head) ?? detectArchiveFormat(new URL(got.url).pathname, got.head);
  const format = byName ?? FORMAT_OF_TYPE.get(type);
  if (format !== undefined) return format;
  throw new SkillError(
    'ARCHIVE_UNKNOWN_FORMAT',
    `${quote(label)} is no tar.gz, zip or tar.bz2: neither its first bytes (${Buffer.from(got.head.subarray(0, 4)).toString('hex') || 'none'}) nor its URL or content type say so`,
    { details: { source: label, contentType: type } },
  );
}
