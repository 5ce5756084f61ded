/**
 * Reads that are under way at once.
 *
 * @module
 */

/** Reads under way at once: enough to hide the latency of a network, few enough for any server. */
const MOST = 8;

/** Reads that are under way at once, {@link MOST} at most. */
export class InFlight {
  readonly #running: Set<Promise<void>> = new Set();

  /** Takes a read over and resolves when there is room for another. Rejects as one of those under way does. */
  async add(read: Promise<void>): Promise<void> {
    const tracked = read.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
    // Heard of by whoever waits for room or rest; a scan that ended for another reason waits for neither.
    tracked.catch(() => undefined);
    if (this.#running.size >= MOST) await Promise.race(this.#running);
  }

  /** Resolves when nothing is under way. */
  async rest(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
