/**
 * Whether a folder of this machine is what another process found, told by looks.
 *
 * @module
 */
import { statfsSync } from 'node:fs';
import { stampOf } from './file-read.ts';
import type { IgnoreOptions, IgnoreRules } from './ignore.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import { childOf, type LinkPolicy, type LinkRoots, type Root } from './link-roots.ts';
import { startLooksThread } from './looks-thread.ts';
import { changedAtOf, lookAt, RealLooks } from './real-looks.ts';
import type { LooksAhead, SourceLook, SourceRecall } from './source.ts';

/**
 * Local file systems of Linux, by their number in `statfs(2)`, that give a folder a new time with every name that comes or
 * goes. FAT on some systems does not, and what a network volume tells may be old.
 */
const KEEP_TIMES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0x01021994, // tmpfs
  0x2fc12fc1, // ZFS
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x794c7630, // overlayfs
]);

/** What {@link startRecall} needs of a source. */
export interface RecallParts {
  readonly rules: IgnoreRules;
  readonly links: LinkRoots;
  readonly options: IgnoreOptions & { readonly symlinks?: LinkPolicy };
  readonly linkRoots: readonly Root[];
  /** What looks on another thread. */
  readonly program: URL | undefined;
}

/** Returns the recall of the tree at `root`, a real path; undefined where times of folders cannot be relied on. */
export function startRecall(root: string, parts: RecallParts): SourceRecall | undefined {
  const device = keepsTimes(root) ? lookAt(root)?.dev : undefined;
  return device === undefined ? undefined : new FolderRecall(root, device, parts);
}

class FolderRecall implements SourceRecall {
  readonly key: string;
  readonly #looks: RealLooks;
  readonly #parts: RecallParts;

  constructor(root: string, device: bigint, parts: RecallParts) {
    const { options, linkRoots } = parts;
    this.#looks = new RealLooks(root, device);
    this.#parts = parts;
    this.key = JSON.stringify([
      root,
      options.symlinks ?? 'contained',
      linkRoots.map(({ real }) => real),
      options.ignore ?? [],
      options.allowSecret ?? [],
      // What one user or group may read another may not, and no time tells.
      [process.geteuid?.(), process.getegid?.(), process.getgroups?.()],
    ]);
  }

  folder(path: string): SourceLook | undefined {
    return this.#looks.folder(path);
  }

  file(path: string): string | undefined {
    return this.#looks.file(path);
  }

  ahead(kept: Uint8Array): LooksAhead | undefined {
    const { program } = this.#parts;
    return program && startLooksThread(program, this.#looks, kept);
  }

  rules(folder: string): SourceLook | undefined {
    const stats = lookAt(childOf(this.#parts.links.expected(folder), IGNORE_FILE));
    if (stats === undefined) return undefined;
    return { stamp: stats.isFile() ? stampOf(stats) : '', changedAt: changedAtOf(stats) };
  }

  ruled(): readonly string[] | undefined {
    return this.#parts.rules.ruled();
  }
}

function keepsTimes(root: string): boolean {
  try {
    return process.platform === 'linux' && KEEP_TIMES.has(statfsSync(root).type);
  } catch {
    return false;
  }
}
