/**
 * From folders that were read to a tree that does not change any more.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { type Draft, isDraft } from './draft.ts';
import type { Filled } from './filled.ts';
import type { SkillHead, TreeFolder } from './tree.ts';

/** The tree of `drafts`. Children stand after their parents in `drafts`, so backwards each folder finds its children complete. */
export function sealTree(
  root: Draft | TreeFolder,
  drafts: readonly Draft[],
  filled: readonly Filled[],
): TreeFolder {
  const sealed: (TreeFolder | undefined)[] = new Array(drafts.length);
  for (let at = drafts.length - 1; at >= 0; at--) {
    const draft = drafts[at];
    const folder = filled[at];
    if (draft === undefined || folder === undefined) continue;
    const folders: TreeFolder[] = [];
    for (const child of draft.folders) {
      const complete = isDraft(child) ? sealed[child.index] : child;
      if (complete !== undefined) folders.push(complete);
    }
    sealed[at] = sealOne(folder, folders);
  }
  const complete = isDraft(root) ? sealed[root.index] : root;
  if (complete === undefined) throw new SkillError('INTERNAL');
  return complete;
}

function sealOne({ draft, head, home, uri, files }: Filled, folders: readonly TreeFolder[]): TreeFolder {
  const own: SkillHead | undefined = head?.head;
  return {
    path: draft.path,
    id: draft.id,
    linked: draft.linked,
    home: draft.home,
    homeId: draft.homeId,
    head: own,
    uri,
    files,
    folders: trimmed(folders),
    problems: trimmed(draft.problems),
    tooLarge: (head !== undefined && home?.tooLarge === true) || folders.some((folder) => folder.tooLarge),
    count: folders.reduce((sum, folder) => sum + folder.count, 1),
    skills: folders.reduce((sum, folder) => sum + folder.skills, own === undefined ? 0 : 1),
    links: draft.links || folders.some((folder) => folder.links),
    noisy:
      draft.problems.length > 0 ||
      (own !== undefined && own.diagnostics.length > 0) ||
      folders.some((folder) => folder.noisy),
  };
}

const NOTHING: readonly never[] = [];

/** The same list in no more room than it needs: one that grew by `push` has room for many more. */
function trimmed<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NOTHING : list.slice();
}
