/**
 * Documents in gzip, compressed once.
 *
 * @module
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);
const made: WeakMap<Buffer, Promise<Buffer>> = new WeakMap();

/**
 * A document in gzip, made on another thread once for the same buffer, whoever asks.
 *
 * @example
 * response.end(await gzipDocument(bytes))
 */
export function gzipDocument(bytes: Buffer): Promise<Buffer> {
  let compressed = made.get(bytes);
  if (compressed === undefined) {
    compressed = compress(bytes);
    made.set(bytes, compressed);
    // What failed is tried again by the next who asks; whoever asked now is told.
    compressed.catch(() => made.delete(bytes));
  }
  return compressed;
}
