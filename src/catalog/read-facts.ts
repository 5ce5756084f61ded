/**
 * One file of a source, read once: its digest and everything else that an entry says of it.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { digestOf, isLosslessText } from '../integrity/index.ts';
import { mimeTypeFor } from '../mime.ts';
import type { MaybePromise, ReadOptions, Source, SourceFacts, SourceFile } from '../source/source.ts';
import { readSourceFacts } from '../source/source-facts.ts';

/** A write within this time of an earlier one can leave the same stamp on file systems with coarse clocks, ms. */
export const COARSE_MS = 2_000;

/** A file that keeps changing under the reader is given up after this many reads. */
const ATTEMPTS = 3;

/** What an entry says of a file, its URI apart. */
export interface FileFacts {
  readonly size: number;
  readonly digest?: string;
  readonly mimeType: string;
  readonly text: boolean;
  readonly stamp?: string;
  readonly modifiedAt?: number;
  readonly provisional: boolean;
}

/**
 * Whether a file that was read at `readAt` may have been written to since without a change of its stamp (design
 * decision 3). A file without a stamp cannot change, and one without a time is trusted by its stamp.
 */
export function isProvisional(file: Pick<SourceFile, 'stamp' | 'modifiedAt'>, readAt: number): boolean {
  return file.stamp !== undefined && file.modifiedAt !== undefined && file.modifiedAt > readAt - COARSE_MS;
}

/** What an entry says of a file with these bytes; `readAt` is a time before the reading began. */
export function factsOf(path: string, file: SourceFile, dynamic: boolean, readAt: number): FileFacts {
  const { bytes, stamp, modifiedAt } = file;
  const text = isLosslessText(bytes);
  const size = bytes.length;
  const mimeType = mimeTypeFor(path, text);
  if (dynamic) return { size, mimeType, text, provisional: false };
  const digest = digestOf(bytes);
  const provisional = isProvisional(file, readAt);
  if (stamp !== undefined && modifiedAt !== undefined) {
    return { size, digest, mimeType, text, stamp, modifiedAt, provisional };
  }
  return {
    size,
    digest,
    mimeType,
    text,
    ...(stamp !== undefined && { stamp }),
    ...(modifiedAt !== undefined && { modifiedAt }),
    provisional,
  };
}

/** What an entry says of a file of which its source told the facts itself; `readAt` is a time before it read the file. */
export function fileFacts(path: string, facts: SourceFacts, readAt: number): FileFacts {
  const { size, digest, text, stamp, modifiedAt } = facts;
  const mimeType = mimeTypeFor(path, text);
  const provisional = isProvisional(facts, readAt);
  if (stamp !== undefined && modifiedAt !== undefined) {
    return { size, digest, mimeType, text, stamp, modifiedAt, provisional };
  }
  return { ...facts, mimeType, provisional };
}

/** The bytes of a file, read again when it changed meanwhile; at once when the source answers at once. */
export function readSettled(
  source: Source,
  path: string,
  options: ReadOptions,
): SourceFile | Promise<SourceFile> {
  return settled(() => source.read(path, options));
}

/** What an entry says of a file that is made anew at each read. */
export function readDynamic(
  source: Source,
  path: string,
  options: ReadOptions,
): FileFacts | Promise<FileFacts> {
  const file = readSettled(source, path, options);
  return file instanceof Promise
    ? file.then((got) => factsOf(path, got, true, 0))
    : factsOf(path, file, true, 0);
}

/** What an entry says of a file that is not dynamic, as {@link readSettled} would have it read. */
export function readFacts(
  source: Source,
  path: string,
  options: ReadOptions,
): FileFacts | Promise<FileFacts> {
  const readAt = Date.now();
  const facts = settled(() => readSourceFacts(source, path, options));
  return facts instanceof Promise
    ? facts.then((got) => fileFacts(path, got, readAt))
    : fileFacts(path, facts, readAt);
}

function settled<T>(read: () => MaybePromise<T>): MaybePromise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const file = read();
      return file instanceof Promise ? file.catch((error) => retryLater(read, error)) : file;
    } catch (error) {
      if (attempt === ATTEMPTS || !isSkillError(error, 'FILE_CHANGED')) throw error;
    }
  }
}

async function retryLater<T>(read: () => MaybePromise<T>, first: unknown): Promise<T> {
  let last = first;
  for (let attempt = 2; attempt <= ATTEMPTS && isSkillError(last, 'FILE_CHANGED'); attempt++) {
    try {
      return await read();
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
