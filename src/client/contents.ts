/**
 * The result of `resources/read`, judged before anything of it is decoded (threats T4f, T6a).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { isRecord, type JsonRecord } from './json-record.ts';

/** One resource as it came, still text or base64. */
export interface Contents {
  /** The URI in the answer. */
  readonly uri: string;
  readonly mimeType?: string;
  /** Length of the bytes. */
  readonly size: number;
  /** How long the server calls it fresh, ms. */
  readonly ttlMs?: number;
  readonly data: { readonly text: string } | { readonly blob: string };
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The one resource of a result. Its size is known from the length of the text or the base64, so that what is too large
 * is refused before it is decoded.
 *
 * Several contents, or one with both text and base64, are refused: what is checked has to be what is used.
 *
 * Errors: `INVALID_RESULT`, `RESOURCE_TOO_LARGE`.
 *
 * @example
 * const { size, data } = contentsOf(result, uri, maxBytes)
 */
export function contentsOf(result: JsonRecord, asked: string, maxBytes: number): Contents {
  const invalid = (why: string): SkillError =>
    new SkillError('INVALID_RESULT', `resources/read of ${quote(asked)}: ${why}`, {
      details: { uri: asked },
    });
  const { contents } = result;
  if (!Array.isArray(contents) || contents.length === 0) throw invalid('the answer has no contents');
  if (contents.length > 1) throw invalid(`the answer has ${contents.length} contents, and one is asked for`);
  const item: unknown = contents[0];
  if (!isRecord(item)) throw invalid('the contents are no object');
  const { uri, mimeType, text, blob } = item;
  if (typeof uri !== 'string') throw invalid('the contents have no uri');
  // A server without optional fields of its own may send an empty one beside the other (seed 000).
  const isText = typeof text === 'string' && (blob === undefined || blob === null || blob === '');
  const isBlob = typeof blob === 'string' && (text === undefined || text === null || text === '');
  if (!isText && !isBlob) {
    throw invalid(
      typeof text === 'string' && typeof blob === 'string'
        ? 'the contents have both text and blob, and only one can be the file'
        : 'the contents have neither text nor blob',
    );
  }
  const { ttlMs } = result;
  const head = {
    uri,
    ...(typeof mimeType === 'string' ? { mimeType } : {}),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 ? { ttlMs } : {}),
  };
  if (isText) {
    if (text.length > maxBytes) throw tooLarge(asked, text.length, maxBytes);
    const size = Buffer.byteLength(text, 'utf8');
    if (size > maxBytes) throw tooLarge(asked, size, maxBytes);
    if (LONE_SURROGATE.test(text)) throw invalid('the text holds half a surrogate pair, which has no bytes');
    return { ...head, size, data: { text } };
  }
  const base64 = blob as string;
  const least = Math.floor((base64.length * 3) / 4) - 2;
  if (least > maxBytes && !/[\r\n]/.test(base64)) throw tooLarge(asked, sizeOf(base64), maxBytes);
  const plain = base64.replace(/[\r\n]+/g, '');
  if (plain.length % 4 !== 0 || !BASE64.test(plain)) throw invalid('the blob is no base64');
  const size = sizeOf(plain);
  if (size > maxBytes) throw tooLarge(asked, size, maxBytes);
  return { ...head, size, data: { blob: plain } };
}

/**
 * The bytes, a new copy at each call: a caller that changes its own changes nobody else's.
 *
 * @example
 * const bytes = bytesOf(contents)
 */
export function bytesOf({ data, size }: Contents): Uint8Array {
  // Small buffers would else be views of one that others use too.
  const bytes = Buffer.allocUnsafeSlow(size);
  if ('text' in data) bytes.write(data.text, 'utf8');
  else bytes.write(data.blob, 'base64');
  return bytes;
}

function sizeOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(base64.length / 4) * 3 - padding;
}

function tooLarge(uri: string, actual: number, limit: number): SkillError {
  return new SkillError(
    'RESOURCE_TOO_LARGE',
    `${quote(uri)} has ${actual} bytes, more than the limit of ${limit}; raise maxResourceBytes if you trust the server`,
    { details: { uri, limit, actual } },
  );
}
