/**
 * The boundary between skill and file, set by hand (seed `URIParts.SplitAt`).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import {
  invalidSkillName,
  isSkillNameSegment,
  MANIFEST_FILENAME,
  manifestNotInRoot,
  type ParsedSkillUri,
  type ParseUriOptions,
  type SkillUriInput,
  toParsed,
  withBoundary,
} from './parse.ts';
import { quote } from './quote.ts';

/**
 * The URI with the boundary after `n` names: what a caller uses that knows the skill's path from an entry.
 *
 * Errors: as {@link parseSkillUri} for text; `EMPTY_SKILL_PATH` (`n` is not an integer from 1 to the number of names),
 * `INVALID_SKILL_NAME` (name `n`), `MANIFEST_NOT_IN_ROOT` (a `SKILL.md` below the root, unless `nested`).
 *
 * @example
 * splitSkillUri('skill://acme/refunds/references/a.md', 2).filePath // ['references', 'a.md']
 */
export function splitSkillUri(uri: SkillUriInput, n: number, options: ParseUriOptions = {}): ParsedSkillUri {
  const parsed = toParsed(uri, options);
  const { segments, raw } = parsed;
  if (!Number.isInteger(n) || n < 1 || n > segments.length) {
    throw new SkillError(
      'EMPTY_SKILL_PATH',
      `${quote(raw)} has ${segments.length} names; the boundary must be from 1 to ${segments.length}, not ${n}`,
      { details: { uri: raw, n } },
    );
  }
  const name = segments[n - 1] ?? '';
  if (!isSkillNameSegment(name)) throw invalidSkillName(name, raw);
  if (options.nested !== true) {
    const below = segments.indexOf(MANIFEST_FILENAME, n);
    if (below !== -1 && segments.length - n > 1) throw manifestNotInRoot(raw);
  }
  return withBoundary(parsed, n);
}
