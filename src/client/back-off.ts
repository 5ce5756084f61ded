/**
 * Pauses after failures, so that a host that asks on every turn leaves a server in trouble alone.
 *
 * @module
 */
import type { Clock } from '../clock.ts';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

interface Trouble {
  readonly failures: number;
  readonly at: number;
  readonly until: number;
  readonly error: SkillError;
}

const MAX_KEYS = 1_000;

/** The failures of one server, by what was asked. */
export class BackOff {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #troubles: Map<string, Trouble> = new Map();

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * Nothing, unless a pause is on; then the error of the last failure, with `details.retryAfterMs`.
   *
   * @example
   * backOff.require('skills/list')
   */
  require(key: string): void {
    const trouble = this.#troubles.get(key);
    if (trouble === undefined) return;
    const left = Math.ceil(trouble.until - this.#clock.now());
    if (left <= 0) return;
    const { code, message, details } = trouble.error;
    throw new SkillError(code, `${message}; not asked again for another ${left} ms`, {
      details: { ...details, retryAfterMs: left },
      cause: trouble.error,
    });
  }

  /** What was asked for was answered: the next failure counts as the first. */
  succeeded(key: string): void {
    this.#troubles.delete(key);
  }

  /**
   * Counts a failure and begins a pause: {@link LIMITS.clientBackOffMs}, doubled by each further one up to
   * {@link LIMITS.clientBackOffMaxMs}, of which chance takes up to half. The first `free` failures bring none. Those that
   * were under way at once count as one.
   */
  failed(key: string, error: SkillError, startedAt: number, free = 0): void {
    const now = this.#clock.now();
    const before = this.#troubles.get(key);
    if (before !== undefined && startedAt < before.at) return;
    const failures = (before?.failures ?? 0) + 1;
    const counted = failures - free;
    const longest = Math.min(
      LIMITS.clientBackOffMaxMs,
      LIMITS.clientBackOffMs * 2 ** Math.min(counted - 1, 30),
    );
    const pause = counted <= 0 ? 0 : longest * (0.5 + this.#random() / 2);
    this.#troubles.delete(key);
    this.#troubles.set(key, { failures, at: now, until: now + pause, error });
    for (const oldest of this.#troubles.keys()) {
      if (this.#troubles.size <= MAX_KEYS) break;
      this.#troubles.delete(oldest);
    }
  }

  /** Forgets everything: another server may answer now. */
  clear(): void {
    this.#troubles.clear();
  }
}
