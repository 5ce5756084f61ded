/**
 * Time, so that tests can make their own.
 *
 * @module
 */

/** A clock with timers. */
export interface Clock {
  /** Ms that only go forward. */
  readonly now: () => number;
  /** The date, for timestamps. */
  readonly date: () => Date;
  /** Calls `run` after `ms`; the returned function prevents that. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** The longest time that a timer of Node can wait; a longer one would end at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** The clock of this machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, MAX_TIMER_MS)).unref();
    return () => clearTimeout(timer);
  },
};
