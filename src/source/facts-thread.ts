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
import type { FactsAhead, FactsBatch, FactsFolder } from './source.ts';

/** What {@link startFactsThread} needs. */
export interface FactsThreadOptions extends FactsScope {
  /** The file that the thread runs. */
  readonly program: URL;
  /** Which files of a folder may be told without asking the source again. */
  readonly admits: (folder: FactsFolder) => (name: string) => boolean;
}

/** Memory of the thread, MB: what it makes lives as long as one batch. */
const YOUNG_MB = 4;
const OLD_MB = 64;

/**
 * The program of the thread as it is shipped; undefined where a second thread would only take turns with the first, and
 * where the program is not JavaScript.
 */
export function threadProgram(): URL | undefined {
  if (!import.meta.url.endsWith('.js') || availableParallelism() < 2) return undefined;
  return new URL('./facts-worker.js', import.meta.url);
}

/** Returns a new thread that runs `program` and keeps no process alive. Throws when the system has none left. */
export function startThread(program: URL, workerData: object): Worker {
  const worker = new Worker(program, {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: OLD_MB },
  });
  worker.unref();
  return worker;
}

/** Starts a thread; undefined when the system has none left. */
export function startFactsThread(options: FactsThreadOptions): FactsAhead | undefined {
  try {
    return new FactsThread(options);
  } catch {
    return undefined;
  }
}

class FactsThread implements FactsAhead {
  readonly #options: FactsThreadOptions;
  readonly #worker: Worker;
  readonly #waiting: Map<number, (batch: FactsBatch) => void> = new Map();
  readonly #groups: Map<string, number> = new Map();
  #count = 0;
  #ended = false;

  constructor(options: FactsThreadOptions) {
    const { program, admits: _, ...scope } = options;
    this.#options = options;
    this.#worker = startThread(program, scope satisfies FactsScope);
    this.#worker.on('message', (reply: FactsReply) => this.#take(reply));
    // Its end is the end of what it tells and of nothing else; the files are read here then.
    for (const event of ['error', 'messageerror', 'exit']) this.#worker.on(event, () => this.close());
  }

  take(folders: readonly FactsFolder[]): Promise<FactsBatch> {
    if (this.#ended) return Promise.resolve(NOTHING_TOLD);
    const names: string[] = [];
    for (const folder of folders) {
      const admits = this.#options.admits(folder);
      // A name that is not admitted keeps its place, and is none that a file has.
      for (const name of folder.names) names.push(admits(name) ? name : '');
    }
    const request: FactsRequest = {
      id: this.#count,
      folders: folders.map(({ path }) => path),
      groups: folders.map(({ within }) => this.#groupOf(within)),
      counts: folders.map((folder) => folder.names.length),
      names,
    };
    this.#count += 1;
    return new Promise((resolve) => {
      // While something is asked for, somebody waits for it.
      this.#worker.ref();
      this.#waiting.set(request.id, resolve);
      this.#worker.postMessage(request);
    });
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const resolve of this.#waiting.values()) resolve(NOTHING_TOLD);
    this.#waiting.clear();
    this.#worker.unref();
    void this.#worker.terminate();
  }

  #take(reply: FactsReply): void {
    const resolve = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    resolve?.(batchOf(reply));
  }

  #groupOf(home: string): number {
    const known = this.#groups.get(home);
    if (known !== undefined) return known;
    this.#groups.set(home, this.#groups.size);
    return this.#groups.size - 1;
  }
}
