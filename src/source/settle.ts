/**
 * Waiting until it is quiet, but not for ever.
 *
 * @module
 */

/** However much goes on, what happened is told after this many settle times. */
const MOST_TIMES = 20;

/**
 * Calls `quiet` once nothing was heard for `settleMs`, and at the latest 20 such times after the first thing was. It
 * does not keep the process alive.
 */
export class Settle {
  readonly #settleMs: number;
  readonly #quiet: () => void;
  #settling: NodeJS.Timeout | undefined;
  #latest: NodeJS.Timeout | undefined;

  constructor(settleMs: number, quiet: () => void) {
    this.#settleMs = settleMs;
    this.#quiet = quiet;
  }

  /** Something was heard. Costs next to nothing when it is called ten thousand times. */
  heard(): void {
    if (this.#settling !== undefined) {
      this.#settling.refresh();
      return;
    }
    const fire = (): void => {
      this.stop();
      this.#quiet();
    };
    this.#settling = setTimeout(fire, this.#settleMs).unref();
    this.#latest = setTimeout(fire, this.#settleMs * MOST_TIMES).unref();
  }

  /** Forgets what was heard. */
  stop(): void {
    clearTimeout(this.#settling);
    clearTimeout(this.#latest);
    this.#settling = undefined;
    this.#latest = undefined;
  }
}
