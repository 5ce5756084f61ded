/**
 * One header block of a tar.
 *
 * @module
 */
import { corrupt, entryError } from './archive-error.ts';

/** Headers, bodies and padding of a tar come in blocks of this many bytes. */
export const BLOCK = 512;

/** The fields of a header that a reader of files needs. */
export interface TarHeader {
  /** The name as stored, prefix included: when a long name stands elsewhere, this one may end within a character. */
  readonly rawName: Buffer;
  readonly linkName: string;
  readonly mode: number;
  readonly size: number;
  /** One character; `0` also for the NUL of old tars. */
  readonly type: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the header in a block of 512 bytes; undefined for a block of zeros.
 *
 * Errors: `ARCHIVE_CORRUPT` for a wrong checksum or a field that is no number.
 */
export function readTarHeader(block: Buffer, offset: number): TarHeader | undefined {
  let unsigned = 8 * 0x20;
  let signed = unsigned;
  for (let at = 0; at < BLOCK; at += 1) {
    if (at >= 148 && at < 156) continue;
    const byte = block[at] ?? 0;
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  if (unsigned === 8 * 0x20 && block.every((byte) => byte === 0)) return undefined;
  const sum = readNumber(block, 148, 8, offset);
  if (sum !== unsigned && sum !== signed) throw corrupt('the checksum of a tar header is wrong', offset);
  const posix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = posix ? cut(block, 345, 155) : Buffer.alloc(0);
  const name = cut(block, 0, 100);
  return {
    rawName: prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name]),
    linkName: cut(block, 157, 100).toString('utf8'),
    mode: readNumber(block, 100, 8, offset),
    size: readNumber(block, 124, 12, offset),
    type: block[156] === 0 ? '0' : block.toString('latin1', 156, 157),
  };
}

/** The text of a name. Errors: `ARCHIVE_UNSAFE_NAME` when it is not UTF-8. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw entryError(
      'ARCHIVE_UNSAFE_NAME',
      Buffer.from(bytes).toString('latin1'),
      'has a name that is not UTF-8 (shown as Latin-1); rename it',
      { rule: 'utf-8' },
    );
  }
}

/** A field up to its first NUL. */
function cut(block: Buffer, start: number, length: number): Buffer {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
}

/** A number field: octal digits, or binary when the first bit is set. Blank is 0. */
function readNumber(block: Buffer, start: number, length: number, offset: number): number {
  const field = block.subarray(start, start + length);
  if (((field[0] ?? 0) & 0x80) !== 0) return readBinary(field, offset + start);
  const text = field.toString('latin1');
  const [, digits] = /^ *([0-7]*)[ \0]*$/.exec(text) ?? [];
  if (digits === undefined) throw corrupt('a field of a tar header is no number', offset + start);
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function readBinary(field: Buffer, offset: number): number {
  let value = (field[0] ?? 0) & 0x7f;
  for (const byte of field.subarray(1)) value = value * 256 + byte;
  // The bit below the mark is the sign.
  if (((field[0] ?? 0) & 0x40) !== 0 || !Number.isSafeInteger(value)) {
    throw corrupt('a number of a tar header is negative or too large', offset);
  }
  return value;
}
