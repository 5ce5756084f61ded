/**
 * Bytes at any place of an archive, in memory or on disk.
 *
 * @module
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { corrupt } from './archive-error.ts';

/** Without the second flag, opening a named pipe would wait for a writer; Windows has neither. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Where an archive with a directory is read from. */
export interface RandomAccess {
  readonly size: number;
  /** Exactly `length` bytes, which the caller must not change. Errors: `ARCHIVE_CORRUPT` where they end. */
  read(offset: number, length: number): Buffer;
  /** Frees what is held; twice is fine. */
  close(): void;
}

/** Bytes in memory; they are not copied. */
export function accessBytes(bytes: Uint8Array): RandomAccess {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    size: buffer.length,
    read: (offset, length) => {
      if (offset + length > buffer.length) throw endsEarly(buffer.length);
      return buffer.subarray(offset, offset + length);
    },
    close: () => undefined,
  };
}

/**
 * A file, kept open: what is renamed over it later is not read. Messages call it `shown`.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE`.
 */
export function accessFile(path: string, shown: string = path): RandomAccess {
  let fd: number | undefined;
  try {
    fd = openSync(path, FLAGS);
    const stats = fstatSync(fd);
    if (!stats.isFile())
      throw new SkillError('SOURCE_UNREADABLE', `${quote(shown)} is no file`, {
        details: { path: shown },
      });
    return new OpenFile(fd, stats.size);
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    throw cannotOpen(shown, error);
  }
}

/** Returns the error for an archive on disk that cannot be opened. */
function cannotOpen(path: string, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const errno = errnoOf(error);
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return new SkillError('SOURCE_NOT_FOUND', `there is no archive at ${quote(path)}; check the spelling`, {
      details: { path },
      cause: error,
    });
  }
  return new SkillError(
    'SOURCE_UNREADABLE',
    `${quote(path)} cannot be opened (${errno}); check its permissions`,
    {
      details: { path, errno },
      cause: error,
    },
  );
}

/** The `code` of an error of the operating system. */
function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}

class OpenFile implements RandomAccess {
  readonly size: number;
  #fd: number | undefined;

  constructor(fd: number, size: number) {
    this.#fd = fd;
    this.size = size;
  }

  read(offset: number, length: number): Buffer {
    if (this.#fd === undefined)
      throw new SkillError('ARCHIVE_CLOSED', 'the archive is closed; open it again');
    if (offset + length > this.size) throw endsEarly(this.size);
    const buffer = Buffer.allocUnsafe(length);
    let had = 0;
    while (had < length) {
      const more = readPart(this.#fd, buffer, had, offset + had);
      if (more === 0) throw endsEarly(offset + had);
      had += more;
    }
    return buffer;
  }

  close(): void {
    if (this.#fd === undefined) return;
    const fd = this.#fd;
    this.#fd = undefined;
    closeSync(fd);
  }
}

function readPart(fd: number, buffer: Buffer, at: number, position: number): number {
  try {
    return readSync(fd, buffer, at, buffer.length - at, position);
  } catch (error) {
    const errno = errnoOf(error);
    throw new SkillError('SOURCE_UNREADABLE', `the archive cannot be read (${errno}); check the disk`, {
      details: { errno },
      cause: error,
    });
  }
}

function endsEarly(offset: number): SkillError {
  return corrupt('the file ends early', offset);
}
