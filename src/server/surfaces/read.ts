/**
 * The base protocol's surface: the contents of a file.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import type { SkillFile } from '../../catalog/snapshot.ts';
import type { SurfaceContext } from '../context.ts';
import { base64Bytes, jsonTextBytes } from '../json-size.ts';
import { type CacheHints, cacheHints, refuseLarge } from './listing.ts';

/** Result of `resources/read`. */
export interface ReadResourceResult extends CacheHints {
  readonly contents: readonly [
    { readonly uri: string; readonly mimeType: string } & (
      | { readonly text: string }
      | { readonly blob: string }
    ),
  ];
}

/**
 * Nothing, if a file of this size can be sent at all: asked before the file is read. Errors: `RESPONSE_TOO_LARGE`.
 *
 * @example
 * refuseLargeFile(file, context)
 */
export function refuseLargeFile(file: SkillFile, context: SurfaceContext): void {
  if (file.digest === undefined) return;
  refuseLarge(file.uri, file.text ? file.size : base64Bytes(file.size), context);
}

/**
 * The contents of a file: `text` when its bytes survive decoding, `blob` otherwise (decision 3). The URI is that of
 * the entry, in whatever spelling the request had it. Errors: `RESPONSE_TOO_LARGE`.
 *
 * @example
 * readResource(file, bytes, context).contents[0].uri
 */
export function readResource(file: SkillFile, bytes: Buffer, context: SurfaceContext): ReadResourceResult {
  const { uri, mimeType } = file;
  const text = file.digest === undefined ? isUtf8(bytes) : file.text;
  if (!text) {
    refuseLarge(uri, base64Bytes(bytes.length), context);
    return { contents: [{ uri, mimeType, blob: bytes.toString('base64') }], ...cacheHints(context) };
  }
  // JSON takes at most six bytes for one, so most texts need no counting.
  if (bytes.length > context.responseBytes / 8) refuseLarge(uri, jsonTextBytes(bytes), context);
  return { contents: [{ uri, mimeType, text: bytes.toString('utf8') }], ...cacheHints(context) };
}
