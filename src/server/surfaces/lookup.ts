/**
 * Finding what a request names, and saying why it cannot be found.
 *
 * @module
 */
import type { Skill, SkillFile, Snapshot } from '../../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { canonicalUri, parseSkillUri } from '../../uri/index.ts';
import { quote } from '../../uri/quote.ts';

/**
 * Nothing, if a URI is short enough to be looked at. Errors: `URI_TOO_LONG`.
 *
 * @example
 * refuseLongUri(params.uri)
 */
export function refuseLongUri(uri: string): void {
  // A UTF-16 unit takes one to three bytes of UTF-8, so most URIs need no counting.
  if (uri.length * 3 <= LIMITS.uriBytes) return;
  const actual = Buffer.byteLength(uri);
  if (actual <= LIMITS.uriBytes) return;
  throw new SkillError('URI_TOO_LONG', `the URI has ${actual} bytes; at most ${LIMITS.uriBytes} are read`, {
    details: { limit: LIMITS.uriBytes, actual },
  });
}

/**
 * The skill whose `SKILL.md` a URI names, listed or not (requirements S43, S46).
 *
 * Errors: `URI_TOO_LONG`, those of `parseSkillUri`, `RESOURCE_NOT_FOUND`.
 *
 * @example
 * findSkill(snapshot, 'skill://pdf/SKILL.md').name // 'pdf'
 */
export function findSkill(snapshot: Snapshot, uri: string): Skill {
  refuseLongUri(uri);
  const skill = snapshot.skill(uri);
  if (skill !== undefined) return skill;
  requireWellFormed(uri);
  throw notFound(uri, `no skill is served at ${quote(uri)}; skills/get takes the URI of a SKILL.md`);
}

/**
 * The file that a URI names (requirement S53).
 *
 * Errors: `URI_TOO_LONG`, those of `parseSkillUri`, `RESOURCE_NOT_FOUND`. What is missing, a directory, a link that leads
 * out, a path that would: all say the same, so that nobody learns what stands where nothing is served.
 *
 * @example
 * findFile(snapshot, 'skill://pdf/scripts/x.py').size
 */
export function findFile(snapshot: Snapshot, uri: string): SkillFile {
  refuseLongUri(uri);
  const located = snapshot.locate(uri);
  if (located?.kind === 'file') return located.file;
  if (located === undefined) refusePath(uri);
  throw notFound(uri, noSuchResource(uri));
}

/** The codes of a path that could lead elsewhere if it were followed. */
const ASTRAY: ReadonlySet<string> = new Set(['EMPTY_PATH_SEGMENT', 'PATH_TRAVERSAL', 'INVALID_SEGMENT']);

/** As {@link requireWellFormed}, and of a path that would lead elsewhere the code alone tells it from one that leads nowhere. */
function refusePath(uri: string): void {
  try {
    requireWellFormed(uri);
  } catch (error) {
    if (!isSkillError(error) || !ASTRAY.has(error.code)) throw error;
    throw new SkillError(error.code, noSuchResource(uri), {
      details: { ...error.details, uri },
      cause: error,
    });
  }
}

/**
 * What a read says of a URI where nothing is served.
 *
 * @example
 * noSuchResource('skill://pdf/x.md') // 'no such resource: "skill://pdf/x.md"'
 */
export function noSuchResource(uri: string): string {
  return `no such resource: ${quote(uri)}`;
}

/**
 * The directory that a URI names: its skill, its path below the skill, its canonical URI. One trailing slash is accepted.
 *
 * Errors: `URI_TOO_LONG`, those of `parseSkillUri`, `NOT_A_DIRECTORY`, `RESOURCE_NOT_FOUND` (also for the levels above
 * a skill, which are no directories). All are `-32602` (requirement S51).
 *
 * @example
 * findDirectory(snapshot, 'skill://pdf/references/').path // 'references'
 */
export function findDirectory(
  snapshot: Snapshot,
  uri: string,
): { readonly skill: Skill; readonly path: string; readonly uri: string } {
  refuseLongUri(uri);
  const text = uri.endsWith('/') ? uri.slice(0, -1) : uri;
  const located = snapshot.locate(text);
  if (located?.kind === 'directory') {
    return { skill: located.skill, path: located.path, uri: canonicalUri(text) };
  }
  if (located !== undefined) {
    throw new SkillError(
      'NOT_A_DIRECTORY',
      `${quote(uri)} is a file, not a directory; resources/read reads it`,
      { details: { uri } },
    );
  }
  requireWellFormed(uri);
  throw notFound(uri, `no such directory: ${quote(uri)}`);
}

/**
 * The one spelling of a URI, or undefined for what is none.
 *
 * @example
 * canonicalOf('SKILL://index.json') // 'skill://index.json'
 */
export function canonicalOf(uri: string): string | undefined {
  try {
    return canonicalUri(uri);
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

/**
 * Throws what `parseSkillUri` has against a URI. Another scheme is no fault of the spelling: such a resource simply
 * does not exist here.
 *
 * @example
 * requireWellFormed('skill://pdf/../x') // throws PATH_TRAVERSAL
 */
export function requireWellFormed(uri: string): void {
  if (/^skill:/i.test(uri)) parseSkillUri(uri, { nested: true });
}

function notFound(uri: string, message: string): SkillError {
  return new SkillError('RESOURCE_NOT_FOUND', message, { details: { uri } });
}
