/**
 * One text for all equivalent spellings of a URI.
 *
 * @module
 */
import type { SkillUriInput } from './parse.ts';
import { isPlainUri, type ReadUriOptions, readUri, requireLength } from './read-uri.ts';
import { encodeChecked } from './segment.ts';

/** The URI of the draft discovery index (seed `IndexURI`). */
export const INDEX_URI = 'skill://index.json';

/**
 * The canonical text of a URI in any equivalent spelling: the key by which a served file is looked up.
 *
 * A trailing slash is kept, since `a/` is not the URI of a file; no rule about `SKILL.md` is applied. Text that is
 * canonical already comes back as it is, without allocation.
 *
 * Errors: `URI_TOO_LONG`, `INVALID_SCHEME`, `URI_PART_REFUSED`, `EMPTY_SKILL_PATH`, `EMPTY_PATH_SEGMENT`,
 * `PATH_TRAVERSAL`, `INVALID_SEGMENT`.
 *
 * @example
 * canonicalUri('SKILL://demo/a%3ab.md') // 'skill://demo/a%3Ab.md'
 */
export function canonicalUri(text: string, options?: ReadUriOptions): string {
  if (isPlainUri(text)) return text;
  const { scheme, lead, segments, trailingSlash } = readUri(text, options?.anyScheme === true);
  const canonical = `${scheme}:${lead}${segments.map(encodeChecked).join('/')}${trailingSlash ? '/' : ''}`;
  requireLength(canonical);
  return canonical === text ? text : canonical;
}

/**
 * Whether this is `skill://index.json`: an exact match, as the reservation of that URI has it (seed `IsIndexURI`).
 * Never throws.
 *
 * @example
 * isIndexUri('skill://index.json') // true
 */
export function isIndexUri(uri: SkillUriInput): boolean {
  return (typeof uri === 'object' && uri !== null ? uri.raw : uri) === INDEX_URI;
}
