/**
 * Skill URIs as text (seed `URIParts.String`, `ManifestURI`, `SkillRootURI`).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import {
  MANIFEST_FILENAME,
  type ParsedSkillUri,
  type ParseUriOptions,
  type SkillUriInput,
  toParsed,
} from './parse.ts';
import { quote } from './quote.ts';
import { requireLength, SCHEME } from './read-uri.ts';
import { encodeSegment } from './segment.ts';

const FOREIGN_SCHEME = /^[a-z][a-z0-9+.-]*$/;
const LEAD = /^[^:]*:(\/{0,3})/;

/** Scheme, colon and slashes before the first segment. A foreign scheme keeps the slashes it was read with. */
export function prefixOf(uri: ParsedSkillUri): string {
  if (uri.scheme === SCHEME) return 'skill://';
  return `${uri.scheme}:${LEAD.exec(uri.raw)?.[1] ?? '//'}`;
}

/** Prefix and names as canonical text. */
export function joinUri(prefix: string, segments: readonly string[]): string {
  let text = prefix;
  for (let index = 0; index < segments.length; index++) {
    const encoded = encodeSegment(segments[index] ?? '');
    text += index === 0 ? encoded : `/${encoded}`;
  }
  requireLength(text);
  return text;
}

/**
 * The canonical URI of `segments`: every byte outside `A-Za-z0-9-._~` as upper-case `%XX` (design decision 4).
 *
 * Errors: `EMPTY_SKILL_PATH` (no segments), `INVALID_SCHEME` (of `scheme`), `EMPTY_PATH_SEGMENT`, `PATH_TRAVERSAL`, `INVALID_SEGMENT`, `URI_TOO_LONG`.
 *
 * @example
 * uriFromSegments(['demo', 'how to.md']) // 'skill://demo/how%20to.md'
 */
export function uriFromSegments(segments: readonly string[], scheme: string = SCHEME): string {
  if (segments.length === 0) throw new SkillError('EMPTY_SKILL_PATH');
  if (scheme !== SCHEME && !FOREIGN_SCHEME.test(scheme)) {
    throw new SkillError('INVALID_SCHEME', `${quote(scheme)} is no scheme in lower case`);
  }
  return joinUri(`${scheme}://`, segments);
}

/**
 * The canonical text of a parsed URI: no trailing slash, except that of a skill's root whose boundary was set by
 * {@link splitSkillUri}, as in seed 000.
 *
 * Errors: as {@link parseSkillUri} for text, as {@link uriFromSegments} for a value made by hand.
 *
 * @example
 * formatSkillUri(parseSkillUri('SKILL://demo/how to.md')) // 'skill://demo/how%20to.md'
 */
export function formatSkillUri(uri: SkillUriInput, options?: ParseUriOptions): string {
  const parsed = toParsed(uri, options);
  if (parsed.segments.length === 0) throw new SkillError('EMPTY_SKILL_PATH');
  const text = joinUri(prefixOf(parsed), parsed.segments);
  return parsed.skillPath.length > 0 && parsed.filePath.length === 0 ? `${text}/` : text;
}

/**
 * The URI of the skill's `SKILL.md`, or the empty string while the boundary is unknown (seed `ManifestURI`).
 *
 * Errors: as {@link formatSkillUri}.
 *
 * @example
 * manifestUri(splitSkillUri('skill://demo/references/a.md', 1)) // 'skill://demo/SKILL.md'
 */
export function manifestUri(uri: SkillUriInput, options?: ParseUriOptions): string {
  const parsed = toParsed(uri, options);
  if (parsed.skillPath.length === 0) return '';
  return joinUri(prefixOf(parsed), [...parsed.skillPath, MANIFEST_FILENAME]);
}

/**
 * The URI of the skill's folder **with a trailing slash**, or the empty string while the boundary is unknown (seed
 * `SkillRootURI`). A directory resource has no trailing slash: make its URI with {@link uriFromSegments}.
 *
 * Errors: as {@link formatSkillUri}.
 *
 * @example
 * skillRootUri('skill://demo/SKILL.md') // 'skill://demo/'
 */
export function skillRootUri(uri: SkillUriInput, options?: ParseUriOptions): string {
  const parsed = toParsed(uri, options);
  if (parsed.skillPath.length === 0) return '';
  return `${joinUri(prefixOf(parsed), parsed.skillPath)}/`;
}
