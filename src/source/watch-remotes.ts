/**
 * Asking servers whether what was fetched from them changed.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { remotesOf } from './remotes.ts';
import type { RemoteRoot, Source } from './source.ts';
import { reportTo, workFailure } from './watch-error.ts';
import type { SourceWatcher, WatchRequest } from './watcher.ts';

/** Calls `run` after `ms`; the returned function prevents that. */
export type After = (ms: number, run: () => void) => () => void;

/** The timers of this machine. They do not keep the process alive. */
export const systemTimer: After = (ms, run) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** How {@link watchRemotes} asks. */
export interface RemoteOptions {
  readonly pollMs: number;
  readonly after: After;
  /** Starts to watch the folders of the same source, where it has some. */
  readonly start?: (request: WatchRequest) => Promise<SourceWatcher>;
}

/**
 * Revalidates every fetched part of `source` at intervals, each by itself and never twice at once, and tells a part that
 * changed as a change of all of it. Folders are watched beside it. Errors: those of `start`, and of listing the root.
 */
export async function watchRemotes(
  source: Source,
  request: WatchRequest,
  { start, ...options }: RemoteOptions,
): Promise<SourceWatcher> {
  const onChange = inTurn(request.onChange);
  // Sources side by side settle where each of them stands when they are first listed.
  await source.list('');
  const folders = await start?.({ ...request, onChange });
  return new RemoteWatcher(source, { ...request, onChange }, options, folders);
}

class RemoteWatcher implements SourceWatcher {
  readonly #source: Source;
  readonly #request: WatchRequest;
  readonly #options: RemoteOptions;
  readonly #folders: SourceWatcher | undefined;
  readonly #logger: Logger;
  readonly #ending: AbortController = new AbortController();
  readonly #timers: Map<RemoteRoot, () => void> = new Map();
  /** Changed, and the telling failed. */
  readonly #untold: Set<RemoteRoot> = new Set();
  readonly #telling: Set<Promise<void>> = new Set();
  #closed = false;

  constructor(
    source: Source,
    request: WatchRequest,
    options: RemoteOptions,
    folders: SourceWatcher | undefined,
  ) {
    this.#source = source;
    this.#request = request;
    this.#options = options;
    this.#folders = folders;
    this.#logger = request.logger ?? silentLogger;
    for (const remote of remotesOf(source)) this.#arm(remote, 0);
  }

  get mode(): 'native' | 'poll' {
    return this.#folders?.mode ?? 'poll';
  }

  async drain(): Promise<void> {
    this.#stop();
    // An answer that is there already has taken its place in the source, and is to be told.
    await setImmediate();
    await Promise.all(this.#telling);
    await this.#folders?.drain();
    this.#closed = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    await this.#folders?.close();
  }

  #stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#ending.abort();
  }

  #arm(remote: RemoteRoot, failures: number): void {
    if (this.#ending.signal.aborted) return;
    const { pollMs, after } = this.#options;
    const most = Math.max(pollMs, LIMITS.pollRemoteMaxMs);
    const ms = failures === 0 ? pollMs : Math.min(Math.max(pollMs, 1) * 2 ** failures, most);
    this.#timers.set(
      remote,
      after(ms, () => void this.#beat(remote, failures)),
    );
  }

  async #beat(remote: RemoteRoot, failures: number): Promise<void> {
    const { signal } = this.#ending;
    try {
      const changed = await remote.revalidate({ signal });
      if ((changed || this.#untold.has(remote)) && !this.#closed) await this.#tell(remote);
    } catch (error) {
      if (signal.aborted) return;
      this.#report(unanswered(this.#source, remote, error));
      this.#arm(remote, failures + 1);
      return;
    }
    this.#arm(remote, 0);
  }

  async #tell(remote: RemoteRoot): Promise<void> {
    this.#untold.delete(remote);
    const told = (async () => this.#request.onChange([remote.path]))().catch((error: unknown) => {
      this.#untold.add(remote);
      this.#report(workFailure(this.#source, error));
    });
    this.#telling.add(told);
    await told;
    this.#telling.delete(told);
  }

  #report(error: SkillError): void {
    if (!this.#closed) reportTo(this.#request.onError, this.#logger, error);
  }
}

/** The next call waits until the one before settled. */
function inTurn(onChange: WatchRequest['onChange']): (paths: readonly string[]) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (paths) => {
    const next = last.then(() => onChange(paths));
    last = next.catch(() => undefined);
    return next;
  };
}

function unanswered(source: Source, { label }: RemoteRoot, error: unknown): SkillError {
  if (!(error instanceof SkillError)) return workFailure(source, error);
  return new SkillError(error.code, `${label} is served as it was: ${error.message}`, {
    details: error.details,
    cause: error,
  });
}
