/**
 * What differs between two snapshots.
 *
 * @module
 */
import type { CatalogChanges } from './catalog.ts';
import { fileChangesBetween } from './file-changes.ts';
import { skillHash } from './revision.ts';
import type { Skill, Snapshot } from './snapshot.ts';

/** What differs between two snapshots: by URI of `SKILL.md`, and file by file; each list in code-point order. */
export function changesBetween(before: Snapshot, after: Snapshot): CatalogChanges {
  const { revision } = after;
  const { revision: previousRevision } = before;
  if (revision === previousRevision) {
    return { added: [], removed: [], changed: [], files: [], revision, previousRevision };
  }
  const added: Skill[] = [];
  const removed: Skill[] = [];
  const changed: Skill[] = [];
  const changedFrom: Skill[] = [];
  let at = 0;
  for (const skill of after.skills) {
    let old = before.skills[at];
    if (old === skill) {
      at++;
      continue;
    }
    for (; old !== undefined && old.uri < skill.uri; old = before.skills[++at]) removed.push(old);
    if (old?.uri !== skill.uri) {
      added.push(skill);
      continue;
    }
    if (skillHash(old) !== skillHash(skill)) {
      changed.push(skill);
      changedFrom.push(old);
    }
    at++;
  }
  removed.push(...before.skills.slice(at));
  const files = fileChangesBetween(before, after, {
    old: [...removed, ...changedFrom],
    now: [...added, ...changed],
  });
  return {
    added: added.map(uriOf),
    removed: removed.map(uriOf),
    changed: changed.map(uriOf),
    files,
    revision,
    previousRevision,
  };
}

function uriOf(skill: Skill): string {
  return skill.uri;
}
