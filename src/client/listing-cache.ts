/**
 * When a server is listed again, and when what is known counts (threat T6d).
 *
 * @module
 */
import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';

interface Held<T> {
  readonly value: T;
  readonly freshUntil: number;
  readonly reusableUntil: number;
}

/** What sums of fractions may be off by, ms. */
const ROUNDING = 1e-6;

/**
 * Keeps the last listing. It is given again while its `ttlMs` lasts; and beyond that, when a host lists so often that
 * the server would have no rest: after a burst, one walk a second, and a slow one for no more than half of the time.
 */
export class ListingCache<T> {
  readonly #clock: Clock;
  #held: Held<T> | undefined;
  #tokens: number = LIMITS.clientListBurst;
  #countedAt: number;
  #restUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#countedAt = clock.now();
  }

  /**
   * The listing that counts now, or undefined when the server is to be asked.
   *
   * @example
   * cache.current() ?? (await walk())
   */
  current(): T | undefined {
    const held = this.#held;
    if (held === undefined) return undefined;
    const now = this.#clock.now();
    if (now < held.freshUntil) return held.value;
    return now < held.reusableUntil && this.waitMs() > 0 ? held.value : undefined;
  }

  /** Ms until the server may be listed again. */
  waitMs(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(
      LIMITS.clientListBurst,
      this.#tokens + (now - this.#countedAt) / LIMITS.clientListMs,
    );
    this.#countedAt = now;
    const missing = this.#tokens >= 1 ? 0 : (1 - this.#tokens) * LIMITS.clientListMs;
    return Math.max(0, Math.ceil(Math.max(missing, this.#restUntil - now) - ROUNDING));
  }

  /** A walk begins. */
  began(): void {
    this.waitMs();
    this.#tokens -= 1;
  }

  /** A walk that began did not reach the server. */
  spared(): void {
    this.#tokens += 1;
  }

  /** A walk that began at `startedAt` gave `value`, which its server calls fresh for `ttlMs`. */
  ended(value: T, ttlMs: number | undefined, startedAt: number): void {
    const now = this.#clock.now();
    const took = now - startedAt;
    // A walk of a moment needs no rest, and a host that lists again at once may do so because it knows of a change.
    const rest = took > LIMITS.clientListMs ? took : 0;
    this.#restUntil = now + rest;
    this.#held = {
      value,
      freshUntil: now + Math.min(ttlMs ?? 0, LIMITS.clientFreshMs),
      reusableUntil: now + Math.max(rest, LIMITS.clientListMs),
    };
  }

  /** Nothing that was known counts any more; how often the server is asked stays bounded. */
  forget(): void {
    this.#held = undefined;
  }
}
