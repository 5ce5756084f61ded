/**
 * The tree of a memory source.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { assertSafePath } from './safe-path.ts';
import { notFound, shownPath } from './source-error.ts';

/** Makes content anew at each read. */
export type DynamicContent = () => string | Uint8Array | Promise<string | Uint8Array>;

/** One file in memory. */
export interface MemoryFile {
  readonly content: Buffer | DynamicContent;
  readonly stamp: string;
  readonly modifiedAt?: number;
}

/** A folder in memory. */
export class MemoryFolder {
  readonly children: Map<string, MemoryFile | MemoryFolder> = new Map();
  #sorted: readonly (readonly [string, MemoryFile | MemoryFolder])[] | undefined;

  /** The children in code-point order by name. */
  sorted(): readonly (readonly [string, MemoryFile | MemoryFolder])[] {
    this.#sorted ??= [...this.children].sort((a, b) => compareCodePoints(a[0], b[0]));
    return this.#sorted;
  }

  put(name: string, child: MemoryFile | MemoryFolder): void {
    this.children.set(name, child);
    this.#sorted = undefined;
  }

  remove(name: string): void {
    this.children.delete(name);
    this.#sorted = undefined;
  }
}

/** Returns what stands at a path below `root`, or undefined. */
export function findIn(root: MemoryFolder, path: string): MemoryFile | MemoryFolder | undefined {
  let node: MemoryFile | MemoryFolder | undefined = root;
  if (path === '') return node;
  for (const segment of path.split('/')) {
    if (!(node instanceof MemoryFolder)) return undefined;
    node = node.children.get(segment);
  }
  return node;
}

/**
 * Returns the folder at a path, made with all above it where it is missing; the empty string is the root.
 *
 * Errors: those of `assertSafePath`; `TARGET_EXISTS` where a file is in the way.
 */
export function folderIn(root: MemoryFolder, path: string): MemoryFolder {
  if (path === '') return root;
  assertSafePath(path);
  let folder = root;
  for (const segment of path.split('/')) {
    const next = folder.children.get(segment);
    if (next instanceof MemoryFolder) {
      folder = next;
      continue;
    }
    if (next !== undefined) throw inTheWay(path, 'a file stands where a folder is needed');
    const made = new MemoryFolder();
    folder.put(segment, made);
    folder = made;
  }
  return folder;
}

/** Puts a file or folder at a path. Errors: as {@link folderIn}; `TARGET_EXISTS` where a folder stands. */
export function putIn(root: MemoryFolder, path: string, node: MemoryFile | MemoryFolder): void {
  assertSafePath(path);
  const { parent, name } = splitPath(path);
  const folder = folderIn(root, parent);
  const old = folder.children.get(name);
  if (old instanceof MemoryFolder) throw inTheWay(path, 'a folder stands there');
  folder.put(name, node);
}

/** Takes a file, or a folder with all in it, away and returns it. Errors: `FILE_NOT_FOUND`. */
export function removeIn(root: MemoryFolder, path: string): MemoryFile | MemoryFolder {
  const { parent, name } = splitPath(path);
  const folder = findIn(root, parent);
  const node = folder instanceof MemoryFolder ? folder.children.get(name) : undefined;
  if (!(folder instanceof MemoryFolder) || node === undefined) throw notFound(path);
  folder.remove(name);
  return node;
}

function splitPath(path: string): { parent: string; name: string } {
  const slash = path.lastIndexOf('/');
  return { parent: slash < 0 ? '' : path.slice(0, slash), name: path.slice(slash + 1) };
}

function inTheWay(path: string, why: string): SkillError {
  return new SkillError('TARGET_EXISTS', `${shownPath(path)} cannot be put there: ${why}`, {
    details: { path },
  });
}
