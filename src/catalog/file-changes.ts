/**
 * What differs between two snapshots, file by file.
 *
 * @module
 */
import { byUri } from './order.ts';
import type { Skill, SkillFile, Snapshot } from './snapshot.ts';

/** One file that is served under a URI now and was not before, or the other way round, or has other bytes. */
export interface FileChange {
  readonly uri: string;
  /** Below the source. */
  readonly path: string;
  readonly action: 'created' | 'modified' | 'deleted';
  /** Of the bytes served now; absent when nothing is, or the file is dynamic. */
  readonly digest?: string;
}

/**
 * The files of these skills that differ between two snapshots, in code-point order by URI, each URI once: a file that
 * one skill loses and another still shows at the same URI did not change. What a dynamic file says is never compared.
 */
export function fileChangesBetween(
  before: Snapshot,
  after: Snapshot,
  skills: { readonly old: readonly Skill[]; readonly now: readonly Skill[] },
): readonly FileChange[] {
  const seen = new Set<string>();
  const changes: FileChange[] = [];
  const look = (uri: string): void => {
    if (seen.has(uri)) return;
    seen.add(uri);
    const change = changeOf(uri, fileAt(before, uri), fileAt(after, uri));
    if (change !== undefined) changes.push(change);
  };
  for (const skill of skills.old) for (const file of skill.files) look(file.uri);
  for (const skill of skills.now) for (const file of skill.files) look(file.uri);
  return changes.sort(byUri);
}

function fileAt(snapshot: Snapshot, uri: string): SkillFile | undefined {
  const located = snapshot.locate(uri);
  return located?.kind === 'file' ? located.file : undefined;
}

function changeOf(
  uri: string,
  old: SkillFile | undefined,
  now: SkillFile | undefined,
): FileChange | undefined {
  if (now === undefined) return old && { uri, path: old.sourcePath, action: 'deleted' };
  if (old !== undefined && old.digest === now.digest && old.size === now.size) return undefined;
  return {
    uri,
    path: now.sourcePath,
    action: old === undefined ? 'created' : 'modified',
    ...(now.digest !== undefined && { digest: now.digest }),
  };
}
