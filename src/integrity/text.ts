/**
 * Which bytes go out as `text` (design decision 3).
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { SkillError } from '../errors.ts';

/**
 * Whether the bytes are valid UTF-8, so that decoding and encoding again gives the same bytes: a BOM, CRLF, NUL and
 * decomposed letters are kept. Only such a file may be sent as `text`; any other is a `blob`.
 *
 * @example
 * isLosslessText(Buffer.from([0x61, 0x80])) // false
 */
export function isLosslessText(bytes: Uint8Array): boolean {
  return isUtf8(bytes);
}

/**
 * The text of the bytes, a BOM included, without copying them first.
 *
 * Errors: `NOT_UTF8`; nothing is ever replaced by U+FFFD.
 *
 * @example
 * const contents = file.text ? { text: textOf(bytes) } : { blob: bytes.toString('base64') }
 */
export function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new SkillError('NOT_UTF8', 'the bytes are not valid UTF-8; send them as a blob');
  // Buffer keeps a BOM, which TextDecoder drops by default.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
