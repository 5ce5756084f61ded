/**
 * One page of a list as a result: the cursor in, the cursor out, the freshness hints.
 *
 * @module
 */
import { SkillError } from '../../errors.ts';
import { quote } from '../../uri/quote.ts';
import { decodeCursor, encodeCursor, type ModernResult } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonBytes } from '../json-size.ts';
import { entriesPerPage, type Page, type PageOptions, pageOf } from '../page.ts';

/** Freshness hints of a result: both on modern results, none on legacy ones (requirements S42, S47). */
export type CacheHints = Pick<ModernResult, 'ttlMs' | 'cacheScope'>;

/** What stands around the items of a page: keys, cursor, `resultType`, `_meta`, the JSON-RPC envelope. */
const ENVELOPE_BYTES = 16_384;

/**
 * The freshness hints for this request.
 *
 * @example
 * cacheHints(context) // { ttlMs: 5000, cacheScope: 'private' } on a modern request, {} on a legacy one
 */
export function cacheHints(context: SurfaceContext): CacheHints {
  return context.era === 'modern' ? { ttlMs: context.ttlMs, cacheScope: context.cacheScope } : {};
}

/**
 * The context of a list that depends on what its client is shown: where that differs, no shared cache may keep it.
 *
 * @example
 * perClient(context).cacheScope // 'private' where clients are shown different things
 */
export function perClient(context: SurfaceContext): SurfaceContext {
  return context.exposed?.perClient === true ? { ...context, cacheScope: 'private' } : context;
}

/**
 * How a list of `total` things with a URI is cut under this context.
 *
 * @example
 * countPages(entries, pageOptions(entries.length, context))
 */
export function pageOptions<T extends { readonly uri: string } = { readonly uri: string }>(
  total: number,
  context: SurfaceContext,
  sizeOf: (item: T) => number = jsonBytes,
): Omit<PageOptions<T>, 'after'> {
  return {
    keyOf: keyOfUri,
    sizeOf,
    maxItems: entriesPerPage(total, context.pageSize),
    maxBytes: context.pageBytes,
    maxItemBytes: Math.max(0, context.responseBytes - ENVELOPE_BYTES),
  };
}

function keyOfUri(item: { readonly uri: string }): string {
  return item.uri;
}

/**
 * The page of `items` that a cursor of the list `list` asks for, and the cursor of the next one. `sizeOf` gives the JSON
 * bytes of what stands for an item in the result, by default of the item itself.
 *
 * Errors: `INVALID_CURSOR`.
 *
 * @example
 * const { items, nextCursor } = listingPage('skills', entries, params.cursor, context)
 */
export function listingPage<T extends { readonly uri: string }>(
  list: string,
  items: readonly T[],
  cursor: string | undefined,
  context: SurfaceContext,
  sizeOf: (item: T) => number = jsonBytes,
): { readonly items: readonly T[]; readonly nextCursor?: string } {
  const options = pageOptions(items.length, context, sizeOf);
  const page: Page<T> = pageOf(
    items,
    cursor === undefined ? options : { ...options, after: decodeCursor(list, cursor) },
  );
  return page.next === undefined
    ? { items: page.items }
    : { items: page.items, nextCursor: encodeCursor(list, page.next) };
}

/**
 * Nothing, if a response can carry something of so many bytes. Errors: `RESPONSE_TOO_LARGE`, `INTERNAL` when it has no
 * JSON form at all.
 *
 * @example
 * refuseLarge(entry.uri, jsonBytes(entry), context)
 */
export function refuseLarge(uri: string, bytes: number, context: SurfaceContext): void {
  const actual = bytes + ENVELOPE_BYTES;
  const limit = context.responseBytes;
  if (actual <= limit) return;
  if (bytes === Number.POSITIVE_INFINITY) throw new SkillError('INTERNAL');
  throw new SkillError(
    'RESPONSE_TOO_LARGE',
    `${quote(uri)} takes ${actual} bytes in a response; this transport carries ${limit}`,
    { details: { uri, limit, actual } },
  );
}
