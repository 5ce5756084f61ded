/**
 * The file system of this machine, as far as a watcher uses it.
 *
 * @module
 */
import fs, { type Dirent, type Stats } from 'node:fs';
import { sharedWatcher } from './shared-watcher.ts';

/** What the system says of a change: `rename` when a name came or went, `change` when content did. */
export type HostEvent = 'rename' | 'change';

/** A watch that stands. */
export interface HostWatch {
  close(): void;
}

/** What is told of the folder that a watch was given `of`. */
export interface HostEvents<T extends object> {
  /** `name` is null when the system does not say. */
  heard(of: T, type: HostEvent, name: string | null): void;
  /** The watch failed, and hears no more. */
  broke(of: T): void;
}

/** Watches a folder without keeping the process alive. Throws what the system throws. */
export type HostWatcher<T extends object> = (folder: string, recursive: boolean, of: T) => HostWatch;

/** The calls a watcher makes. Tests hand in one that fails. */
export interface WatchHost {
  /**
   * One watch sees all below its folder. Inotify watches single folders; FSEvents and ReadDirectoryChangesW watch trees,
   * and ten thousand watches there would each cost the system a stream or a thread.
   */
  readonly recursive: boolean;
  /** Events the system holds before it drops some; what is dropped is not told. */
  readonly queuedEvents: number;
  /** What watches folders and tells `events`, which all watches of one watcher share. */
  watcher<T extends object>(events: HostEvents<T>): HostWatcher<T>;
  /** Undefined when nothing stands there, or nothing that can be looked at. */
  lstat(path: string): Stats | undefined;
  /** As `lstat`, of what a link leads to. */
  stat(path: string): Stats | undefined;
  readdir(path: string): Dirent[];
  readlink(path: string): string;
}

const TYPES = { withFileTypes: true } as const;

let queued: number | undefined;

/** `node:fs`. */
export const watchHost: WatchHost = {
  recursive: process.platform === 'darwin' || process.platform === 'win32',
  get queuedEvents() {
    queued ??= queuedEvents();
    return queued;
  },
  watcher: sharedWatcher,
  lstat: (path) => orNothing(() => fs.lstatSync(path)),
  stat: (path) => orNothing(() => fs.statSync(path)),
  readdir: (path) => fs.readdirSync(path, TYPES),
  readlink: (path) => fs.readlinkSync(path),
};

function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

function queuedEvents(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY;
  try {
    const text = fs.readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8');
    return Number.parseInt(text, 10) || 16_384;
  } catch {
    // Without /proc the default of the kernel is the best guess.
    return 16_384;
  }
}
