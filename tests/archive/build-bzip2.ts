/** A small bzip2 packer, so that streams can be built right and wrong without a program for it. */

class BitWriter {
  readonly #bytes: number[] = [];
  #byte = 0;
  #count = 0;

  write(value: number, bits: number): this {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.#byte = (this.#byte << 1) | (Math.floor(value / 2 ** bit) & 1);
      this.#count += 1;
      if (this.#count < 8) continue;
      this.#bytes.push(this.#byte);
      this.#byte = 0;
      this.#count = 0;
    }
    return this;
  }

  done(): Buffer {
    while (this.#count > 0) this.write(0, 1);
    return Buffer.from(this.#bytes);
  }
}

function crcOf(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x80000000) !== 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return ~crc >>> 0;
}

/** The first run-length step: four equal bytes are followed by how many more there are. */
function shorten(bytes: Uint8Array): number[] {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    let run = 1;
    while (run < 259 && bytes[at + run] === byte) run += 1;
    for (let each = 0; each < Math.min(run, 4); each += 1) out.push(byte);
    if (run >= 4) out.push(run - 4);
    at += run;
  }
  return out;
}

function transform(block: readonly number[]): { last: number[]; origin: number } {
  const { length } = block;
  const order = [...block.keys()].sort((a, b) => {
    for (let step = 0; step < length; step += 1) {
      const difference = (block[(a + step) % length] as number) - (block[(b + step) % length] as number);
      if (difference !== 0) return difference;
    }
    return a - b;
  });
  return {
    last: order.map((start) => block[(start + length - 1) % length] as number),
    origin: order.indexOf(0),
  };
}

/** Move-to-front and the second run-length step, as symbols; the last one ends the block. */
function symbolsOf(last: readonly number[], used: readonly number[]): number[] {
  const front = [...used];
  const out: number[] = [];
  let run = 0;
  const flush = (): void => {
    for (let left = run; left > 0; left = (left - 1) >> 1) out.push((left - 1) & 1);
    run = 0;
  };
  for (const byte of last) {
    const place = front.indexOf(byte);
    front.splice(place, 1);
    front.unshift(byte);
    if (place === 0) run += 1;
    else {
      flush();
      out.push(place + 1);
    }
  }
  flush();
  out.push(used.length + 1);
  return out;
}

/** What a block says instead of the truth. */
export interface Lies {
  readonly crc?: number;
  readonly origin?: number;
  readonly randomised?: boolean;
  readonly tables?: number;
  readonly symbols?: readonly number[];
  readonly combined?: number;
  readonly level?: string;
  readonly lengths?: readonly number[];
}

/** Bzip2 of one block, with one code length for all symbols. */
export function bzip2(bytes: Uint8Array, lies: Lies = {}): Buffer {
  const bits = new BitWriter();
  for (const char of `BZh${lies.level ?? '9'}`) bits.write(char.charCodeAt(0), 8);
  let combined = 0;
  if (bytes.length > 0) {
    const block = shorten(bytes);
    const { last, origin } = transform(block);
    const used = [...new Set(block)].sort((a, b) => a - b);
    const crc = lies.crc ?? crcOf(bytes);
    combined = crc;
    bits.write(0x314159, 24).write(0x265359, 24).write(crc, 32);
    bits.write(lies.randomised === true ? 1 : 0, 1).write(lies.origin ?? origin, 24);
    const rows = [...Array(16).keys()].map((row) => used.filter((byte) => byte >> 4 === row));
    for (const row of rows) bits.write(row.length > 0 ? 1 : 0, 1);
    for (const row of rows.filter((each) => each.length > 0)) {
      for (let column = 0; column < 16; column += 1)
        bits.write(row.some((byte) => (byte & 15) === column) ? 1 : 0, 1);
    }
    const symbols = lies.symbols ?? symbolsOf(last, used);
    const groups = Math.ceil(symbols.length / 50);
    bits.write(lies.tables ?? 2, 3).write(groups, 15);
    for (let group = 0; group < groups; group += 1) bits.write(0, 1);
    const lengths = lies.lengths ?? Array(used.length + 2).fill(Math.ceil(Math.log2(used.length + 2)));
    for (let table = 0; table < 2; table += 1) {
      let current = lengths[0] as number;
      bits.write(current, 5);
      for (const length of lengths) {
        for (; current < length; current += 1) bits.write(0b10, 2);
        for (; current > length; current -= 1) bits.write(0b11, 2);
        bits.write(0, 1);
      }
    }
    for (const symbol of symbols) bits.write(symbol, lengths[0] as number);
  }
  bits
    .write(0x177245, 24)
    .write(0x385090, 24)
    .write(lies.combined ?? combined, 32);
  return bits.done();
}
