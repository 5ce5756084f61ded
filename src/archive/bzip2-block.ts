/**
 * One block of bzip2.
 *
 * @module
 */
import { corrupt, unsupported } from './archive-error.ts';
import type { BitReader } from './bit-reader.ts';
import type { ByteSink } from './gunzip.ts';
import { HuffmanTable } from './huffman.ts';

const OUTPUT = 65_536;
const GROUP = 50;
const MAX_SELECTORS = 18_002;
const MAX_CODE_LENGTH = 20;

const CRC_TABLE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

/** Decodes blocks, one after the other, in memory that is taken once. */
export class Bzip2Block {
  #capacity = 0;
  /** Low byte: the byte at a place of the transformed block; the rest: where the next one stands. */
  #links: Uint32Array = new Uint32Array(0);
  readonly #counts: Uint32Array = new Uint32Array(256);

  /**
   * Decodes the block whose mark was just read, of up to `capacity` bytes before its last run-length step, and returns
   * its checksum, which holds.
   *
   * Errors: `ARCHIVE_CORRUPT`, `ARCHIVE_UNSUPPORTED`, and what `sink` throws.
   */
  decode(bits: BitReader, capacity: number, sink: ByteSink): number {
    this.#capacity = capacity;
    if (this.#links.length < capacity) this.#links = new Uint32Array(capacity);
    const offset = bits.offset;
    const expected = (bits.read(16) << 16) | bits.read(16);
    if (bits.read(1) === 1) throw unsupported('has a randomised bzip2 block');
    const origin = bits.read(24);
    const length = this.#readSymbols(bits, offset);
    if (origin >= length) throw corrupt('a bzip2 block begins outside itself', offset);
    this.#link(length);
    const crc = this.#output(origin, length, sink);
    if (crc !== expected) throw corrupt('the checksum of a bzip2 block is wrong', offset);
    return crc;
  }

  /** Undoes Huffman, move-to-front and the first run-length step into the low bytes of the links. */
  #readSymbols(bits: BitReader, offset: number): number {
    const front = readAlphabet(bits, offset);
    const { tables, selectors } = readTables(bits, front.length + 2, offset);
    const links = this.#links;
    const counts = this.#counts.fill(0);
    const end = front.length + 1;
    let length = 0;
    let run = 0;
    let weight = 1;
    let left = 0;
    let group = 0;
    let table: HuffmanTable | undefined;
    for (;;) {
      if (left === 0) {
        table = tables[selectors[group] ?? -1];
        group += 1;
        left = GROUP;
      }
      if (table === undefined) throw corrupt('a bzip2 block has more codes than it says', offset);
      left -= 1;
      const symbol = table.decode(bits);
      if (symbol <= 1) {
        run += weight << symbol;
        weight <<= 1;
        if (length + run > this.#capacity) throw tooLong(offset);
        continue;
      }
      if (run > 0) {
        const byte = front[0] ?? 0;
        links.fill(byte, length, length + run);
        counts[byte] = (counts[byte] ?? 0) + run;
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) return length;
      if (length >= this.#capacity) throw tooLong(offset);
      const byte = moveToFront(front, symbol - 1);
      links[length] = byte;
      counts[byte] = (counts[byte] ?? 0) + 1;
      length += 1;
    }
  }

  /** Undoes the Burrows-Wheeler transform: links every place to the one whose byte comes next. */
  #link(length: number): void {
    const links = this.#links;
    const next = this.#counts;
    let sum = 0;
    for (let byte = 0; byte < 256; byte += 1) {
      const count = next[byte] ?? 0;
      next[byte] = sum;
      sum += count;
    }
    for (let place = 0; place < length; place += 1) {
      const byte = (links[place] ?? 0) & 0xff;
      const at = next[byte] ?? 0;
      next[byte] = at + 1;
      links[at] = (links[at] ?? 0) | (place << 8);
    }
  }

  /** Follows the links, undoes the last run-length step and returns the checksum of what came out. */
  #output(origin: number, length: number, sink: ByteSink): number {
    const links = this.#links;
    let out = Buffer.allocUnsafe(OUTPUT);
    let filled = 0;
    let crc = -1;
    let place = (links[origin] ?? 0) >>> 8;
    let previous = -1;
    let equal = 0;
    for (let left = length; left > 0; left -= 1) {
      const link = links[place] ?? 0;
      const byte = link & 0xff;
      place = link >>> 8;
      let copies = 1;
      let value = byte;
      if (equal === 4) {
        copies = byte;
        value = previous;
        equal = 0;
        previous = -1;
      } else if (byte === previous) {
        equal += 1;
      } else {
        equal = 1;
        previous = byte;
      }
      while (copies > 0) {
        if (filled === OUTPUT) {
          sink(out);
          out = Buffer.allocUnsafe(OUTPUT);
          filled = 0;
        }
        out[filled] = value;
        filled += 1;
        crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ value] ?? 0);
        copies -= 1;
      }
    }
    if (filled > 0) sink(out.subarray(0, filled));
    return ~crc;
  }
}

function tooLong(offset: number): Error {
  return corrupt('a bzip2 block is longer than its header allows', offset);
}

/** The bytes that occur in the block, as the start of the move-to-front list. */
function readAlphabet(bits: BitReader, offset: number): Uint8Array {
  const rows = bits.read(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row += 1) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const columns = bits.read(16);
    for (let column = 0; column < 16; column += 1) {
      if ((columns & (0x8000 >> column)) !== 0) used.push(row * 16 + column);
    }
  }
  if (used.length === 0) throw corrupt('a bzip2 block uses no byte', offset);
  return Uint8Array.from(used);
}

/** The code tables of a block, and which of them each group of 50 codes uses. */
function readTables(
  bits: BitReader,
  symbols: number,
  offset: number,
): { readonly tables: readonly HuffmanTable[]; readonly selectors: Uint8Array } {
  const number = bits.read(3);
  if (number < 2 || number > 6) throw corrupt('a bzip2 block has too few or too many code tables', offset);
  const selectorCount = bits.read(15);
  if (selectorCount === 0) throw corrupt('a bzip2 block selects no code table', offset);
  // Some packers write more than can be used; the reference decoder skips them.
  const selectors = new Uint8Array(Math.min(selectorCount, MAX_SELECTORS));
  const front = Uint8Array.from({ length: number }, (_, index) => index);
  for (let index = 0; index < selectorCount; index += 1) {
    let place = 0;
    while (bits.read(1) === 1) {
      place += 1;
      if (place >= number) throw corrupt('a bzip2 block selects a code table that is not there', offset);
    }
    const selected = moveToFront(front, place);
    if (index < MAX_SELECTORS) selectors[index] = selected;
  }
  const tables: HuffmanTable[] = [];
  while (tables.length < number) tables.push(new HuffmanTable(readLengths(bits, symbols, offset), offset));
  return { tables, selectors };
}

function readLengths(bits: BitReader, symbols: number, offset: number): Uint8Array {
  const lengths = new Uint8Array(symbols);
  let length = bits.read(5);
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    for (;;) {
      if (length < 1 || length > MAX_CODE_LENGTH) {
        throw corrupt('a code of a bzip2 block has an impossible length', offset);
      }
      if (bits.read(1) === 0) break;
      length += bits.read(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return lengths;
}

/** Takes the value at `place` to the front of the list and returns it. */
function moveToFront(list: Uint8Array, place: number): number {
  const value = list[place] ?? 0;
  for (let index = place; index > 0; index -= 1) list[index] = list[index - 1] ?? 0;
  list[0] = value;
  return value;
}
