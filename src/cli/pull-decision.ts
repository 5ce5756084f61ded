/**
 * What is to be done with one folder: made, replaced, left alone, or refused.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { LocalFolder } from './local-files.ts';

/** Files of a folder by path: their digests, `undefined` where none is known yet. */
export type Digests = ReadonlyMap<string, string | undefined>;

/** What is known of a folder. */
export interface FolderFacts {
  /** As messages call it. */
  readonly shown: string;
  readonly local: LocalFolder;
  /** What it is to hold. */
  readonly wanted: Digests;
  /** What was pulled into it; undefined when nothing was. */
  readonly recorded: Digests | undefined;
  /** The other targets that it was pulled from. */
  readonly others: readonly string[];
  readonly force: boolean;
}

/** What is to be done. */
export interface PullDecision {
  readonly action: 'add' | 'update' | 'unchanged';
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

const NAMED = 5;

/**
 * What is to be done with a folder.
 *
 * Errors: `TARGET_EXISTS` for something that was not pulled, or was pulled from another target; `LOCAL_CHANGES` for edits
 * that would be lost. `force` lifts what concerns pulled folders, never the rest.
 */
export function decidePull({ shown, local, wanted, recorded, others, force }: FolderFacts): PullDecision {
  if (local.kind === 'other') throw exists(shown, 'is no folder');
  if (local.kind === 'nothing' || local.files.size === 0) {
    return { action: 'add', added: [...wanted.keys()], changed: [], removed: [] };
  }
  const { files } = local;
  if (recorded !== undefined && others.length > 0 && !force) {
    throw new SkillError('TARGET_EXISTS', `${shown} was pulled from ${others.join(', ')}`, {
      details: {
        path: shown,
        others,
        hint: 'pull into another folder; --force puts these skills in its place',
      },
    });
  }
  const added = [...wanted.keys()].filter((path) => !files.has(path));
  const changed = [...wanted].flatMap(([path, digest]) =>
    files.has(path) && (digest === undefined || files.get(path) !== digest) ? [path] : [],
  );
  const removed = [...files.keys()].filter((path) => !wanted.has(path));
  // The same bytes are nothing to be lost, whoever put them there.
  if (added.length + changed.length + removed.length === 0) {
    return { action: 'unchanged', added, changed, removed };
  }
  if (recorded === undefined) throw exists(shown, 'already exists and was not made by pull');
  const edits = editsOf(files, recorded, wanted);
  if (edits.length > 0 && !force) throw localChanges(shown, edits, 'replaces');
  return { action: 'update', added, changed, removed };
}

/** Errors: `LOCAL_CHANGES` for a folder whose removal would lose an edit. */
export function refuseLossyRemoval(
  shown: string,
  local: LocalFolder,
  recorded: Digests,
  force: boolean,
): void {
  if (local.kind === 'other') throw exists(shown, 'is no folder any more');
  if (local.kind === 'nothing' || force) return;
  const edits = editsOf(local.files, recorded, new Map());
  if (edits.length > 0) throw localChanges(shown, edits, 'removes');
}

/** Paths whose bytes are neither what was pulled nor what is wanted. */
function editsOf(files: Digests, recorded: Digests, wanted: Digests): string[] {
  const edits: string[] = [];
  for (const [path, digest] of files) {
    const known = digest !== undefined && (recorded.get(path) === digest || wanted.get(path) === digest);
    if (!known) edits.push(path);
  }
  for (const path of recorded.keys()) if (!files.has(path) && wanted.has(path)) edits.push(path);
  return edits;
}

function localChanges(shown: string, edits: readonly string[], verb: string): SkillError {
  const named = edits.slice(0, NAMED).join(', ');
  const more = edits.length > NAMED ? ` and ${edits.length - NAMED} more` : '';
  return new SkillError('LOCAL_CHANGES', `${shown} was changed here since it was pulled: ${named}${more}`, {
    details: {
      path: shown,
      files: edits,
      hint: `copy what you want to keep; --force ${verb} the folder with all in it`,
    },
  });
}

function exists(shown: string, why: string): SkillError {
  return new SkillError('TARGET_EXISTS', `${shown} ${why}`, {
    details: { path: shown, hint: 'pull into another folder, or move what is there away' },
  });
}
