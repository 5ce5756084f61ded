/**
 * The Huffman codes of bzip2.
 *
 * @module
 */
import { corrupt } from './archive-error.ts';
import type { BitReader } from './bit-reader.ts';

const MAX_LENGTH = 20;
/** Codes up to this length are looked up at once; text has few longer ones. */
const FAST_BITS = 10;

/** Decodes symbols by their canonical codes. */
export class HuffmanTable {
  /** By the next {@link FAST_BITS} bits: symbol and length of the code, 0 for none. */
  readonly #fast: Uint16Array = new Uint16Array(1 << FAST_BITS);
  /** The symbols in order of their codes. */
  readonly #symbols: Uint16Array;
  /** Per length: the first code of that length, how many there are, and where their symbols begin. */
  readonly #first: Int32Array = new Int32Array(MAX_LENGTH + 1);
  readonly #number: Int32Array = new Int32Array(MAX_LENGTH + 1);
  readonly #start: Int32Array = new Int32Array(MAX_LENGTH + 1);

  /** Errors: `ARCHIVE_CORRUPT` for lengths that no code can have together. */
  constructor(lengths: Uint8Array, offset: number) {
    this.#symbols = new Uint16Array(lengths.length);
    for (const length of lengths) this.#number[length] = (this.#number[length] ?? 0) + 1;
    let code = 0;
    let start = 0;
    for (let length = 1; length <= MAX_LENGTH; length += 1) {
      const number = this.#number[length] ?? 0;
      this.#first[length] = code;
      this.#start[length] = start;
      if (code + number > 1 << length)
        throw corrupt('a Huffman table of the bzip2 stream is not valid', offset);
      code = (code + number) << 1;
      start += number;
    }
    this.#assign(lengths);
  }

  #assign(lengths: Uint8Array): void {
    const next = Int32Array.from(this.#start);
    for (const [symbol, length] of lengths.entries()) {
      const place = next[length] ?? 0;
      next[length] = place + 1;
      this.#symbols[place] = symbol;
      if (length > FAST_BITS) continue;
      const code = (this.#first[length] ?? 0) + place - (this.#start[length] ?? 0);
      const from = code << (FAST_BITS - length);
      this.#fast.fill((symbol << 5) | length, from, from + (1 << (FAST_BITS - length)));
    }
  }

  /** The next symbol. Errors: `ARCHIVE_CORRUPT`. */
  decode(bits: BitReader): number {
    const found = this.#fast[bits.peek(FAST_BITS)] ?? 0;
    if (found !== 0) {
      bits.read(found & 31);
      return found >> 5;
    }
    let code = bits.read(FAST_BITS);
    for (let length = FAST_BITS + 1; length <= MAX_LENGTH; length += 1) {
      code = (code << 1) | bits.read(1);
      const place = code - (this.#first[length] ?? 0);
      if (place >= 0 && place < (this.#number[length] ?? 0)) {
        return this.#symbols[(this.#start[length] ?? 0) + place] ?? 0;
      }
    }
    throw corrupt('a code of the bzip2 stream stands for nothing', bits.offset);
  }
}
