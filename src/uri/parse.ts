/**
 * The parser of skill URIs (seed `ParseURI`, `URIParts`).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from './quote.ts';
import { type ReadUriOptions, readUri } from './read-uri.ts';

/** The file at the root of every skill (seed `ManifestFilename`). */
export const MANIFEST_FILENAME = 'SKILL.md';

/** What the list of a skill's files is called where FastMCP clients look for it. */
export const FILE_LIST_NAME = '_manifest';

/** A skill URI taken apart (seed `URIParts`). All names are decoded. */
export interface ParsedSkillUri {
  /** Lower-case; `skill` unless `anyScheme` was given. */
  readonly scheme: string;
  /** The text it was read from; that of a resolved reference keeps its query and fragment. */
  readonly raw: string;
  /** Every name, the skill's path and the file's. */
  readonly segments: readonly string[];
  /** The names that lead to the skill. Empty while the boundary is unknown. */
  readonly skillPath: readonly string[];
  /** The names below the skill. Empty while the boundary is unknown. */
  readonly filePath: readonly string[];
  /** The last name of `skillPath`, or empty. */
  readonly skillName: string;
  /** `filePath` is exactly `SKILL.md`. */
  readonly isManifest: boolean;
}

/** Options of {@link parseSkillUri} and of the functions that take a URI as text. */
export interface ParseUriOptions extends ReadUriOptions {
  /** Take a `SKILL.md` below the root of a skill as a plain file (nested skills). @default false */
  readonly nested?: boolean;
}

/** A URI as text, or as {@link parseSkillUri} returned it. */
export type SkillUriInput = string | ParsedSkillUri;

const NONE: readonly string[] = Object.freeze([]);

/**
 * The naming rule as far as it shows in a URI: its letters and hyphens. How long a name may be is a matter of the
 * frontmatter, and seed 000 parses longer ones.
 */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether `name` can be the last name of a skill's path (requirement S12). */
export function isSkillNameSegment(name: string): boolean {
  return NAME.test(name);
}

/** The error for a name that cannot be that of a skill. */
export function invalidSkillName(name: string, uri: string): SkillError {
  return new SkillError(
    'INVALID_SKILL_NAME',
    `${quote(uri)}: ${quote(name)} is no skill name; use a-z, 0-9 and single hyphens between them`,
    { details: { uri, name } },
  );
}

/** The error for a `SKILL.md` that does not stand at the root of a skill. */
export function manifestNotInRoot(uri: string): SkillError {
  return new SkillError(
    'MANIFEST_NOT_IN_ROOT',
    `${quote(uri)} has a SKILL.md below the root of a skill; pass { nested: true } to take it as a plain file`,
    { details: { uri } },
  );
}

/** A parsed value whose boundary is known. */
export function withBoundary(
  uri: { readonly scheme: string; readonly raw: string; readonly segments: readonly string[] },
  length: number,
): ParsedSkillUri {
  const filePath = uri.segments.slice(length);
  return {
    scheme: uri.scheme,
    raw: uri.raw,
    segments: uri.segments,
    skillPath: uri.segments.slice(0, length),
    filePath,
    skillName: uri.segments[length - 1] ?? '',
    isManifest: filePath.length === 1 && filePath[0] === MANIFEST_FILENAME,
  };
}

/**
 * The parts of a skill URI, in any equivalent spelling: `%53KILL.md` is `SKILL.md`, `SKILL://` is `skill://`, and a
 * raw space or accent stands for its encoded form. Seed `ParseURI` with design decision 4.
 *
 * The boundary between skill and file is known only for the URI of a `SKILL.md`; for any other, `skillPath`,
 * `filePath` and `skillName` stay empty: see {@link splitSkillUri} and {@link resolveRelative}.
 *
 * One trailing slash is accepted, as in seed 000, and seen in `raw` alone. Only `resources/directory/read` may take
 * such a URI for the one without it; {@link canonicalUri} keeps the slash, so that a lookup by it fails.
 *
 * With `nested`, a `SKILL.md` may stand anywhere; one whose folder cannot be a skill (`skill://a/My_Notes/SKILL.md`)
 * is then a plain file and leaves the boundary unknown.
 *
 * Errors: `URI_TOO_LONG` (8 KiB of UTF-8), `INVALID_SCHEME` (another scheme; no URI at all: a raw control character,
 * half a surrogate pair, a bad escape, bytes that are not UTF-8), `URI_PART_REFUSED` (query, fragment, user, port),
 * `EMPTY_SKILL_PATH`, `EMPTY_PATH_SEGMENT`, `PATH_TRAVERSAL`, `INVALID_SEGMENT`, `MANIFEST_NOT_IN_ROOT`,
 * `INVALID_SKILL_NAME`.
 *
 * @example
 * parseSkillUri('skill://acme/billing/refunds/SKILL.md').skillPath // ['acme', 'billing', 'refunds']
 */
export function parseSkillUri(text: string, options: ParseUriOptions = {}): ParsedSkillUri {
  const { scheme, segments } = readUri(text, options.anyScheme === true);
  const nested = options.nested === true;
  const last = segments.length - 1;
  const first = segments.indexOf(MANIFEST_FILENAME);
  if (first !== -1 && first < last && !nested) throw manifestNotInRoot(text);
  if (first !== -1 && segments[last] === MANIFEST_FILENAME) {
    const name = segments[last - 1];
    if (name === undefined) {
      throw new SkillError('EMPTY_SKILL_PATH', `${quote(text)} has no skill before SKILL.md`, {
        details: { uri: text },
      });
    }
    if (isSkillNameSegment(name)) return withBoundary({ scheme, raw: text, segments }, last);
    if (!nested || last < 2) throw invalidSkillName(name, text);
  }
  return { scheme, raw: text, segments, skillPath: NONE, filePath: NONE, skillName: '', isManifest: false };
}

/** `uri` itself if it is parsed, else what {@link parseSkillUri} makes of it. */
export function toParsed(uri: SkillUriInput, options?: ParseUriOptions): ParsedSkillUri {
  return typeof uri === 'object' && uri !== null ? uri : parseSkillUri(uri, options);
}
