/**
 * Folders looked at from time to time, where the system does not tell.
 *
 * @module
 */
import type { Dirent, Stats } from 'node:fs';
import { startPace } from '../pace.ts';
import type { FolderVisitor } from './folder-visitor.ts';
import { isIgnoredName } from './ignore.ts';
import { childOf } from './link-roots.ts';
import type { WatchHost } from './watch-host.ts';
import type { WatchQueue } from './watch-queue.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** A folder changed within this time of a look can change again without a new time, on coarse clocks; ms. */
const COARSE_MS = 2_000;
/** Numbers kept of each file: size, mtime, ctime, inode. */
const NUMBERS = 4;

interface FolderState {
  readonly modified: number;
  readonly changed: number;
  readonly inode: number;
  /** Its list of names may be older than its times say. */
  readonly coarse: boolean;
  readonly files: readonly string[];
  readonly numbers: Float64Array;
  readonly folders: readonly string[];
  /** Names of links, with what they are and lead to. */
  readonly links: ReadonlyMap<string, string> | undefined;
  /** It could not be listed; its own times alone are looked at. */
  readonly unreadable: boolean;
}

/**
 * Folders looked at from time to time. A look asks for the times of each folder and file and lists only folders whose
 * times changed.
 */
export class FolderLooks implements FolderVisitor {
  readonly #host: WatchHost;
  readonly #queue: WatchQueue;
  readonly #states: Map<string, FolderState> = new Map();

  constructor(host: WatchHost, queue: WatchQueue) {
    this.#host = host;
    this.#queue = queue;
  }

  /** Folders that are looked at. */
  get size(): number {
    return this.#states.size;
  }

  opened(_folder: WatchedFolder, real: string): void {
    if (this.#states.has(real)) return;
    const stats = this.#host.lstat(real);
    try {
      this.#states.set(real, this.#listed(real, stats));
    } catch (error) {
      this.#states.set(real, { ...timesOf(stats), ...NOTHING });
      throw error;
    }
  }

  closed(folder: WatchedFolder): void {
    this.#states.delete(folder.real);
  }

  /** Looks at everything once and puts what differs from the last time into the queue. */
  async look(): Promise<void> {
    const pace = startPace();
    for (const [real, state] of this.#states) {
      if (pace.due()) await pace.rest();
      // Closed while this look was at rest.
      if (this.#states.get(real) !== state) continue;
      this.#lookAt(real, state);
    }
  }

  #lookAt(real: string, state: FolderState): void {
    const stats = this.#host.lstat(real);
    // A folder that went away is missing in the folder above, or is a root or the end of a link.
    if (stats === undefined) return;
    const same =
      stats.mtimeMs === state.modified && stats.ctimeMs === state.changed && stats.ino === state.inode;
    if (state.unreadable) {
      if (!same) this.#queue.addFolder(real);
      return;
    }
    if (!same || state.coarse || this.#hasMovedLinks(real, state)) this.#compare(real, state, stats);
    else this.#lookAtFiles(real, state);
  }

  #lookAtFiles(real: string, state: FolderState): void {
    for (const [index, name] of state.files.entries()) {
      const now = this.#host.lstat(childOf(real, name));
      if (now !== undefined && isSame(state.numbers, index, now)) continue;
      this.#queue.add(real, name, now === undefined || !now.isFile());
      if (now !== undefined) note(state.numbers, index, now);
    }
  }

  #hasMovedLinks(real: string, { links = NO_LINKS }: FolderState): boolean {
    for (const [name, before] of links) if (this.#linkState(childOf(real, name)) !== before) return true;
    return false;
  }

  #compare(real: string, before: FolderState, stats: Stats): void {
    let now: FolderState;
    try {
      now = this.#listed(real, stats);
    } catch {
      // What it means that it cannot be listed any more is found out when it is opened anew.
      this.#queue.addFolder(real);
      return;
    }
    this.#states.set(real, now);
    const old = new Map(before.files.map((name, index) => [name, index]));
    for (const [index, name] of now.files.entries()) {
      const at = old.get(name);
      old.delete(name);
      if (at === undefined) this.#queue.add(real, name, true);
      else if (!equal(before.numbers, at, now.numbers, index)) this.#queue.add(real, name, false);
    }
    for (const name of old.keys()) this.#queue.add(real, name, true);
    for (const name of difference(before.folders, now.folders)) this.#queue.add(real, name, true);
    for (const name of new Set([...(before.links?.keys() ?? []), ...(now.links?.keys() ?? [])])) {
      if (before.links?.get(name) !== now.links?.get(name)) this.#queue.add(real, name, true);
    }
    // What replaced a folder under its name stands elsewhere on the disk; its permissions decide what it shows.
    if (before.inode !== now.inode) this.#queue.addFolder(real);
  }

  #listed(real: string, stats: Stats | undefined): FolderState {
    const entries = this.#host.readdir(real).filter(({ name }) => !isIgnoredName(name));
    const files = entries.filter(isPlain).map(({ name }) => name);
    const numbers = new Float64Array(files.length * NUMBERS);
    for (const [index, name] of files.entries()) {
      const file = this.#host.lstat(childOf(real, name));
      if (file !== undefined) note(numbers, index, file);
    }
    const links = entries.filter((entry) => entry.isSymbolicLink());
    return {
      ...timesOf(stats),
      coarse: (stats?.mtimeMs ?? 0) > Date.now() - COARSE_MS,
      files,
      numbers,
      folders: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
      links:
        links.length === 0
          ? undefined
          : new Map(links.map(({ name }) => [name, this.#linkState(childOf(real, name))])),
      unreadable: false,
    };
  }

  #linkState(full: string): string {
    return [this.#host.lstat(full), this.#host.stat(full)]
      .map((stats) => (stats === undefined ? '' : `${stats.dev} ${stats.ino} ${linkTimes(stats)}`))
      .join('\n');
  }
}

const NO_LINKS: ReadonlyMap<string, string> = new Map();

const NOTHING = {
  coarse: false,
  files: [],
  numbers: new Float64Array(0),
  folders: [],
  links: undefined,
  unreadable: true,
} as const;

function timesOf(stats: Stats | undefined): Pick<FolderState, 'modified' | 'changed' | 'inode'> {
  return { modified: stats?.mtimeMs ?? 0, changed: stats?.ctimeMs ?? 0, inode: stats?.ino ?? 0 };
}

/** What a folder holds is looked at by itself, and changes its times. */
function linkTimes(stats: Stats): string {
  return stats.isDirectory() ? 'folder' : `${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
}

function isPlain(entry: Dirent): boolean {
  return !entry.isDirectory() && !entry.isSymbolicLink();
}

function note(numbers: Float64Array, index: number, stats: Stats): void {
  numbers.set([stats.size, stats.mtimeMs, stats.ctimeMs, stats.ino], index * NUMBERS);
}

function isSame(numbers: Float64Array, index: number, stats: Stats): boolean {
  const at = index * NUMBERS;
  return (
    numbers[at] === stats.size &&
    numbers[at + 1] === stats.mtimeMs &&
    numbers[at + 2] === stats.ctimeMs &&
    numbers[at + 3] === stats.ino
  );
}

function equal(a: Float64Array, aIndex: number, b: Float64Array, bIndex: number): boolean {
  for (let each = 0; each < NUMBERS; each += 1) {
    if (a[aIndex * NUMBERS + each] !== b[bIndex * NUMBERS + each]) return false;
  }
  return true;
}

function difference(before: readonly string[], now: readonly string[]): string[] {
  const old = new Set(before);
  const added = now.filter((name) => !old.delete(name));
  return [...old, ...added];
}
