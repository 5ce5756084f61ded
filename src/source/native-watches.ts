/**
 * Folders watched by the system.
 *
 * @module
 */
import path from 'node:path';
import type { FolderVisitor } from './folder-visitor.ts';
import { childOf } from './link-roots.ts';
import type { HostEvent, HostWatcher, WatchHost } from './watch-host.ts';
import type { WatchQueue } from './watch-queue.ts';
import type { WatchTree } from './watch-tree.ts';
import type { WatchedFolder } from './watched-folder.ts';

/** The part of the system's queue from which on it may have been full: what it holds for others counts too. */
const NEARLY_FULL = 0.75;

/** What {@link NativeWatches} work with. */
export interface NativeWatchOptions {
  readonly host: WatchHost;
  readonly queue: WatchQueue;
  /** The tree that these watches stand in. */
  readonly tree: () => WatchTree;
  /** Called after something was put into the queue. */
  readonly heard: () => void;
}

/**
 * One watch a folder, none a file; where the system watches trees, one a root. Watches follow the folder and not its
 * name, so whoever hears that a name came or went has to open the folder anew.
 */
export class NativeWatches implements FolderVisitor {
  readonly #options: NativeWatchOptions;
  readonly #watch: HostWatcher<WatchedFolder>;
  readonly #most: number;
  #turn = 0;

  constructor(options: NativeWatchOptions) {
    this.#options = options;
    this.#most = options.host.queuedEvents * NEARLY_FULL;
    this.#watch = options.host.watcher({
      heard: (folder, type, name) => this.#heard(folder.real, type, name),
      broke: (folder) => this.#broke(folder),
    });
  }

  opened(folder: WatchedFolder, real: string, deep: boolean): void {
    const { host } = this.#options;
    const known = folder.watch;
    if (known !== undefined && (folder.deep || !deep || !host.recursive)) return;
    if (host.recursive && isSeen(folder)) return;
    this.closed(folder);
    const recursive = host.recursive && deep;
    folder.watch = this.#watch(real, recursive, folder);
    folder.deep = recursive;
  }

  closed(folder: WatchedFolder): void {
    folder.watch?.close();
    folder.watch = undefined;
    folder.deep = false;
  }

  #heard(real: string, type: HostEvent, name: string | null): void {
    const { queue, tree, heard, host } = this.#options;
    // What overflows the queue of the system is lost without a word, so a queue that was nearly full may have lost some.
    if (this.#turn === 0)
      setImmediate(() => {
        this.#turn = 0;
      });
    this.#turn += 1;
    if (this.#turn > this.#most) queue.addEverything();
    else if (name === null || name === '') queue.addFolder(real);
    else if (host.recursive) this.#below(real, type, name);
    else if (type === 'rename' && tree().links.isRoot(real) && name === path.basename(real))
      queue.addFolder(real);
    else queue.add(real, name, type === 'rename');
    heard();
  }

  /** From a path below a watched tree to the folder that has the name; a folder not known yet is the news itself. */
  #below(real: string, type: HostEvent, name: string): void {
    const { queue, tree } = this.#options;
    const names = name.split(/[\\/]/);
    const last = names.pop() ?? name;
    let folder = real;
    for (const each of names) {
      if (!tree().hasFolder(folder, each)) {
        queue.add(folder, each, true);
        return;
      }
      folder = childOf(folder, each);
    }
    // Such systems also report a folder as changed when something in it did, which is told by itself.
    if (type === 'change' && tree().hasFolder(folder, last)) return;
    queue.add(folder, last, type === 'rename');
  }

  /** A watch that fails has mostly lost its folder; the folder above or the root tells what became of it. */
  #broke(folder: WatchedFolder): void {
    const { real } = folder;
    this.closed(folder);
    if (this.#options.tree().links.isRoot(real)) this.#options.queue.addFolder(real);
    else this.#options.queue.add(path.dirname(real), path.basename(real), true);
    this.#options.heard();
  }
}

/** Whether a watch on a folder above sees this one. */
function isSeen({ above }: WatchedFolder): boolean {
  for (let folder = above; folder !== undefined; folder = folder.above) if (folder.deep) return true;
  return false;
}
