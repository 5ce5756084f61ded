/**
 * Bodies that were compressed on their way (RFC 9110, section 8.4).
 *
 * @module
 */
import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  inflate,
  inflateRaw,
} from 'node:zlib';

/** What is asked for: of the codings that are decoded, those that a server has at hand. */
export const ACCEPT_ENCODING: string = 'br, gzip, deflate';

/** A body that lacks its end is taken as far as it goes, as browsers and `fetch` do. */
const LENIENT = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const LENIENT_BROTLI = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** Each is a whole decoding of what the one before gave; no honest server applies more than two. */
const MOST_CODINGS = 5;

type Coding = 'gzip' | 'deflate' | 'br';

/**
 * The codings of a `content-encoding`, the last one applied first; none where there is one that nobody here knows: the
 * body is then what it is. Undefined for more than five, which only keep a client decoding; `fetch` has the same bound.
 *
 * @example
 * codingsOf('gzip') // ['gzip']
 */
export function codingsOf(header: string | null): readonly Coding[] | undefined {
  if (header === null) return [];
  const codings: Coding[] = [];
  const listed = header.toLowerCase().split(',');
  if (listed.length > MOST_CODINGS) return undefined;
  for (const each of listed.reverse()) {
    const name = each.trim();
    if (name === 'gzip' || name === 'x-gzip') codings.push('gzip');
    else if (name === 'deflate' || name === 'br') codings.push(name);
    else return [];
  }
  return codings;
}

/**
 * The decoded body. It is never longer than `maxBytes`; what would be rejects with the code `ERR_BUFFER_TOO_LARGE` of
 * `node:zlib`, what is broken with others of its codes.
 *
 * @example
 * await decodeWhole(bytes, ['gzip'], LIMITS.clientResponseBytes)
 */
export async function decodeWhole(
  bytes: Buffer,
  codings: readonly Coding[],
  maxBytes: number,
): Promise<Buffer> {
  // Node takes no number beyond the length of its buffers, and none of 0.
  const maxOutputLength = Math.max(1, Math.min(maxBytes, 0x7fff_ffff));
  let decoded = bytes;
  for (const coding of codings) {
    if (decoded.length === 0) return decoded;
    if (coding === 'gzip') decoded = await gunzipped(decoded, { ...LENIENT, maxOutputLength });
    else if (coding === 'br') decoded = await unbrotlied(decoded, { ...LENIENT_BROTLI, maxOutputLength });
    // Some servers leave out the head that the name promises.
    else decoded = await (isZlib(decoded) ? inflated : inflatedRaw)(decoded, { ...LENIENT, maxOutputLength });
  }
  return decoded;
}

/** As {@link decodeWhole}, of a body that is still coming and that nothing caps. */
export function decodeStream(
  body: ReadableStream<Uint8Array>,
  codings: readonly Coding[],
): ReadableStream<Uint8Array> {
  let decoded = body;
  for (const coding of codings) {
    const decoder =
      coding === 'gzip'
        ? createGunzip(LENIENT)
        : coding === 'br'
          ? createBrotliDecompress(LENIENT_BROTLI)
          : createInflate(LENIENT);
    decoded = decoded.pipeThrough(Duplex.toWeb(decoder));
  }
  return decoded;
}

const gunzipped = promisify(gunzip);
const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);
const unbrotlied = promisify(brotliDecompress);

function isZlib(bytes: Buffer): boolean {
  return ((bytes[0] ?? 0) & 0x0f) === 8;
}
