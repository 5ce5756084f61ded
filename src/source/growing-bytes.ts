/**
 * Bytes that are written one after the other, however many they become.
 *
 * @module
 */

/** Less of a piece is left empty than a number may need. */
const MOST_OF_A_NUMBER = 8;
/** Large enough to be given back to the system as soon as it is not needed; untouched it costs nothing. */
const PIECE_BYTES = 1_048_576;
const NOTHING = Buffer.alloc(0);

/**
 * Bytes that grow at their end, in pieces outside the heap. What is added to one by one and put together at the end stays
 * in the heap until then, as lists of numbers and texts several times as large, and the heap stays as large as that.
 */
export class GrowingBytes {
  readonly #full: Buffer[] = [];
  #piece: Buffer = NOTHING;
  #used = 0;
  #length = 0;

  /** Bytes in all. */
  get length(): number {
    return this.#length;
  }

  /** Adds a whole number below 2^32. */
  addUint32(value: number): void {
    this.#room(MOST_OF_A_NUMBER);
    this.#took(this.#piece.writeUInt32LE(value, this.#used));
  }

  /** Adds any number. */
  addDouble(value: number): void {
    this.#room(MOST_OF_A_NUMBER);
    this.#took(this.#piece.writeDoubleLE(value, this.#used));
  }

  /** Adds a whole number below 256. */
  addByte(value: number): void {
    this.#room(MOST_OF_A_NUMBER);
    this.#took(this.#piece.writeUInt8(value, this.#used));
  }

  addText(text: string, encoding: 'utf8' | 'latin1'): void {
    this.#room(Buffer.byteLength(text, encoding));
    this.#took(this.#used + this.#piece.write(text, this.#used, encoding));
  }

  /** All that was added, in order. */
  pieces(): Buffer[] {
    return [...this.#full, this.#piece.subarray(0, this.#used)];
  }

  #room(bytes: number): void {
    if (this.#piece.length - this.#used >= bytes) return;
    if (this.#used > 0) this.#full.push(this.#piece.subarray(0, this.#used));
    this.#piece = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, bytes));
    this.#used = 0;
  }

  #took(end: number): void {
    this.#length += end - this.#used;
    this.#used = end;
  }
}
