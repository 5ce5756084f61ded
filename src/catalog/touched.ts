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
 * empty one touch everything. A `.skillignore` touches all of its folder, since it decides what is seen there. Of `folders`
 * the names alone are touched.
 *
 * @example
 * touchedBy(['pdf/references/a.md']).shallow('pdf') // true
 */
export function touchedBy(paths: Iterable<string>, folders: Iterable<string> = []): Touched {
  const deep = new Set<string>();
  const named = new Set<string>();
  const through = new Map<string, Set<string>>();
  const name = (folder: string): void => {
    named.add(folder);
    for (let below = folder; below !== ''; ) {
      const above = parentPath(below);
      const leading = through.get(above) ?? new Set();
      if (leading.has(below)) break;
      through.set(above, leading.add(below));
      below = above;
    }
  };
  for (const given of paths) {
    const names = given.split('/').filter((name) => name !== '' && name !== '.');
    if (names.at(-1) === '.skillignore') names.pop();
    if (names.length === 0 || names.includes('..')) return EVERYTHING;
    let path = '';
    for (const each of names) path = joinPath(path, each);
    deep.add(path);
    name(parentPath(path));
  }
  for (const folder of folders) name(folder);
  return {
    deep: (path) => deep.has(path),
    shallow: (path) => named.has(path) || through.has(path),
    through: (path) => (named.has(path) ? undefined : through.get(path)),
  };
}
