/**
 * The folders of an archive.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { quote } from '../uri/quote.ts';
import type { PlacedEntry } from './archive-layout.ts';

/** A file: its bytes stay in the archive. */
export interface ArchiveFile {
  readonly kind: 'file';
  /** Its path in the archive. */
  readonly stored: string;
  readonly size: number;
  /** Whether it holds a private key; undefined before anybody looked. */
  privateKey: boolean | undefined;
}

/** A link, which nothing follows. */
export interface ArchiveLink {
  readonly kind: 'link';
}

/** A file, link or folder. */
export type ArchiveNode = ArchiveFile | ArchiveLink | ArchiveFolder;

const LINK: ArchiveLink = { kind: 'link' };

/** A folder, whether the archive names it or only what is in it. */
export class ArchiveFolder {
  readonly kind = 'directory' as const;
  readonly children: Map<string, ArchiveNode> = new Map();
  #sorted: readonly (readonly [string, ArchiveNode])[] | undefined;

  /** The children in code-point order by name; to be asked for once all of them are there. */
  sorted(): readonly (readonly [string, ArchiveNode])[] {
    this.#sorted ??= [...this.children].sort((a, b) => compareCodePoints(a[0], b[0]));
    return this.#sorted;
  }

  /** What stands at a path below, the folder itself for the empty one. */
  find(path: string): ArchiveNode | undefined {
    if (path === '') return this;
    let node: ArchiveNode | undefined = this;
    for (const segment of path.split('/')) {
      if (node?.kind !== 'directory') return undefined;
      node = node.children.get(segment);
    }
    return node;
  }
}

/** Returns the tree of `entries`, no two of which stand in each other's way: whoever opened the archive saw to that. */
export function archiveTree(entries: readonly PlacedEntry[]): ArchiveFolder {
  const root = new ArchiveFolder();
  for (const { path, kind, stored, size } of entries) {
    const slash = path.lastIndexOf('/');
    if (kind === 'directory') folderAt(root, path);
    else {
      const file: ArchiveNode = kind === 'link' ? LINK : { kind, stored, size, privateKey: undefined };
      folderAt(root, path.slice(0, Math.max(slash, 0))).children.set(path.slice(slash + 1), file);
    }
  }
  return root;
}

function folderAt(root: ArchiveFolder, path: string): ArchiveFolder {
  if (path === '') return root;
  let folder = root;
  for (const segment of path.split('/')) {
    let next = folder.children.get(segment);
    if (next === undefined) {
      next = new ArchiveFolder();
      folder.children.set(segment, next);
    }
    if (next.kind !== 'directory') {
      throw new SkillError('ARCHIVE_COLLISION', `the entry ${quote(path)} is a file and a folder`, {
        details: { path },
      });
    }
    folder = next;
  }
  return folder;
}
