/**
 * How a provider ends: at once, or after its last words.
 *
 * @module
 */
import type { Logger } from '../logger.ts';

/** What {@link Ending} ends. */
export interface EndingOptions {
  /** Tells what is still to be told. */
  readonly drain: () => Promise<void>;
  /** Stops telling; what is drained then resolves. */
  readonly silence: () => void;
  /** Frees everything. Called once. */
  readonly release: () => Promise<void>;
  readonly logger: Logger;
}

/** The end of a provider, asked for in any order and as often as anybody likes. */
export class Ending {
  readonly #options: EndingOptions;
  readonly #listeners: Set<() => void> = new Set();
  #draining: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: EndingOptions) {
    this.#options = options;
  }

  /** Whether the end has come. */
  get began(): boolean {
    return this.#closing !== undefined;
  }

  /** Calls `listener` when the end comes; the returned function ends that. */
  onClose(listener: () => void): () => void {
    const each = (): void => listener();
    this.#listeners.add(each);
    return () => {
      this.#listeners.delete(each);
    };
  }

  /** Ends at once. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /**
   * Drains, then ends. An abort ends at once and rejects with the reason of the signal; after the end there is nothing to
   * do, whatever the signal says. A drain that fails rejects once everything is freed.
   */
  async shutdown(signal?: AbortSignal): Promise<void> {
    if (this.#closing !== undefined) return this.#closing;
    this.#draining ??= this.#options.drain();
    const drained = this.#draining.then(() => 'drained' as const);
    let stop: () => void = () => undefined;
    const stopped = new Promise<'stopped'>((resolve) => {
      stop = () => resolve('stopped');
    });
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
    const forget = this.onClose(stop);
    let end: 'drained' | 'stopped';
    try {
      end = await Promise.race([drained, stopped]);
    } finally {
      signal?.removeEventListener('abort', stop);
      forget();
      await this.close();
    }
    if (end === 'stopped' && signal?.aborted === true) throw signal.reason;
  }

  async #close(): Promise<void> {
    const { silence, release, logger } = this.#options;
    silence();
    for (const listener of [...this.#listeners]) {
      try {
        listener();
      } catch (error) {
        logger.error('a close listener threw', {
          error: error instanceof Error ? (error.stack ?? error.message) : typeof error,
        });
      }
    }
    this.#listeners.clear();
    await release();
  }
}
