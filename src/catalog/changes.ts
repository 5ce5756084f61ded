/**
 * What differs between two snapshots.
 *
 * @module
 */
import type { CatalogChanges } from './catalog.ts';
import { skillHash } from './revision.ts';
import type { Snapshot } from './snapshot.ts';

/** What differs between two snapshots, by URI of `SKILL.md`, each list in code-point order. */
export function changesBetween(before: Snapshot, after: Snapshot): CatalogChanges {
  const added: string[] = [];
  const removed: string[] = [];
  const changed: string[] = [];
  let at = 0;
  for (const skill of after.skills) {
    let old = before.skills[at];
    for (; old !== undefined && old.uri < skill.uri; old = before.skills[++at]) removed.push(old.uri);
    if (old?.uri !== skill.uri) {
      added.push(skill.uri);
      continue;
    }
    if (old !== skill && skillHash(old) !== skillHash(skill)) changed.push(skill.uri);
    at++;
  }
  for (const old of before.skills.slice(at)) removed.push(old.uri);
  return { added, removed, changed, revision: after.revision, previousRevision: before.revision };
}
