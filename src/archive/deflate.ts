/**
 * Compression whose bytes are the same everywhere.
 *
 * @module
 */
import type { Pace } from '../pace.ts';

const CHUNK = 65_536;
// Table sizes, as powers of two over 4,096. They are set because the default is computed by a logarithm, which engines
// may round differently.
const TABLE = 6;
const SMALL_TABLE = 2;
/**
 * Its tables take a while to make, and only who packs needs them. The entry for browsers is the one that loads nothing else:
 * the other one looks for worker threads.
 */
let library: Promise<typeof import('fflate/browser')> | undefined;
/** Bytes of one stored block of deflate at most. */
const MAX_STORED = 65_535;

/**
 * Returns `parts`, one after the other, as one raw deflate stream (RFC 1951). It depends on the bytes and not on
 * the machine: zlib's output does depend on its version, its build and the processor, so it is not used here.
 */
export async function deflate(parts: readonly Uint8Array[], pace: Pace): Promise<Buffer> {
  library ??= import('fflate/browser');
  const { Deflate, deflateSync } = await library;
  const small = onlySmall(parts);
  if (small !== undefined) return Buffer.from(deflateSync(small, { level: 6, mem: SMALL_TABLE }));
  const packed: Uint8Array[] = [];
  const stream = new Deflate({ level: 6, mem: TABLE }, (chunk) => packed.push(chunk));
  for (const chunk of evenly(parts)) {
    stream.push(chunk);
    if (pace.due()) await pace.rest();
  }
  stream.push(new Uint8Array(0), true);
  return Buffer.concat(packed);
}

/** Returns `parts` as a deflate stream of stored blocks: for content that compressed would look like a bomb. */
export function storedDeflate(parts: readonly Uint8Array[]): Buffer {
  const all = Buffer.concat(parts);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < all.length; at += MAX_STORED) {
    const block = all.subarray(at, at + MAX_STORED);
    const head = Buffer.alloc(5);
    head.writeUInt8(at + MAX_STORED >= all.length ? 1 : 0, 0);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(block.length ^ 0xffff, 3);
    blocks.push(head, block);
  }
  return Buffer.concat(blocks);
}

/** The one part, when it is short enough for a small table. */
function onlySmall(parts: readonly Uint8Array[]): Uint8Array | undefined {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && only.length <= CHUNK ? only : undefined;
}

/** The same bytes in pieces of one size: the compressor's blocks follow its pieces. */
function* evenly(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  const held = Buffer.alloc(CHUNK);
  let filled = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = Math.min(CHUNK - filled, part.length - at);
      held.set(part.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < CHUNK) continue;
      yield held;
      filled = 0;
    }
  }
  if (filled > 0) yield held.subarray(0, filled);
}
