/**
 * Bits of a byte sequence, the highest of each byte first.
 *
 * @module
 */
import { corrupt } from './archive-error.ts';

/** Reads up to 24 bits at a time. Errors: `ARCHIVE_CORRUPT` where the bytes end. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #next = 0;
  #buffer = 0;
  #count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The byte that the next bit stands in. */
  get offset(): number {
    return this.#next - (this.#count >> 3);
  }

  /** Whether less than a byte is left. */
  get ended(): boolean {
    return this.#next >= this.#bytes.length && this.#count < 8;
  }

  read(bits: number): number {
    while (this.#count < bits) {
      const byte = this.#bytes[this.#next];
      if (byte === undefined) throw corrupt('the bzip2 stream ends early', this.#bytes.length);
      this.#next += 1;
      this.#buffer = (this.#buffer << 8) | byte;
      this.#count += 8;
    }
    this.#count -= bits;
    return (this.#buffer >>> this.#count) & ((1 << bits) - 1);
  }

  /** The next bits without taking them; zeros stand for what lies behind the end. */
  peek(bits: number): number {
    while (this.#count < bits && this.#next < this.#bytes.length) {
      this.#buffer = (this.#buffer << 8) | (this.#bytes[this.#next] ?? 0);
      this.#next += 1;
      this.#count += 8;
    }
    const mask = (1 << bits) - 1;
    if (this.#count >= bits) return (this.#buffer >>> (this.#count - bits)) & mask;
    return (this.#buffer << (bits - this.#count)) & mask;
  }

  /** Drops the rest of the current byte. */
  align(): void {
    this.#count -= this.#count & 7;
  }
}
