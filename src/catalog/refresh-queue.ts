/**
 * Refreshes one after the other, with calls that wait for the same one joined.
 *
 * @module
 */
import { EVERYTHING, type Touched, touchedBy } from './touched.ts';

interface Batch<T> {
  readonly paths: Set<string>;
  everything: boolean;
  readonly result: Promise<T>;
}

/**
 * Runs `work` for all calls made before it begins. A call made while it runs waits for the next run: what it saw
 * change may lie where this run has been already.
 */
export class RefreshQueue<T> {
  readonly #work: (touched: Touched) => Promise<T>;
  #next: Batch<T> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(work: (touched: Touched) => Promise<T>) {
    this.#work = work;
  }

  /** The result of the run that looks at `paths`, or at everything. */
  add(paths?: readonly string[]): Promise<T> {
    const batch = this.#next ?? this.#begin();
    if (paths === undefined) batch.everything = true;
    else for (const path of paths) batch.paths.add(path);
    return batch.result;
  }

  /** Resolves when nothing runs and nothing waits. */
  async idle(): Promise<void> {
    for (let last: unknown; last !== this.#last; ) {
      last = this.#last;
      await this.#last;
    }
  }

  #begin(): Batch<T> {
    const batch: Batch<T> = {
      paths: new Set(),
      everything: false,
      result: this.#last.then(() => {
        this.#next = undefined;
        return this.#work(batch.everything ? EVERYTHING : touchedBy(batch.paths));
      }),
    };
    this.#next = batch;
    // The callers hear of a failure; the next run begins all the same.
    this.#last = batch.result.then(settled, settled);
    return batch;
  }
}

function settled(): void {}
