/**
 * From what a model calls a skill to the skill.
 *
 * @module
 */
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { SkillError } from '../../errors.ts';
import { suggest } from '../../format/suggest.ts';
import { quote } from '../../uri/quote.ts';
import { findSkill, refuseLongUri } from './lookup.ts';

/** Skills named in one message. */
const NAMED = 10;

const named = new WeakMap<Snapshot, ReadonlyMap<string, readonly Skill[]>>();

/** The skills of each name; those that their owner hid are found by their URI alone. */
function byName(snapshot: Snapshot): ReadonlyMap<string, readonly Skill[]> {
  let made = named.get(snapshot);
  if (made === undefined) {
    const found = new Map<string, Skill[]>();
    for (const skill of snapshot.skills) {
      if (skill.hidden) continue;
      const same = found.get(skill.name);
      if (same === undefined) found.set(skill.name, [skill]);
      else same.push(skill);
    }
    made = found;
    named.set(snapshot, made);
  }
  return made;
}

/**
 * Whether a skill has a name of its own among those that discovery shows.
 *
 * @example
 * hasOwnName(snapshot, skill) // false where another skill has the same name
 */
export function hasOwnName(snapshot: Snapshot, { name }: Skill): boolean {
  return (byName(snapshot).get(name) ?? []).length === 1;
}

/**
 * The skill that a model means: by the URI of its `SKILL.md` or of its folder, by its name, or by its path.
 *
 * Errors: `RESOURCE_NOT_FOUND` for none, with what was probably meant; `INVALID_REQUEST` when several have the name, with
 * the URI of each; for a URI those of `findSkill`.
 *
 * @example
 * skillCalled(snapshot, 'pdf').uri // 'skill://pdf/SKILL.md'
 */
export function skillCalled(snapshot: Snapshot, wanted: string): Skill {
  refuseLongUri(wanted);
  if (/^[a-z][a-z0-9+.-]*:/i.test(wanted)) return skillAt(snapshot, wanted);
  const [only, ...others] = byName(snapshot).get(wanted) ?? [];
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw new SkillError(
      'INVALID_REQUEST',
      `${others.length + 1} skills are called ${quote(wanted)}; give the URI of one of them: ${namesOf([only, ...others].map(({ uri }) => uri))}`,
    );
  }
  const path = wanted.replace(/^(?:\.?\/)+/, '').replace(/(?:\/SKILL\.md)?\/*$/, '');
  const located = path === '' ? undefined : snapshot.locate(`skill://${path}`);
  if (located?.kind === 'directory' && located.path === '' && !located.skill.hidden) return located.skill;
  throw new SkillError(
    'RESOURCE_NOT_FOUND',
    `no skill is called ${quote(wanted)}; ${helpFor(snapshot, wanted)}`,
  );
}

function skillAt(snapshot: Snapshot, uri: string): Skill {
  const located = snapshot.locate(uri.endsWith('/') ? uri.slice(0, -1) : uri);
  if (located?.kind === 'directory' && located.path === '') return located.skill;
  const skill = snapshot.skill(uri);
  if (skill !== undefined) return skill;
  if (located !== undefined) {
    const what = located.kind === 'file' ? 'a file' : 'a folder';
    throw new SkillError(
      'RESOURCE_NOT_FOUND',
      `${quote(uri)} is ${what} of the skill ${located.skill.hidden ? quote(located.skill.name) : located.skill.uri}, not a skill`,
    );
  }
  try {
    return findSkill(snapshot, uri);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== 'RESOURCE_NOT_FOUND') throw error;
    const last = uri.replace(/(?:\/SKILL\.md)?\/*$/, '');
    throw new SkillError(
      'RESOURCE_NOT_FOUND',
      `no skill is at ${quote(uri)}; ${helpFor(snapshot, last.slice(last.lastIndexOf('/') + 1))}`,
    );
  }
}

function helpFor(snapshot: Snapshot, wanted: string): string {
  const names = byName(snapshot);
  if (names.size === 0) return 'this server has no skills now';
  const near = suggest(wanted, [...names.keys()]);
  const folded = wanted.toLowerCase();
  const like = folded.length < 3 ? [] : [...names.keys()].filter((name) => name.includes(folded));
  const likely = [...new Set([...(near === undefined ? [] : [near]), ...like])];
  if (likely.length > 0) return `did you mean ${namesOf(likely)}? list_skills finds skills`;
  if (names.size <= NAMED) return `there ${names.size === 1 ? 'is' : 'are'} ${namesOf([...names.keys()])}`;
  return 'list_skills finds skills';
}

/** Some names, and how many more there are. */
export function namesOf(names: readonly string[], most: number = NAMED): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
