/**
 * Which parts of a tree a refresh has to look at again.
 *
 * @module
 */
import { joinPath, parentPath } from './tree.ts';

/** Which parts of a tree a refresh has to look at again. */
export interface Touched {
  /** Everything below this folder is looked at again. */
  deep(path: string): boolean;
  /** The names in this folder are listed again. */
  shallow(path: string): boolean;
  /**
   * The folders in this one that lead to what is looked at again; undefined when its own names are among that. While
   * they are where they were, its names need not be listed.
   */
  through(path: string): ReadonlySet<string> | undefined;
}

/** Everything. */
export const EVERYTHING: Touched = { deep: () => true, shallow: () => true, through: () => undefined };

/**
 * The parts that a change of `paths` touches: each path with all below it, and the names in the folders that lead to
 * it, so that a path in a folder not seen before is found from the nearest one that was.
 *
 * Paths are below the source; a leading `./`, doubled and trailing slashes are forgiven. A path with `..` and the
 * empty one touch everything. A `.skillignore` touches all of its folder, since it decides what is seen there.
 *
 * @example
 * touchedBy(['pdf/references/a.md']).shallow('pdf') // true
 */
export function touchedBy(paths: Iterable<string>): Touched {
  const deep = new Set<string>();
  const named = new Set<string>();
  const through = new Map<string, Set<string>>();
  for (const given of paths) {
    const names = given.split('/').filter((name) => name !== '' && name !== '.');
    if (names.at(-1) === '.skillignore') names.pop();
    if (names.length === 0 || names.includes('..')) return EVERYTHING;
    let path = '';
    for (const name of names) path = joinPath(path, name);
    deep.add(path);
    let below = parentPath(path);
    named.add(below);
    while (below !== '') {
      const above = parentPath(below);
      const folders = through.get(above) ?? new Set();
      if (folders.has(below)) break;
      through.set(above, folders.add(below));
      below = above;
    }
  }
  return {
    deep: (path) => deep.has(path),
    shallow: (path) => named.has(path) || through.has(path),
    through: (path) => (named.has(path) ? undefined : through.get(path)),
  };
}
