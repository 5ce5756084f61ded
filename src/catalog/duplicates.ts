/**
 * Skills of one name in one listing.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import * as problems from './problems.ts';
import type { Skill } from './snapshot.ts';

/**
 * A warning for each listed skill whose name an earlier one has (requirement S27, threat T8b); both are kept. One
 * warning a skill, so that a thousand of one name give no million of pairs.
 */
export function duplicateNames(skills: readonly Skill[]): Diagnostic[] {
  const first = new Map<string, Skill>();
  const found: Diagnostic[] = [];
  for (const skill of skills) {
    if (!skill.listed || skill.hidden) continue;
    const earlier = first.get(skill.name);
    if (earlier === undefined) first.set(skill.name, skill);
    else found.push(problems.duplicateName(skill.path, earlier.path, skill.name, isCopy(skill, earlier)));
  }
  return found;
}

function isCopy(a: Skill, b: Skill): boolean {
  if (a.dynamic || b.dynamic || a.files.length !== b.files.length) return false;
  const digests = new Map(a.files.map((file) => [file.path, file.digest]));
  return b.files.every((file) => digests.get(file.path) === file.digest);
}
