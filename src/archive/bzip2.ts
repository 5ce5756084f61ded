/**
 * Unpacking bzip2, block by block, into a sink that can stop it.
 *
 * @module
 */
import { startPace } from '../pace.ts';
import { corrupt } from './archive-error.ts';
import { BitReader } from './bit-reader.ts';
import { Bzip2Block } from './bzip2-block.ts';
import type { ByteSink } from './gunzip.ts';

const BLOCK = [0x314159, 0x265359] as const;
const END = [0x177245, 0x385090] as const;

/**
 * Unpacks bzip2 into `sink`, at most 64 KiB at a time; what the sink throws comes through. Several streams one after
 * the other are one (parallel packers write one stream a block); anything else after the end is an error. Lets the
 * event loop turn between blocks.
 *
 * Errors: `ARCHIVE_CORRUPT`; `ARCHIVE_UNSUPPORTED` for the randomised blocks of versions before 0.9.5.
 */
export async function bunzip2(bytes: Uint8Array, sink: ByteSink): Promise<void> {
  const pace = startPace();
  for (const _ of bunzip2Blocks(bytes, sink)) if (pace.due()) await pace.rest();
}

/** {@link bunzip2} in steps: each `next()` unpacks one block or ends one stream. */
export function* bunzip2Blocks(bytes: Uint8Array, sink: ByteSink): Generator<void> {
  const bits = new BitReader(bytes);
  // One for all streams: a hostile file can have a stream every 14 bytes, each of the largest block size.
  const block = new Bzip2Block();
  do {
    const capacity = readLevel(bits) * 100_000;
    let combined = 0;
    while (readMark(bits)) {
      const crc = block.decode(bits, capacity, sink);
      combined = ((combined << 1) | (combined >>> 31)) ^ crc;
      yield;
    }
    const offset = bits.offset;
    if (readCrc(bits) !== combined >>> 0) throw corrupt('the checksum of the bzip2 stream is wrong', offset);
    bits.align();
    yield;
  } while (!bits.ended);
}

/** Reads `BZh1` to `BZh9`. */
function readLevel(bits: BitReader): number {
  const offset = bits.offset;
  const magic = bits.read(24);
  if (magic !== 0x425a68) {
    throw corrupt(offset === 0 ? 'no bzip2 header' : 'bytes follow the bzip2 stream', offset);
  }
  const level = bits.read(8) - 0x30;
  if (level < 1 || level > 9) throw corrupt('the bzip2 header has no block size', offset);
  return level;
}

/** Whether a block follows; false at the end of a stream. */
function readMark(bits: BitReader): boolean {
  const offset = bits.offset;
  const [high, low] = [bits.read(24), bits.read(24)];
  if (high === BLOCK[0] && low === BLOCK[1]) return true;
  if (high === END[0] && low === END[1]) return false;
  throw corrupt('neither a block of bzip2 nor its end', offset);
}

/** A checksum of 32 bits, unsigned. */
export function readCrc(bits: BitReader): number {
  return ((bits.read(16) << 16) | bits.read(16)) >>> 0;
}
