/**
 * From what was heard to the paths of a source that may have changed.
 *
 * @module
 */
import { startPace } from '../pace.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import { childOf } from './link-roots.ts';
import { joined } from './mount-layout.ts';
import type { Source } from './source.ts';
import type { WatchHost } from './watch-host.ts';
import type { PathTest } from './watch-ignores.ts';
import type { WatchedName } from './watch-links.ts';
import type { Heard } from './watch-queue.ts';
import type { WatchTree } from './watch-tree.ts';

/** What {@link followHeard} works with. */
export interface FollowOptions {
  readonly tree: WatchTree;
  readonly source: Source;
  readonly ignores: PathTest;
  readonly host: Pick<WatchHost, 'lstat'>;
}

/**
 * Brings the tree up to date with what was heard, so that what was made is watched before anybody reads it, and returns
 * the paths below the source that may have changed, each once. Whatever leads to a folder through a link is among them.
 * Rejects as the visitor of the tree throws when nothing can be watched.
 */
export async function followHeard(heard: Heard, options: FollowOptions): Promise<readonly string[]> {
  const { tree } = options;
  if (heard.everything) {
    for (const root of tree.links.roots) await tree.renewFolder(root);
    return [''];
  }
  const found = new Set<string>();
  const links = new LinkWork(tree);
  const pace = startPace();
  for (const [folder, names] of heard.folders) {
    if (names === undefined || names.has(IGNORE_FILE)) {
      if (tree.has(folder) || tree.links.isRoot(folder)) addAll(found, tree.links.pathsOf(folder) ?? ['']);
      links.add(tree.links.into(folder));
      await tree.renewFolder(folder);
      continue;
    }
    for (const [name, structural] of names) {
      if (pace.due()) await pace.rest();
      links.add(tree.links.over(childOf(folder, name)));
      if (!tree.has(folder)) continue;
      addAll(found, shown(folder, name, options));
      if (structural) await tree.renewName({ folder, name });
    }
  }
  for (let link = links.take(); link !== undefined; link = links.take()) {
    if (tree.has(link.folder)) addAll(found, shown(link.folder, link.name, options));
    await tree.renewName(link);
  }
  return [...found].filter((each) => !stoodFor(found, each));
}

/** Links to look at again, each once: a link over a link is touched by what the other one is. */
class LinkWork {
  readonly #tree: WatchTree;
  readonly #seen: Set<string> = new Set();
  readonly #waiting: WatchedName[] = [];

  constructor(tree: WatchTree) {
    this.#tree = tree;
  }

  add(links: readonly WatchedName[]): void {
    for (const { folder, name } of links) {
      const full = childOf(folder, name);
      if (this.#seen.has(full)) continue;
      this.#seen.add(full);
      this.#waiting.push({ folder, name });
      this.add(this.#tree.links.over(full));
    }
  }

  take(): WatchedName | undefined {
    return this.#waiting.pop();
  }
}

/** Whether a folder above a path is told too, and with it all below. */
function stoodFor(found: ReadonlySet<string>, sourcePath: string): boolean {
  if (sourcePath === '') return false;
  if (found.has('')) return true;
  for (let at = sourcePath.lastIndexOf('/'); at > 0; at = sourcePath.lastIndexOf('/', at - 1)) {
    if (found.has(sourcePath.slice(0, at))) return true;
  }
  return false;
}

function addAll(found: Set<string>, paths: readonly string[]): void {
  for (const each of paths) found.add(each);
}

/** The paths at which a name is not ignored; everything when nobody can tell where its folder stands. */
function shown(folder: string, name: string, { tree, source, ignores, host }: FollowOptions): string[] {
  const folders = tree.links.pathsOf(folder);
  if (folders === undefined) return [''];
  const directory = host.lstat(childOf(folder, name))?.isDirectory() === true;
  return folders
    .map((each) => joined(each, name))
    .filter((each) => !ignores(each, directory) && !ignoredBySource(source, each, directory));
}

function ignoredBySource(source: Source, sourcePath: string, directory: boolean): boolean {
  try {
    return source.ignores?.(sourcePath, directory) === true;
  } catch {
    // A rule that cannot be read is found and reported by the scan.
    return false;
  }
}
