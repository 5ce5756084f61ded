/**
 * Looks at files and folders of this machine, not opened and not checked.
 *
 * @module
 */
import { type BigIntStats, lstatSync } from 'node:fs';
import { stampOf } from './file-read.ts';
import type { KeptLooks } from './kept-looks.ts';
import { childOf, hostPath } from './link-roots.ts';
import type { SourceLook } from './source.ts';

/** Paths of folders that are kept for the folders in them. */
const PATHS = 1_024;

const LOOK = { bigint: true, throwIfNoEntry: false } as const;

/** Looks at what stands below a real path, on the file system of `device` alone. */
export class RealLooks {
  readonly root: string;
  readonly device: bigint;

  constructor(root: string, device: bigint) {
    this.root = root;
    this.device = device;
  }

  /** As {@link SourceRecall.folder}. */
  folder(path: string): SourceLook | undefined {
    const stats = lookAt(this.#full(path));
    // Below a mount point another file system may stand.
    if (stats === undefined || !stats.isDirectory() || stats.dev !== this.device) return undefined;
    return { stamp: stampOf(stats), changedAt: changedAtOf(stats) };
  }

  /** As {@link SourceRecall.file}. */
  file(path: string): string | undefined {
    const stats = lookAt(this.#full(path));
    return stats?.isFile() === true ? stampOf(stats) : undefined;
  }

  #full(path: string): string {
    return path === '' ? this.root : childOf(this.root, hostPath(path));
  }
}

/** Returns what stands at a full path; undefined where nothing does, or nothing that can be looked at. */
export function lookAt(full: string): BigIntStats | undefined {
  try {
    return lstatSync(full, LOOK);
  } catch {
    // Whatever it is, the listing that follows meets it too.
    return undefined;
  }
}

/** Returns when something changed last, as {@link SourceLook.changedAt}. */
export function changedAtOf(stats: BigIntStats): number {
  return Number(stats.ctimeNs) / 1e6;
}

/** Returns a look at folders of `kept`, by their numbers, that tells whether each and all its files are as they were. */
export function folderLooker(looks: RealLooks, kept: KeptLooks): (at: number) => boolean {
  const paths = new Map<number, string>();
  const pathOf = (at: number): string => {
    if (at === 0) return '';
    const known = paths.get(at);
    if (known !== undefined) return known;
    const above = pathOf(kept.above(at));
    const name = kept.names(at)[0] ?? '';
    const path = above === '' ? name : `${above}/${name}`;
    if (paths.size >= PATHS) paths.clear();
    paths.set(at, path);
    return path;
  };
  return (at) => {
    const [stamp, ...stamps] = kept.stamps(at);
    // Its names have to be listed anew.
    if (stamp === '') return false;
    const path = pathOf(at);
    if (looks.folder(path)?.stamp !== stamp) return false;
    const names = kept.names(at);
    const begin = path === '' ? '' : `${path}/`;
    return stamps.every((each, index) => looks.file(`${begin}${names[index + 1]}`) === each);
  };
}
