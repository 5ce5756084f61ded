import type { Clock } from '../../src/server/index.ts';

/** A clock that stands until it is moved. */
export interface FakeClock extends Clock {
  /** Lets `ms` pass, ringing each timer at its time. */
  pass(ms: number): void;
  /** Timers that wait. */
  readonly waiting: number;
}

/** The 2nd of March 2026, 04:05:06 UTC, when the clock starts. */
export const START: number = Date.UTC(2026, 2, 2, 4, 5, 6);

export function fakeClock(): FakeClock {
  let now = 0;
  let count = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  const next = (
    until: number,
  ): readonly [number, { readonly at: number; readonly run: () => void }] | undefined =>
    [...timers].filter(([, { at }]) => at <= until).sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
  return {
    now: () => now,
    date: () => new Date(START + now),
    after(ms, run) {
      const id = count++;
      timers.set(id, { at: now + ms, run });
      return () => timers.delete(id);
    },
    pass(ms) {
      const until = now + ms;
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        const [id, { at, run }] = timer;
        timers.delete(id);
        now = at;
        run();
      }
      now = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}
