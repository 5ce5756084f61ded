/**
 * From folders that were read to a tree that does not change any more.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { type Draft, isDraft } from './draft.ts';
import type { Filled } from './filled.ts';
import { KeptFolder } from './kept-folder.ts';
import type { TreeFolder } from './tree.ts';

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

function sealOne({ draft, head, home, place, files }: Filled, folders: readonly TreeFolder[]): TreeFolder {
  return new KeptFolder(place, {
    identity: { id: draft.id, homeId: draft.homeId },
    linked: draft.linked,
    head: head?.head,
    files,
    folders,
    problems: draft.problems,
    tooLarge: head !== undefined && home?.tooLarge === true,
    links: draft.links,
  });
}
