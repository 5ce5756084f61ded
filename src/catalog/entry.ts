/**
 * The entries of a catalog's skills.
 *
 * @module
 */
import { buildEntry, type SkillEntry } from '../integrity/index.ts';
import type { Skill } from './snapshot.ts';

const entries = new WeakMap<Skill, WeakRef<SkillEntry>>();

/**
 * The entry of a skill as `skills/list` and `skills/get` send it (requirements S24–S34): the same object for the same
 * skill while somebody holds it or asked lately, so that a page that is asked for often costs no more than its JSON. All
 * entries together would take as much memory as the catalog.
 *
 * @example
 * entryOf(catalog.snapshot.skills[0]).resources
 */
export function entryOf(skill: Skill): SkillEntry {
  const known = entries.get(skill)?.deref();
  if (known !== undefined) return known;
  const entry = buildEntry(skill);
  entries.set(skill, new WeakRef(entry));
  return entry;
}
