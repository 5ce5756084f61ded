/**
 * Watching the folders of a source.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { FolderLooks } from './folder-looks.ts';
import { NativeWatches } from './native-watches.ts';
import { remotesOf } from './remotes.ts';
import { Settle } from './settle.ts';
import type { HostRoot, Source } from './source.ts';
import { limitOr, reportTo, setupFailure, WatchLimit, workFailure } from './watch-error.ts';
import { followHeard } from './watch-follow.ts';
import { type WatchHost, watchHost } from './watch-host.ts';
import { type PathTest, watchIgnores } from './watch-ignores.ts';
import { type Heard, WatchQueue } from './watch-queue.ts';
import { type After, systemTimer, watchRemotes } from './watch-remotes.ts';
import { WatchTree } from './watch-tree.ts';
import type { SourceWatcher, StartWatcher, WatchRequest } from './watcher.ts';

/** A look takes at most one part in this many of the time. */
const LOOK_SHARE = 10;
/** Timers of the system do not reach much further than 20 of these. */
const LONGEST_MS = 86_400_000;

/**
 * Watches the folders of `source` and tells which paths may have changed (decisions 7, 13, 14).
 *
 * There is one watch a folder and none a file, set before the folder is listed, so that nothing is missed in between;
 * what the source ignores is not watched. Where links lead is watched too, at each step of the way. Events are collected
 * until it is quiet for `settleMs`, 20 such times at most, and told as one batch; a storm of them costs bounded memory.
 * Where the system has no watches left, says so once and polls. What was fetched and can be revalidated is, every
 * `pollRemoteMs`, and told as a change of the whole part. The watcher does not keep the process alive.
 *
 * Errors: `FS_WATCHER_MISSING_HOST_ROOT` (no folder of this machine holds any of the source,
 * and none of it can be revalidated), `FS_WATCHER_SETUP_FAILED`
 * (the root cannot be watched); those of listing the root.
 *
 * @example
 * const watcher = await watchSource(source, { onChange: (paths) => catalog.refreshPaths(paths).then(() => undefined) });
 */
export const watchSource: StartWatcher = (source, request) =>
  startWatcher(source, request, watchHost, systemTimer);

/** {@link watchSource} over another file system. */
export async function startWatcher(
  source: Source,
  request: WatchRequest,
  host: WatchHost,
  after: After = systemTimer,
): Promise<SourceWatcher> {
  const local = hostRootsOf(source).length > 0;
  if (remotesOf(source).length > 0) {
    const pollMs = timeOf('pollRemoteMs', request.pollRemoteMs, LIMITS.pollRemoteMs);
    const start = (own: WatchRequest): Promise<SourceWatcher> => startFolders(source, own, host);
    return watchRemotes(source, request, { pollMs, after, ...(local ? { start } : {}) });
  }
  if (!local) {
    throw new SkillError(
      'FS_WATCHER_MISSING_HOST_ROOT',
      `${source.label} holds no folder of this machine that could be watched; serve a folder, or tell of changes by notifyChanged`,
      { details: { source: source.label } },
    );
  }
  return startFolders(source, request, host);
}

async function startFolders(source: Source, request: WatchRequest, host: WatchHost): Promise<SourceWatcher> {
  const watcher = new Watcher(source, request, host);
  try {
    await watcher.start();
  } catch (error) {
    await watcher.close();
    throw error;
  }
  return watcher;
}

function hostRootsOf(source: Source): readonly HostRoot[] {
  return source.hostRoots ?? (source.hostRoot === undefined ? [] : [{ path: '', folder: source.hostRoot }]);
}

class Watcher implements SourceWatcher {
  readonly #source: Source;
  readonly #request: WatchRequest;
  readonly #host: WatchHost;
  readonly #logger: Logger;
  readonly #queue: WatchQueue = new WatchQueue();
  readonly #settle: Settle;
  readonly #pollMs: number;
  readonly #ignores: PathTest;
  #tree: WatchTree;
  /** Undefined while the system tells. */
  #looks: FolderLooks | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;
  #again = false;
  #started = false;
  #closed = false;

  constructor(source: Source, request: WatchRequest, host: WatchHost) {
    this.#source = source;
    this.#request = request;
    this.#host = host;
    this.#logger = request.logger ?? silentLogger;
    this.#pollMs = timeOf('pollMs', request.pollMs, LIMITS.pollMs);
    this.#settle = new Settle(timeOf('settleMs', request.settleMs, LIMITS.watchSettleMs), () => {
      void this.#work();
    });
    this.#ignores = watchIgnores(request.ignore ?? []);
    if (request.poll === true) this.#looks = new FolderLooks(host, this.#queue);
    this.#tree = this.#newTree();
  }

  get mode(): 'native' | 'poll' {
    return this.#looks === undefined ? 'native' : 'poll';
  }

  async start(): Promise<void> {
    // Sources side by side settle where each of them stands when they are first listed.
    await this.#source.list('');
    await this.#plant();
    await turn();
    // What was made while the watches were set has to be watched, and is no change to the scan that follows.
    await this.#follow(this.#queue.take());
    this.#settle.stop();
    this.#queue.take();
    this.#started = true;
    this.#arm(this.#pollMs);
  }

  async drain(): Promise<void> {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    await turn();
    if (this.#looks !== undefined) await this.#looks.look();
    while (!this.#closed && (this.#working !== undefined || !this.#queue.empty)) await this.#work();
    await this.close();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#settle.stop();
    this.#queue.take();
    this.#tree.close();
  }

  #newTree(): WatchTree {
    const heard = (): void => this.#settle.heard();
    const visitor =
      this.#looks ?? new NativeWatches({ host: this.#host, queue: this.#queue, tree: () => tree, heard });
    const tree: WatchTree = new WatchTree({
      source: this.#source,
      host: this.#host,
      visitor: {
        opened: (folder, real, deep) => {
          try {
            visitor.opened(folder, real, deep);
          } catch (error) {
            throw this.#started || !tree.links.isRoot(real)
              ? limitOr(error)
              : setupFailure(this.#source, error);
          }
        },
        closed: (folder) => visitor.closed(folder),
      },
      ignores: this.#ignores,
      isFatal: (error) => error instanceof WatchLimit || isSkillError(error, 'FS_WATCHER_SETUP_FAILED'),
      report: (error) => this.#report(error),
    });
    return tree;
  }

  /** Sets all watches; where the system has none left, the looks that take their place. */
  async #plant(): Promise<void> {
    try {
      for (const root of hostRootsOf(this.#source)) await this.#tree.addRoot(root);
    } catch (error) {
      if (!(error instanceof WatchLimit) || this.#looks !== undefined) throw error;
      this.#fallBack(error);
      await this.#plant();
    }
  }

  #fallBack(limit: WatchLimit): void {
    this.#tree.close();
    this.#settle.stop();
    this.#looks = new FolderLooks(this.#host, this.#queue);
    this.#tree = this.#newTree();
    this.#report(limit.problem(this.#source, this.#pollMs));
  }

  async #follow(heard: Heard): Promise<readonly string[]> {
    try {
      return await followHeard(heard, {
        tree: this.#tree,
        ignores: this.#ignores,
        source: this.#source,
        host: this.#host,
      });
    } catch (error) {
      if (!(error instanceof WatchLimit) || this.#looks !== undefined) throw error;
      this.#fallBack(error);
      for (const root of hostRootsOf(this.#source)) await this.#tree.addRoot(root, true);
      // What changed before the first look is in no batch.
      return [''];
    }
  }

  /** Tells what was heard, one batch after the other; what is heard meanwhile waits until it settled. */
  #work(): Promise<void> {
    if (this.#working === undefined) {
      this.#working = this.#tell().finally(() => {
        this.#working = undefined;
      });
    } else {
      this.#again = true;
    }
    return this.#working;
  }

  async #tell(): Promise<void> {
    do {
      this.#again = false;
      try {
        const paths = await this.#follow(this.#queue.take());
        if (this.#closed) return;
        if (paths.length > 0) await this.#request.onChange(paths);
      } catch (error) {
        this.#report(workFailure(this.#source, error));
      }
    } while (this.#again && !this.#closed);
  }

  #arm(ms: number): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#beat(), ms).unref();
  }

  /** Looks at what no watch tells of, and without watches at everything. */
  async #beat(): Promise<void> {
    const { roots, links } = this.#tree.links.moved();
    for (const root of roots) this.#queue.addFolder(root);
    for (const { folder, name } of links) this.#queue.add(folder, name, true);
    const began = performance.now();
    if (this.#looks !== undefined) await this.#looks.look();
    const took = performance.now() - began;
    if (this.#closed) return;
    if (!this.#queue.empty) {
      if (this.#looks !== undefined) await this.#work();
      else if (roots.length + links.length > 0) this.#settle.heard();
    }
    this.#arm(Math.max(this.#pollMs, took * LOOK_SHARE));
  }

  #report(error: SkillError): void {
    if (this.#closed) return;
    const { onError } = this.#request;
    reportTo(onError, this.#logger, error);
  }
}

function timeOf(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback;
  if (value >= 0 && value <= LONGEST_MS) return value;
  throw new SkillError('USAGE', `${name} is ${value}; it is a number of ms, a day at most`, {
    details: { option: name },
  });
}

/** Lets the loop turn, so that what the system holds is heard. */
async function turn(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
