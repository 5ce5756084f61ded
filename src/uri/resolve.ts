/**
 * References inside a skill (seed `ResolveRelative`).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { prefixOf, skillRootUri } from './format.ts';
import {
  MANIFEST_FILENAME,
  manifestNotInRoot,
  type ParsedSkillUri,
  type ParseUriOptions,
  type SkillUriInput,
  toParsed,
  withBoundary,
} from './parse.ts';
import { quote } from './quote.ts';
import { requireLength } from './read-uri.ts';
import { decodeSegment, encodeChecked } from './segment.ts';

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const ABSOLUTE = /^(?:[/\\]|%2f|%5c)/i;
const RAW_CONTROL = /[\u0000-\u001f\u007f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

function escapes(ref: string, from: ParsedSkillUri, why: string): SkillError {
  const root = skillRootUri(from);
  return new SkillError(
    'RELATIVE_ESCAPES_SKILL',
    `the reference ${quote(ref)} ${why}; it must stay below ${root}`,
    {
      details: { reference: ref, root },
    },
  );
}

function requireRelative(ref: string, path: string, from: ParsedSkillUri): void {
  if (RAW_CONTROL.test(path) || LONE_SURROGATE.test(path)) {
    throw new SkillError(
      'INVALID_SCHEME',
      `the reference ${quote(ref)} holds a control character or half a surrogate pair`,
      {
        details: { reference: ref },
      },
    );
  }
  if (ABSOLUTE.test(path)) throw escapes(ref, from, 'is an absolute path');
  if (SCHEME.test(path)) throw escapes(ref, from, 'has a scheme or a drive letter of its own');
  const slash = path.indexOf('/');
  const colon = path.indexOf(':');
  if (colon !== -1 && (slash === -1 || colon < slash)) {
    throw new SkillError(
      'INVALID_SCHEME',
      `the reference ${quote(ref)} has a ":" in its first name; write "./" before it`,
      {
        details: { reference: ref },
      },
    );
  }
}

/** The names that `path` leads to from `base`, dot segments applied; undefined when it climbs above the first name. */
function walk(base: readonly string[], path: string, ref: string): string[] | undefined {
  const pieces = path.split('/');
  if (pieces.length > 1 && pieces[pieces.length - 1] === '') pieces.pop();
  const names = [...base];
  for (const piece of pieces) {
    if (piece === '.') continue;
    if (piece === '..') {
      if (names.pop() === undefined) return undefined;
    } else {
      names.push(decodeSegment(piece, ref));
    }
  }
  return names;
}

/**
 * The file that the reference `ref` of a skill means, with its boundary set. `ref` is relative to the folder of the
 * skill's `SKILL.md` (requirement H25); its query and fragment are dropped first and survive in `raw` only.
 *
 * Never leaves the skill: `..` is followed name by name, so it may go out and back in, but what it climbs beyond the
 * first name of the URI is refused and not clamped as RFC 3986 would have it. A backslash separates nothing.
 *
 * Errors: as {@link parseSkillUri} for a root given as text; `NOT_MANIFEST_URI` (a root without a boundary),
 * `RELATIVE_ESCAPES_SKILL` (outside, absolute, with a scheme, authority or drive letter), `EMPTY_PATH_SEGMENT` (empty,
 * the root itself, `a//b`), `PATH_TRAVERSAL` (an encoded dot segment), `INVALID_SEGMENT` (an encoded slash, a
 * backslash, a control character), `INVALID_SCHEME` (no URI reference), `MANIFEST_NOT_IN_ROOT` (unless `nested`),
 * `URI_TOO_LONG`.
 *
 * @example
 * formatSkillUri(resolveRelative('skill://demo/SKILL.md', 'references/a.md#usage')) // 'skill://demo/references/a.md'
 */
export function resolveRelative(
  root: SkillUriInput,
  ref: string,
  options: ParseUriOptions = {},
): ParsedSkillUri {
  const from = toParsed(root, options);
  if (from.skillPath.length === 0) {
    throw new SkillError(
      'NOT_MANIFEST_URI',
      `${quote(from.raw)} does not say where its skill ends; give the URI of the SKILL.md or use splitSkillUri`,
      { details: { uri: from.raw } },
    );
  }
  if (typeof ref !== 'string')
    throw new SkillError('INVALID_SCHEME', `a reference is a string; this is ${typeof ref}`);
  requireLength(ref);
  const end = ref.search(/[?#]/);
  const path = end === -1 ? ref : ref.slice(0, end);
  if (path === '') {
    throw new SkillError('EMPTY_PATH_SEGMENT', `the reference ${quote(ref)} names no file`, {
      details: { reference: ref },
    });
  }
  requireRelative(ref, path, from);
  const names = walk(from.skillPath, path, ref);
  const length = from.skillPath.length;
  if (names === undefined || !from.skillPath.every((name, index) => names[index] === name)) {
    throw escapes(ref, from, 'leads out of the skill');
  }
  if (names.length === length) {
    throw new SkillError(
      'EMPTY_PATH_SEGMENT',
      `the reference ${quote(ref)} names the skill's own folder, not a file`,
      {
        details: { reference: ref },
      },
    );
  }
  if (options.nested !== true && names.length - length > 1 && names.includes(MANIFEST_FILENAME, length)) {
    throw manifestNotInRoot(ref);
  }
  const text = prefixOf(from) + names.map(encodeChecked).join('/');
  requireLength(text);
  const raw = `${text}${path.endsWith('/') ? '/' : ''}${end === -1 ? '' : ref.slice(end)}`;
  return withBoundary({ scheme: from.scheme, raw, segments: names }, length);
}
