/**
 * The entries of a catalog's skills.
 *
 * @module
 */
import { buildEntry, type SkillEntry } from '../integrity/index.ts';
import type { Skill } from './snapshot.ts';

const entries = new WeakMap<Skill, SkillEntry>();

/**
 * The entry of a skill as `skills/list` and `skills/get` send it (requirements S24–S34): the same object for the same
 * skill, so that a page of a listing costs no more than its JSON.
 *
 * @example
 * entryOf(catalog.snapshot.skills[0]).resources
 */
export function entryOf(skill: Skill): SkillEntry {
  let entry = entries.get(skill);
  if (entry === undefined) {
    entry = buildEntry(skill);
    entries.set(skill, entry);
  }
  return entry;
}
