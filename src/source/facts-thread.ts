/**
 * Facts of many files, taken on another thread.
 *
 * @module
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import {
  batchOf,
  type FactsReply,
  type FactsRequest,
  type FactsScope,
  NOTHING_TOLD,
} from './facts-answer.ts';
import type { FactsAhead, FactsBatch } from './source.ts';

/** The program of the thread. */
export interface ThreadProgram {
  readonly file: URL;
  readonly execArgv?: readonly string[];
}

/** What {@link startFactsThread} needs. */
export interface FactsThreadOptions extends FactsScope {
  readonly program: ThreadProgram;
  /** Whether a file may be told without asking the source again. */
  readonly admits: (path: string, within: string) => boolean;
}

/** Memory of the thread, MB: what it makes lives as long as one batch. */
const YOUNG_MB = 4;
const OLD_MB = 64;

/**
 * The program of the thread as it is shipped; undefined where a second thread would only take turns with the first, and
 * where the program is not JavaScript.
 */
export function threadProgram(): ThreadProgram | undefined {
  if (!import.meta.url.endsWith('.js') || availableParallelism() < 2) return undefined;
  return { file: new URL('./facts-worker.js', import.meta.url) };
}

/** Starts a thread; undefined when the system has none left. */
export function startFactsThread(options: FactsThreadOptions): FactsAhead | undefined {
  try {
    return new FactsThread(options);
  } catch {
    return undefined;
  }
}

interface Waiting {
  readonly places: Int32Array;
  readonly resolve: (batch: FactsBatch) => void;
}

class FactsThread implements FactsAhead {
  readonly #options: FactsThreadOptions;
  readonly #worker: Worker;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #groups: Map<string, number> = new Map();
  #count = 0;
  #ended = false;

  constructor(options: FactsThreadOptions) {
    const { program, admits: _, ...scope } = options;
    this.#options = options;
    this.#worker = new Worker(program.file, {
      workerData: scope satisfies FactsScope,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
      ...(program.execArgv === undefined ? {} : { execArgv: [...program.execArgv] }),
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: FactsReply) => this.#take(reply));
    // Its end is the end of what it tells and of nothing else; the files are read here then.
    for (const event of ['error', 'messageerror', 'exit']) this.#worker.on(event, () => this.close());
  }

  take(paths: readonly string[], within: readonly string[]): Promise<FactsBatch> {
    if (this.#ended) return Promise.resolve(NOTHING_TOLD);
    const asked: string[] = [];
    const groups: number[] = [];
    const places = new Int32Array(paths.length).fill(-1);
    for (const [index, path] of paths.entries()) {
      const home = within[index] ?? '';
      if (!this.#options.admits(path, home)) continue;
      places[index] = asked.length;
      asked.push(path);
      groups.push(this.#groupOf(home));
    }
    const request: FactsRequest = { id: this.#count, paths: asked, groups };
    this.#count += 1;
    return new Promise((resolve) => {
      // While something is asked for, somebody waits for it.
      this.#worker.ref();
      this.#waiting.set(request.id, { places, resolve });
      this.#worker.postMessage(request);
    });
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const { resolve } of this.#waiting.values()) resolve(NOTHING_TOLD);
    this.#waiting.clear();
    this.#worker.unref();
    void this.#worker.terminate();
  }

  #take(reply: FactsReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.resolve(batchOf(reply, waiting.places));
  }

  #groupOf(home: string): number {
    const known = this.#groups.get(home);
    if (known !== undefined) return known;
    this.#groups.set(home, this.#groups.size);
    return this.#groups.size - 1;
  }
}
