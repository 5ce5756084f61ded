/**
 * The end of a zip, which says where its directory is.
 *
 * @module
 */
import { corrupt, unsupported } from './archive-error.ts';
import type { RandomAccess } from './random-access.ts';

/** Where the directory of a zip stands, and how many entries it says it has. */
export interface ZipEnd {
  readonly offset: number;
  readonly size: number;
  readonly entries: number;
}

const END = 0x06054b50;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const LOCATOR = 0x07064b50;
const LOCATOR_LENGTH = 20;
const END64 = 0x06064b50;
const END64_LENGTH = 56;

/**
 * Returns where the directory stands. It has to lie directly before the end record, and there has to be exactly one
 * end that fits: with two, or with bytes around the zip, readers disagree about which entries it has.
 *
 * Errors: `ARCHIVE_CORRUPT`; `ARCHIVE_UNSUPPORTED` for a zip in several parts.
 */
export function readZipEnd(access: RandomAccess): ZipEnd {
  const length = Math.min(access.size, END_LENGTH + MAX_COMMENT);
  const start = access.size - length;
  const tail = access.read(start, length);
  const at = findEnd(tail);
  if (at === undefined)
    throw corrupt(
      'the zip does not end in an end record: no zip, cut short, or with bytes behind it',
      access.size,
    );
  const position = start + at;
  const end = {
    entries: tail.readUInt16LE(at + 10),
    size: tail.readUInt32LE(at + 12),
    offset: tail.readUInt32LE(at + 16),
  };
  const disks = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)] as const;
  const here = tail.readUInt16LE(at + 8);
  const large = readEnd64(access, position);
  if (large !== undefined) checkSame(end, large.end, position);
  else if (disks[0] !== 0 || disks[1] !== 0 || here !== end.entries)
    throw unsupported('is a zip in several parts');
  const found = large?.end ?? end;
  const before = large?.position ?? position;
  if (found.offset + found.size !== before) {
    throw corrupt(
      `the directory of the zip does not end where the end record begins (${found.offset} + ${found.size})`,
      before,
    );
  }
  return found;
}

function findEnd(tail: Buffer): number | undefined {
  let found: number | undefined;
  for (let at = tail.length - END_LENGTH; at >= 0; at -= 1) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== END) continue;
    if (at + END_LENGTH + tail.readUInt16LE(at + 20) !== tail.length) continue;
    if (found !== undefined) throw corrupt('the zip has two end records', undefined);
    found = at;
  }
  return found;
}

/** The plain end of a zip64 says the same, as far as its fields can hold it. */
function checkSame(plain: ZipEnd, large: ZipEnd, offset: number): void {
  const agree =
    (plain.entries === 0xffff || plain.entries === large.entries) &&
    (plain.size === 0xffffffff || plain.size === large.size) &&
    (plain.offset === 0xffffffff || plain.offset === large.offset);
  if (!agree) throw corrupt('the two end records of a zip64 differ', offset);
}

/** The zip64 end that stands before the plain one; undefined when there is none. */
function readEnd64(
  access: RandomAccess,
  position: number,
): { readonly end: ZipEnd; readonly position: number } | undefined {
  if (position < LOCATOR_LENGTH) return undefined;
  const locator = access.read(position - LOCATOR_LENGTH, LOCATOR_LENGTH);
  if (locator.readUInt32LE(0) !== LOCATOR) return undefined;
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1)
    throw unsupported('is a zip in several parts');
  const at = readUInt64(locator, 8, position - LOCATOR_LENGTH + 8);
  const record = access.read(at, END64_LENGTH);
  if (record.readUInt32LE(0) !== END64) throw corrupt('no zip64 end record where the zip says it is', at);
  const length = readUInt64(record, 4, at + 4);
  if (at + 12 + length !== position - LOCATOR_LENGTH) throw corrupt('bytes follow the zip64 end record', at);
  if (record.readUInt32LE(16) !== 0 || record.readUInt32LE(20) !== 0)
    throw unsupported('is a zip in several parts');
  return {
    position: at,
    end: {
      entries: readUInt64(record, 32, at + 32),
      size: readUInt64(record, 40, at + 40),
      offset: readUInt64(record, 48, at + 48),
    },
  };
}

/** A number of 64 bits. Errors: `ARCHIVE_CORRUPT` when it is beyond what any file has. */
export function readUInt64(buffer: Buffer, at: number, offset: number): number {
  const value = buffer.readUInt32LE(at) + buffer.readUInt32LE(at + 4) * 2 ** 32;
  if (!Number.isSafeInteger(value)) throw corrupt('a number of the zip is beyond any file', offset);
  return value;
}
