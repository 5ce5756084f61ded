/**
 * Unpacking gzip in one go.
 *
 * @module
 */
import { constants } from 'node:buffer';
import { crc32, type InputType, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { corrupt } from './archive-error.ts';
import { type ByteSink, headerLength } from './gunzip.ts';

const TRAILER = 8;
const CHUNK = 131_072;

// With `info` zlib returns the engine too, which its types do not say.
const inflateNow = inflateRawSync as unknown as (
  bytes: InputType,
  options: ZlibOptions,
) => { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };

/**
 * Unpacks a gzip of one member into `sink`, as `gunzip` does, without letting the event loop turn. All of the output
 * is held at once: `limit` bytes at most, beyond which `exceeded` makes the error.
 *
 * Errors: `ARCHIVE_CORRUPT`, that of `exceeded`, and what `sink` throws.
 */
export function gunzipSync(bytes: Uint8Array, limit: number, sink: ByteSink, exceeded: () => Error): void {
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = headerLength(packed);
  if (header === undefined) throw corrupt('the gzip stream ends early', packed.length);
  const { buffer, engine } = inflate(packed.subarray(header), header, limit, exceeded);
  for (let at = 0; at < buffer.length; at += CHUNK) sink(buffer.subarray(at, at + CHUNK));
  const trailer = packed.subarray(header + engine.bytesWritten);
  const at = header + engine.bytesWritten;
  if (trailer.length < TRAILER) throw corrupt('the gzip stream ends early', packed.length);
  if (trailer.readUInt32LE(0) !== crc32(buffer) || trailer.readUInt32LE(4) !== buffer.length % 2 ** 32) {
    throw corrupt('the checksum of the gzip stream is wrong', at);
  }
  if (trailer.length === TRAILER) return;
  const again = trailer[TRAILER] === 0x1f && (trailer[TRAILER + 1] ?? 0x8b) === 0x8b;
  throw corrupt(
    again ? 'a second gzip member follows the first' : 'bytes follow the gzip stream',
    at + TRAILER,
  );
}

function inflate(
  packed: Buffer,
  header: number,
  limit: number,
  exceeded: () => Error,
): ReturnType<typeof inflateNow> {
  try {
    return inflateNow(packed, {
      info: true,
      chunkSize: CHUNK,
      maxOutputLength: Math.min(limit, constants.MAX_LENGTH),
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw exceeded();
    const early = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
    if (early) throw corrupt('the gzip stream ends early', header + packed.length, cause);
    throw corrupt('the compressed data is not valid', header, cause);
  }
}
