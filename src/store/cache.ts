/**
 * Small things kept between runs, by key, with the validators to ask for them again. A damaged entry is no entry.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, writeError } from './atomic.ts';
import type { TempFile } from './temp.ts';

/** What is kept under a key. */
export interface CacheEntry {
  readonly bytes: Uint8Array;
  /** The version as its server named it, to be asked for with it. */
  readonly etag?: string;
  readonly lastModified?: string;
}

const DIGEST_HEX = 64;
const HEAD_BYTES = 8_192;
const NAME = /^[0-9a-f]{64}$/;
const LISTED = 20_000;

/** The file name of a key. A key may be a URL with a secret in it, so it is not written anywhere. */
export function entryName(key: string): string {
  return digestOf(Buffer.from(key));
}

/**
 * Resolves to the entry `name` of `folder`; undefined if there is none, or one that is damaged, cut off, larger than `cap`,
 * another's, or not a plain file.
 *
 * Errors: `WRITE_FAILED` when the system refuses to read it.
 */
export async function readEntry(
  folder: string,
  name: string,
  cap: number,
  shown: string,
): Promise<CacheEntry | undefined> {
  const path = join(folder, name);
  let raw: Buffer;
  try {
    // Not through a link, and without waiting for the writer of a pipe.
    const handle = await open(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    try {
      const found = await handle.stat();
      if (!found.isFile() || found.size > cap + HEAD_BYTES) return undefined;
      raw = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EISDIR', 'EMLINK', 'ENXIO'].includes(systemCode(error))) return undefined;
    throw writeError(shown, error);
  }
  const entry = decodeEntry(raw, name);
  if (entry === undefined) return undefined;
  const now = new Date();
  // Only the order in which entries go depends on it.
  await utimes(path, now, now).catch(() => {});
  return entry;
}

/**
 * Resolves to the size of the file once the entry stands whole under `name`, in place of another.
 *
 * Errors: `WRITE_FAILED`.
 */
export async function writeEntry(
  folder: string,
  name: string,
  entry: CacheEntry,
  file: TempFile,
  shown: string,
): Promise<number> {
  const [lead, content] = encodeEntry(entry, name);
  try {
    await file.write(lead);
    await file.write(content);
    // Not flushed: what a power cut leaves of it is damaged, and a damaged entry is none.
    await rename(await file.done(), join(folder, name));
    return lead.byteLength + content.byteLength;
  } catch (error) {
    await file.discard();
    throw writeError(shown, error);
  }
}

/** Removes the entry `name`, if there is one. Errors: `WRITE_FAILED`. */
export async function removeEntry(folder: string, name: string, shown: string): Promise<void> {
  await rm(join(folder, name), { force: true, recursive: true }).catch((error: unknown) => {
    throw writeError(shown, error);
  });
}

/**
 * Removes the entries unused for longest until all of them together have at most `most` bytes, and resolves to the bytes
 * left. Beyond 20,000 entries it looks at that many.
 */
export async function pruneEntries(folder: string, most: number): Promise<number> {
  const entries: { path: string; size: number; used: number }[] = [];
  for await (const { name } of await opendir(folder)) {
    if (entries.length >= LISTED) break;
    const path = join(folder, name);
    // Another process may have removed it since.
    const found = NAME.test(name) ? await lstat(path).catch(() => undefined) : undefined;
    if (found !== undefined) entries.push({ path, size: found.size, used: found.mtimeMs });
  }
  let total = entries.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size } of entries.sort((a, b) => a.used - b.used)) {
    if (total <= most) break;
    await rm(path, { force: true, recursive: true }).catch(() => {});
    total -= size;
  }
  return total;
}

/**
 * The bytes of an entry: the digest of all that follows and a line that tells its name and validators, then the content, in
 * two pieces, since the content may be large.
 */
export function encodeEntry(entry: CacheEntry, name: string): [Buffer, Uint8Array] {
  const { bytes, etag, lastModified } = entry;
  const head = `${JSON.stringify({ name, etag, lastModified })}\n`;
  return [Buffer.from(`${digestOf(Buffer.from(head), bytes)}\n${head}`), bytes];
}

/** The entry that {@link encodeEntry} made for `name`; undefined for any other bytes. */
export function decodeEntry(raw: Buffer, name: string): CacheEntry | undefined {
  if (raw[DIGEST_HEX] !== 0x0a) return undefined;
  const rest = raw.subarray(DIGEST_HEX + 1);
  if (raw.toString('latin1', 0, DIGEST_HEX) !== digestOf(rest)) return undefined;
  const line = rest.indexOf(0x0a);
  if (line === -1 || line > HEAD_BYTES) return undefined;
  const head = headOf(rest.toString('utf8', 0, line));
  if (head?.name !== name) return undefined;
  const { etag, lastModified } = head;
  return {
    bytes: rest.subarray(line + 1),
    ...(typeof etag === 'string' && { etag }),
    ...(typeof lastModified === 'string' && { lastModified }),
  };
}

function headOf(line: string): Partial<Record<string, unknown>> | undefined {
  try {
    const head: unknown = JSON.parse(line);
    return typeof head === 'object' && head !== null ? { ...head } : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(...pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
