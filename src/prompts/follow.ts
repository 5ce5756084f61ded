/**
 * Following the folders of prompts and documents.
 *
 * @module
 */
import { type Logger, silentLogger } from '../logger.ts';
import { type Source, type SourceWatcher, type WatchOptions, watchSource } from '../source/index.ts';

/** Paths of one source that may have changed; the empty one stands for everything. */
export interface Touched {
  readonly source: Source;
  readonly paths: readonly string[];
}

/** What {@link follow} needs beside the sources. */
export interface FollowOptions {
  /** False: nothing is followed. */
  readonly watch: boolean | WatchOptions;
  readonly logger: Logger;
  /** Told of changes, one batch after the other. What it rejects with goes to the logger. */
  readonly onChange: (touched: Touched) => Promise<void>;
}

/** What follows. */
export interface Followed {
  /** Tells what was seen so far and was held back until now, and from now on tells at once. */
  begin(): Promise<void>;
  /** Ends it. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Resolves once every watch stands. What changes before `begin` is held back, so that what is read in between is read again
 * where it has to be.
 *
 * Errors: those of `watchSource`.
 */
export async function follow(sources: readonly Source[], options: FollowOptions): Promise<Followed> {
  const { watch, onChange } = options;
  const watchers: SourceWatcher[] = [];
  const held: Touched[] = [];
  let begun = false;
  const close = async (): Promise<void> => {
    await Promise.all(watchers.splice(0).map((watcher) => watcher.close()));
  };
  if (watch !== false) {
    const given = watch === true ? {} : watch;
    try {
      for (const source of sources) {
        watchers.push(
          await watchSource(source, {
            logger: options.logger,
            ...given,
            onChange: async (paths) => {
              if (begun) await onChange({ source, paths });
              else held.push({ source, paths });
            },
          }),
        );
      }
    } catch (error) {
      await close();
      throw error;
    }
  }
  return {
    async begin() {
      begun = true;
      for (const touched of held.splice(0)) await onChange(touched);
    },
    close,
  };
}

/** Those who want to hear of changes. */
export class Listeners<T> {
  readonly #listeners: Set<(value: T) => void> = new Set();
  readonly #logger: Logger;

  constructor(logger: Logger = silentLogger) {
    this.#logger = logger;
  }

  /** Calls `listener` with each value; the returned function ends that. */
  add(listener: (value: T) => void): () => void {
    // Wrapped, so that a function given twice is called twice.
    const each = (value: T): void => listener(value);
    this.#listeners.add(each);
    return () => {
      this.#listeners.delete(each);
    };
  }

  /** Calls them all; one that throws takes no other down. */
  call(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#logger.error('a change listener threw', {
          error: error instanceof Error ? (error.stack ?? error.message) : typeof error,
        });
      }
    }
  }

  /** Forgets them all. */
  clear(): void {
    this.#listeners.clear();
  }
}
