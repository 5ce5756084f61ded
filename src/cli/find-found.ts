/**
 * From what a user calls a skill of a server to the skill.
 *
 * @module
 */
import type { FoundSkill, SkillListing } from '../client/skill.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { suggest } from '../format/suggest.ts';
import { canonicalUri } from '../uri/index.ts';
import { namesOf } from './skill-files.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { usageError } from './usage.ts';

const NAMED = 10;

/**
 * Resolves to the skill that `wanted` means: its URI, the names that lead to it, or its name. One that is in no listing is
 * asked for by its URI (requirement H21).
 *
 * Errors: `RESOURCE_NOT_FOUND`; `USAGE` when several have the name (requirement H12: none is preferred); those of
 * `getSkill`.
 *
 * @example
 * await findFound(opened, await opened.client.listSkills(), 'pdf')
 */
export async function findFound(
  opened: OpenedTarget,
  listing: SkillListing,
  wanted: string,
): Promise<FoundSkill> {
  const uri = uriOf(wanted);
  if (uri !== undefined) {
    const same = listing.skills.find(
      ({ entry }) => entry.uri === uri || canonicalOrItself(entry.uri) === canonicalOrItself(uri),
    );
    return same ?? opened.client.getSkill(uri);
  }
  const path = wanted
    .replace(/^(?:\.?\/+)+/, '')
    .replace(/\/+$/, '')
    .replace(/\/SKILL\.md$/, '');
  const known = listing.skills.flatMap((found) => {
    const names = knownNames(found);
    return names === undefined ? [] : [{ found, ...names }];
  });
  const byPath = known.filter((each) => each.path === path);
  const matches = byPath.length > 0 ? byPath : known.filter((each) => each.name === path);
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only.found;
  if (only !== undefined) {
    const uris = matches.map(({ found }) => found.entry.uri);
    throw usageError(
      `${matches.length} skills of ${opened.label} are called ${JSON.stringify(wanted)}`,
      `name one by its URI: ${someOf(uris)}`,
    );
  }
  throw missing(
    opened,
    listing,
    wanted,
    known.map(({ name }) => name),
  );
}

function missing(
  { label }: OpenedTarget,
  { complete }: SkillListing,
  wanted: string,
  names: readonly string[],
): SkillError {
  const near = suggest(wanted, names);
  const has = names.length === 0 ? 'it lists no skills at all' : `it lists ${someOf([...new Set(names)])}`;
  const hint = near === undefined ? has : `did you mean ${near}?`;
  return new SkillError('RESOURCE_NOT_FOUND', `${label} lists no skill ${JSON.stringify(wanted)}`, {
    details: { hint: complete ? hint : `${hint}; the listing is not complete: name the skill by its URI` },
  });
}

function uriOf(wanted: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(wanted)) return undefined;
  return wanted.endsWith('/SKILL.md') ? wanted : `${wanted.replace(/\/+$/, '')}/SKILL.md`;
}

/** A URI in the one spelling of all that are equivalent; what is none, such as that of a refused entry, as it is. */
export function canonicalOrItself(uri: string): string {
  try {
    return canonicalUri(uri, { anyScheme: true });
  } catch (error) {
    if (isSkillError(error)) return uri;
    throw error;
  }
}

/** What the skill is called; undefined where its URI makes no path. It is found by its URI then. */
function knownNames({ entry }: FoundSkill): ReturnType<typeof namesOf> | undefined {
  try {
    return namesOf(entry);
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
