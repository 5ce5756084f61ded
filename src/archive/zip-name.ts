/**
 * The names of zip entries.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import { decodeName } from './tar-header.ts';

/** The upper half of the code page that a zip without any mark uses. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

const UNICODE_PATH = 0x7075;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the name of an entry. In this order: the Unicode path field of Info-ZIP, when its checksum is that of the
 * name; UTF-8, when the entry says so; UTF-8, when the bytes are (many packers do not say so); code page 437.
 *
 * Errors: `ARCHIVE_UNSAFE_NAME` when the entry says UTF-8 and is not.
 */
export function zipName(raw: Buffer, saysUtf8: boolean, extra: ReadonlyMap<number, Buffer>): string {
  const field = extra.get(UNICODE_PATH);
  if (field !== undefined && field.length >= 6 && field[0] === 1 && field.readUInt32LE(1) === crc32(raw)) {
    return decodeName(field.subarray(5));
  }
  if (saysUtf8) return decodeName(raw);
  try {
    return utf8.decode(raw);
  } catch {
    let name = '';
    for (const byte of raw) name += byte < 0x80 ? String.fromCharCode(byte) : (CP437[byte - 0x80] ?? '');
    return name;
  }
}
