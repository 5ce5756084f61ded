/**
 * A tree as it is kept for the next process.
 *
 * @module
 */
import { startPace } from '../pace.ts';
import type { SourceRecall } from '../source/source.ts';
import { MANIFEST_FILENAME } from '../uri/index.ts';
import { publishedAs } from './build-skill.ts';
import { packDigest } from './kept-file.ts';
import { COARSE_MS } from './read-facts.ts';
import { lastName, type PublishedAs, type SkillHead, type TreeFolder } from './tree.ts';
import { type FileRecord, TreeWriter } from './tree-bytes.ts';

/** What is kept of a `SKILL.md`. */
export interface KeptHead {
  readonly head: SkillHead;
  readonly published?: PublishedAs | undefined;
}

/** What {@link rememberTree} looks with. */
export interface RememberOptions {
  readonly recall: SourceRecall;
  /** A time before the first folder of the tree was listed or found to be as it was, ms since 1970. */
  readonly startedAt: number;
  /** Folders whose rules were taken over from an earlier process. */
  readonly ruled: readonly string[];
}

/**
 * The bytes from which `recallTree` makes the tree again; undefined when it cannot be told by which rules it was made.
 *
 * A folder that changed since 2 s before `startedAt` may hold other names than the tree says, and is kept without its stamp,
 * so that it is listed again; so is one in which something was left out, or whose files are not all certain. Provisional
 * digests are left out, and all that was reached through links.
 */
export async function rememberTree(tree: TreeFolder, options: RememberOptions): Promise<Buffer | undefined> {
  const { recall, startedAt } = options;
  const ruled = recall.ruled();
  if (ruled === undefined) return undefined;
  const isSettled = (changedAt: number): boolean => changedAt < startedAt - COARSE_MS;
  const writer = new TreeWriter();
  const pace = startPace();
  const stack = [tree];
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
    if (pace.due()) await pace.rest();
    const { path, head } = folder;
    const files = folder.files.flatMap((file): FileRecord[] => {
      const { size, digest, text, stamp, modifiedAt, provisional, sourcePath } = file;
      if (digest === undefined || stamp === undefined || modifiedAt === undefined || provisional) return [];
      return [{ name: lastName(sourcePath), size, digest: packDigest(digest), text, stamp, modifiedAt }];
    });
    const { id } = folder;
    const below = folder.folders.filter((each) => !each.linked && each.id === `${id}/${lastName(each.path)}`);
    const look = recall.folder(path);
    const certain =
      look !== undefined &&
      isSettled(look.changedAt) &&
      files.length === folder.files.length &&
      below.length === folder.folders.length &&
      folder.problems.length === 0 &&
      (head === undefined || files.some(({ name }) => name === MANIFEST_FILENAME)) &&
      !(folder.tooLarge && folder.home !== undefined);
    writer.add({
      name: folder === tree ? id : lastName(path),
      stamp: certain ? look.stamp : '',
      links: folder.links,
      tooLarge: folder.tooLarge,
      head: head && ({ head, published: publishedAs(folder) ?? folder.published } satisfies KeptHead),
      folders: below.length,
      files,
    });
    for (let at = below.length - 1; at >= 0; at -= 1) {
      const each = below[at];
      if (each !== undefined) stack.push(each);
    }
  }
  const rules = [...new Set([...options.ruled, ...ruled])].map((folder) => {
    const look = recall.rules(folder);
    return { folder, stamp: look !== undefined && isSettled(look.changedAt) ? look.stamp : '' };
  });
  return writer.bytes(rules);
}
