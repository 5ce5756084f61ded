/**
 * Work that several callers wait for at once and that is done once.
 *
 * @module
 */

interface Run<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  ended: boolean;
  waiting: number;
}

/** Joins callers that ask for the same thing while it is under way. */
export class SharedRuns<T> {
  readonly #runs: Map<string, Run<T>> = new Map();

  /**
   * What `work` comes to, or that of a call with the same key that is still under way. The signal takes its caller out
   * alone; the work is told to end when nobody waits for it any more.
   *
   * Errors: those of the work, and the reason of the signal.
   *
   * @example
   * runs.run(uri, (signal) => download(uri, { signal }), scope.signal)
   */
  async run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const run = this.#runs.get(key) ?? this.#start(key, work);
    run.waiting += 1;
    try {
      return await orAborted(run.result, signal);
    } finally {
      run.waiting -= 1;
      if (run.waiting === 0) {
        // Also after the end: a caller that comes now must not join work that was told to stop.
        this.#forget(key, run);
        // Work that has ended needs no telling, and the reason that would be made for it costs as much as a small request.
        if (!run.ended) run.controller.abort(signal?.reason);
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Run<T> {
    const controller = new AbortController();
    const result = work(controller.signal);
    const run: Run<T> = { result, controller, ended: false, waiting: 0 };
    this.#runs.set(key, run);
    const end = (): void => {
      run.ended = true;
      this.#forget(key, run);
    };
    result.then(end, end);
    return run;
  }

  #forget(key: string, run: Run<T>): void {
    if (this.#runs.get(key) === run) this.#runs.delete(key);
  }
}

async function orAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave);
  }
}
