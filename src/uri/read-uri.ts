/**
 * A URI taken apart: what every other file of this room stands on.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from './quote.ts';
import { decodeSegment } from './segment.ts';

/** The scheme of skills (seed `Scheme`). */
export const SCHEME = 'skill';

/** A URI as scheme, lead and decoded segments. */
export interface UriPieces {
  /** Lower-case. */
  readonly scheme: string;
  /** What stands between the scheme's colon and the first segment: `//` for skills; `///`, `/` or nothing elsewhere. */
  readonly lead: string;
  readonly segments: readonly string[];
  readonly trailingSlash: boolean;
}

/** Options of the functions that read a URI. */
export interface ReadUriOptions {
  /** Also read other schemes, as servers may use (requirement S16). @default false */
  readonly anyScheme?: boolean;
}

const SCHEME_AND_COLON = /^([A-Za-z][A-Za-z0-9+.-]*):/;
/** A canonical segment whose escapes, if any, are of printable ASCII; others have to be decoded to be judged. */
const PLAIN_SEGMENT: string = String.raw`(?!\.{0,2}(?:/|$))[\w.~-]*(?:%(?:2[0-9ABC]|3[A-F]|40|5[BDE]|60|7[BCD])[\w.~-]*)*`;
const PLAIN: RegExp = new RegExp(`^skill://${PLAIN_SEGMENT}(?:/${PLAIN_SEGMENT})*/?$`);
const RAW_CONTROL = /[\u0000-\u001f\u007f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const LEAD = /^\/{0,3}/;

function notUri(uri: string, why: string): SkillError {
  return new SkillError('INVALID_SCHEME', `${quote(uri)} is not a skill URI: ${why}`, { details: { uri } });
}

function partRefused(uri: string, part: string, hint: string): SkillError {
  return new SkillError(
    'URI_PART_REFUSED',
    `${quote(uri)} has a ${part}, which skill URIs do not have; ${hint}`,
    {
      details: { uri, part },
    },
  );
}

/** Whether `uri` is canonical at first sight; false says nothing. */
export function isPlainUri(uri: string): boolean {
  return typeof uri === 'string' && uri.length <= LIMITS.uriBytes && PLAIN.test(uri);
}

/** Throws `URI_TOO_LONG` for more than 8 KiB of UTF-8. */
export function requireLength(uri: string): void {
  if (uri.length * 3 <= LIMITS.uriBytes) return;
  const actual = Buffer.byteLength(uri, 'utf8');
  if (actual <= LIMITS.uriBytes) return;
  throw new SkillError(
    'URI_TOO_LONG',
    `a URI of ${actual} bytes exceeds the limit of ${LIMITS.uriBytes} bytes; it begins with ${quote(uri.slice(0, 60))}`,
    { details: { limit: LIMITS.uriBytes, actual } },
  );
}

function requireNoAuthorityParts(uri: string, authority: string): void {
  if (authority.includes('@')) {
    throw partRefused(uri, 'user', 'write "@" in a name as "%40"');
  }
  if (authority.includes(':')) {
    if (authority.startsWith('[') && !authority.includes(']')) throw notUri(uri, 'its "[" is never closed');
    throw partRefused(uri, 'port', 'write ":" in a first name as "%3A"');
  }
}

/**
 * A URI as scheme, lead and segments, each segment decoded exactly once and judged (design decision 4).
 *
 * `skill:/a`, `skill://a` and `skill:///a` are one URI, as in seed 000; in other schemes they are three.
 *
 * Errors: `URI_TOO_LONG`, `INVALID_SCHEME` (another scheme, or no URI at all), `URI_PART_REFUSED`, `EMPTY_SKILL_PATH`,
 * `EMPTY_PATH_SEGMENT`, `PATH_TRAVERSAL`, `INVALID_SEGMENT`.
 */
export function readUri(uri: string, anyScheme: boolean): UriPieces {
  if (typeof uri !== 'string') {
    throw new SkillError(
      'INVALID_SCHEME',
      `a URI is a string; this is ${uri === null ? 'null' : typeof uri}`,
    );
  }
  if (isPlainUri(uri)) {
    const trailingSlash = uri.endsWith('/');
    const raw = uri.slice(8, trailingSlash ? -1 : undefined).split('/');
    const segments = uri.includes('%') ? raw.map((segment) => decodeURIComponent(segment)) : raw;
    return { scheme: SCHEME, lead: '//', segments, trailingSlash };
  }
  requireLength(uri);
  const match = SCHEME_AND_COLON.exec(uri);
  if (match === null) throw notUri(uri, 'it does not begin with "skill://"');
  const scheme = (match[1] ?? '').toLowerCase();
  if (scheme !== SCHEME && !anyScheme) {
    throw notUri(uri, `its scheme is ${quote(scheme)}; skills have "skill"`);
  }
  const rest = uri.slice(match[0].length);
  if (RAW_CONTROL.test(rest)) throw notUri(uri, 'it holds a control character');
  if (LONE_SURROGATE.test(rest)) throw notUri(uri, 'it holds half a surrogate pair');
  if (rest.includes('#')) throw partRefused(uri, 'fragment', 'write "#" in a name as "%23"');
  if (rest.includes('?')) throw partRefused(uri, 'query', 'write "?" in a name as "%3F"');

  const slashes = LEAD.exec(rest)?.[0] ?? '';
  const body = rest.slice(slashes.length);
  if (slashes === '//') requireNoAuthorityParts(uri, body.split('/', 1)[0] ?? '');
  if (body === '' || (slashes === '' && scheme === SCHEME)) {
    throw new SkillError('EMPTY_SKILL_PATH', `${quote(uri)} names no skill; write skill://<skill>/SKILL.md`, {
      details: { uri },
    });
  }
  const raw = body.split('/');
  const trailingSlash = raw.length > 1 && raw[raw.length - 1] === '';
  if (trailingSlash) raw.pop();
  const segments = raw.map((segment) => decodeSegment(segment, uri));
  return { scheme, lead: scheme === SCHEME ? '//' : slashes, segments, trailingSlash };
}
