/**
 * Whether bytes are UTF-8, without making a string of them.
 *
 * @module
 */

/** The high bit of each of four bytes; set in none of them, all four are ASCII. */
const HIGH_BITS = 0x80808080 | 0;
const NO_WORDS = new Int32Array(0);

/**
 * Whether the bytes from `start` on are UTF-8 as `TextDecoder` takes it: no overlong form, no surrogate, nothing beyond
 * U+10FFFF, no character cut off at the end.
 *
 * A decoder would have to write the whole body down as UTF-16 to say so, and hardly anybody reads a body.
 *
 * @example
 * isUtf8(new Uint8Array([0xc3, 0xa9])) // true
 */
export function isUtf8(bytes: Uint8Array, start = 0): boolean {
  const end = bytes.length;
  // Four bytes at a time can only be read where their address is a multiple of four.
  const shift = -bytes.byteOffset & 3;
  const count = (end - shift) >> 2;
  const words = count > 0 ? new Int32Array(bytes.buffer, bytes.byteOffset + shift, count) : NO_WORDS;
  let at = start;
  while (at < end) {
    if (at >= shift && ((at - shift) & 3) === 0) at = skipAscii(words, (at - shift) >> 2) * 4 + shift;
    // A word that is not all ASCII, or the last bytes that are no whole word.
    const stop = Math.min(end, at + 4 - ((at - shift) & 3));
    while (at < stop) {
      if ((bytes[at] ?? 0) < 0x80) at++;
      else {
        const size = characterSize(bytes, at);
        if (size === 0) return false;
        at += size;
      }
    }
  }
  return true;
}

/** Index of the first word from `from` on that holds more than ASCII, or the number of words. */
function skipAscii(words: Int32Array, from: number): number {
  const { length } = words;
  let at = from;
  while (at + 3 < length) {
    const four = (words[at] ?? 0) | (words[at + 1] ?? 0) | (words[at + 2] ?? 0) | (words[at + 3] ?? 0);
    if ((four & HIGH_BITS) !== 0) break;
    at += 4;
  }
  while (at < length && ((words[at] ?? 0) & HIGH_BITS) === 0) at++;
  return at;
}

/** Bytes of the character beyond ASCII that begins at `at`; 0 when it is none. */
function characterSize(bytes: Uint8Array, at: number): 0 | 2 | 3 | 4 {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return isTail(second) ? 2 : 0;
  if (!isTail(bytes[at + 2] ?? 0)) return 0;
  if (lead < 0xf0) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high ? 3 : 0;
  }
  const low = lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high && isTail(bytes[at + 3] ?? 0) ? 4 : 0;
}

function isTail(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
