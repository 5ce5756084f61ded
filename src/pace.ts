/**
 * A long synchronous job that lets others have a turn.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';

/** Synchronous work in one go, ms: a server answers its other callers at least that often. */
const SLICE_MS = 50;

/** Tells a long job when to let the event loop turn. */
export interface Pace {
  /** Whether {@link Pace.rest} is due. */
  due(): boolean;
  /** Lets the event loop turn once. */
  rest(): Promise<void>;
}

/**
 * A new pace, its first slice beginning now. Asking `due()` costs a clock reading; awaiting `rest()` only when it is
 * due keeps a scan of files that are there at once free of one wait per file.
 *
 * @example
 * if (pace.due()) await pace.rest();
 */
export function startPace(): Pace {
  let since = performance.now();
  return {
    due: () => performance.now() - since >= SLICE_MS,
    rest: async () => {
      await setImmediate();
      since = performance.now();
    },
  };
}
