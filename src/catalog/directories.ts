/**
 * The directories of a skill, with what stands in each.
 *
 * @module
 */
import { compareCodePoints } from '../uri/code-point-order.ts';
import { byUri } from './order.ts';
import type { DirectoryChild, Skill } from './snapshot.ts';
import { sortedIndex } from './sorted-index.ts';
import { lastName, parentPath } from './tree.ts';
import { encodePath } from './uris.ts';

/** Direct children by path, in code-point order by URI. */
type Children = ReadonlyMap<string, readonly DirectoryChild[]>;

const known = new WeakMap<Skill, WeakRef<Children>>();

/**
 * The direct children of the directory at `path` below a skill, in code-point order by URI (requirements S49, S50), or
 * undefined when there is no such directory: the same list while somebody holds it or asked lately. Those of all skills would
 * take as much memory as the catalog.
 */
export function childrenOf(skill: Skill, path: string): readonly DirectoryChild[] | undefined {
  let children = known.get(skill)?.deref();
  if (children === undefined) {
    children = build(skill);
    known.set(skill, new WeakRef(children));
  }
  return children.get(path);
}

/** The path of the directory below a skill whose canonical URI this is; undefined when there is none. */
export function directoryAt(skill: Skill, uri: string): string | undefined {
  const { rootUri, folders } = skill;
  if (folders.length === 0 || !uri.startsWith(`${rootUri}/`)) return undefined;
  const rest = uri.slice(rootUri.length + 1);
  const path = decoded(rest);
  return path !== undefined &&
    sortedIndex(folders, (folder) => compareCodePoints(folder, path)) !== -1 &&
    encodePath(path) === rest
    ? path
    : undefined;
}

function decoded(rest: string): string | undefined {
  if (!rest.includes('%')) return rest;
  try {
    return decodeURIComponent(rest);
  } catch {
    // No URI, so that of no directory.
    return undefined;
  }
}

function build(skill: Skill): Children {
  const children = new Map<string, DirectoryChild[]>([['', []]]);
  for (const path of skill.folders) children.set(path, []);
  for (const path of skill.folders) {
    const uri = `${skill.rootUri}/${encodePath(path)}`;
    children.get(parentPath(path))?.push({ kind: 'directory', uri, name: lastName(path) });
  }
  for (const file of skill.files) {
    children
      .get(parentPath(file.path))
      ?.push({ kind: 'file', uri: file.uri, name: lastName(file.path), file });
  }
  for (const list of children.values()) list.sort(byUri);
  return children;
}
