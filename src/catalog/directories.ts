/**
 * The directories of a skill, with what stands in each.
 *
 * @module
 */
import { byUri } from './order.ts';
import type { DirectoryChild, Skill } from './snapshot.ts';
import { lastName, parentPath } from './tree.ts';
import { encodePath } from './uris.ts';

/** The directories of one skill. */
export interface Directories {
  /** Path below the skill by URI; the root has the empty path. */
  readonly paths: ReadonlyMap<string, string>;
  /** Direct children by path, in code-point order by URI. */
  readonly children: ReadonlyMap<string, readonly DirectoryChild[]>;
}

const known = new WeakMap<Skill, Directories>();

/** The directories of a skill, worked out at the first call for it (requirements S49, S50). */
export function directoriesOf(skill: Skill): Directories {
  let directories = known.get(skill);
  if (directories === undefined) {
    directories = build(skill);
    known.set(skill, directories);
  }
  return directories;
}

function build(skill: Skill): Directories {
  const paths = new Map([[skill.rootUri, '']]);
  const children = new Map<string, DirectoryChild[]>([['', []]]);
  for (const path of skill.folders) {
    paths.set(`${skill.rootUri}/${encodePath(path)}`, path);
    children.set(path, []);
  }
  for (const [uri, path] of paths) {
    if (path === '') continue;
    children.get(parentPath(path))?.push({ kind: 'directory', uri, name: lastName(path) });
  }
  for (const file of skill.files) {
    children
      .get(parentPath(file.path))
      ?.push({ kind: 'file', uri: file.uri, name: lastName(file.path), file });
  }
  for (const list of children.values()) list.sort(byUri);
  return { paths, children };
}
