/**
 * An index of the older well-known form, read.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { isLegacyPath, type LegacyEntry } from './well-known.ts';
import {
  entriesOf,
  keep,
  kindOf,
  nameOf,
  own,
  type ParseWellKnownOptions,
  Problems,
  recordOf,
  shown,
  type WellKnownProblem,
} from './well-known-entries.ts';

/**
 * The skills of an index of the older form, and every rule that was broken. It states no digest, so nothing that is
 * fetched by it can be checked; its files lie at `<name>/<file>` beside the index.
 *
 * Strict: one bad entry drops the whole index, as it does in the most common installer, and a document with a `$schema`
 * is not of this form. `SKILL.md` stands first among the files of each skill, and once. Never throws; bounded as
 * {@link parseDiscoveryIndex} is.
 *
 * @example
 * const { skills } = parseLegacyIndex(text, { tolerant: true })
 */
export function parseLegacyIndex(
  text: string,
  options: ParseWellKnownOptions = {},
): { readonly skills: readonly LegacyEntry[]; readonly problems: readonly WellKnownProblem[] } {
  const { tolerant = false } = options;
  const problems = new Problems();
  const found = entriesOf(
    text,
    problems,
    (schema) => {
      return schema === undefined ? undefined : `$schema is ${shown(schema)}; the older form has none`;
    },
    tolerant,
  );
  const skills = new Map<string, LegacyEntry>();
  let broken = false;
  for (const [index, entry] of found.entries()) {
    const skill = legacy(entry, `skills[${index}]`, problems);
    if (skill !== undefined) keep(skills, skill, `skills[${index}]`, problems);
    else broken = true;
  }
  if (!broken || tolerant) return { skills: [...skills.values()], problems: problems.all() };
  problems.add('error', 'ENTRY', '', 'one bad entry makes clients of the older form drop the whole index');
  return { skills: [], problems: problems.all() };
}

function legacy(entry: unknown, at: string, problems: Problems): LegacyEntry | undefined {
  const fields = recordOf(entry);
  if (fields === undefined) return problems.add('error', 'ENTRY', at, `the entry is ${kindOf(entry)}`);
  const name = nameOf(fields, at, undefined, problems);
  if (name === undefined) return undefined;
  const description = own(fields, 'description');
  if (typeof description !== 'string' || description === '') {
    return problems.add('error', 'DESCRIPTION', `${at}.description`, 'the description is no text, or empty');
  }
  const files = own(fields, 'files');
  if (!Array.isArray(files) || files.length > LIMITS.archiveEntries) {
    const why = Array.isArray(files)
      ? `names ${files.length} files; the limit is ${LIMITS.archiveEntries}`
      : `is ${kindOf(files)}, not a list`;
    return problems.add('error', 'FILES', `${at}.files`, `files ${why}`);
  }
  const paths = new Set<string>(['SKILL.md']);
  let hasManifest = false;
  for (const [index, file] of (files as readonly unknown[]).entries()) {
    if (typeof file !== 'string' || !isLegacyPath(file)) {
      return problems.add(
        'error',
        'FILES',
        `${at}.files[${index}]`,
        `${shown(file)} is no path of a file below the skill`,
      );
    }
    if (file.toLowerCase() === 'skill.md') hasManifest = true;
    else paths.add(file);
  }
  if (hasManifest) return { name, description, files: [...paths] };
  return problems.add('error', 'FILES', `${at}.files`, 'SKILL.md is not among the files');
}
