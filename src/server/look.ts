/**
 * How often a source is looked at because somebody asks.
 *
 * @module
 */
import type { Clock } from '../clock.ts';

/** A look that takes no longer is repeated as often as anybody asks. */
const CHEAP_MS = 50;
/** A longer one is not repeated before so many times its length are over, however many ask. */
const PAUSE = 10;

/** Remembers how long looks at a source take. */
export class Look {
  readonly #clock: Clock;
  #again = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether the last look took so long that the next one has to wait. */
  isCostly(): boolean {
    return this.#clock.now() < this.#again;
  }

  /** Measures a look. */
  async during<T>(look: Promise<T>): Promise<T> {
    const began = this.#clock.now();
    const result = await look;
    const ended = this.#clock.now();
    const took = ended - began;
    if (took > CHEAP_MS) this.#again = Math.max(this.#again, ended + took * PAUSE);
    return result;
  }
}
