/**
 * The places for open streams, shared by both eras.
 *
 * @module
 */
import type { Refusal } from './reply.ts';

/** Counts streams held open. */
export interface StreamPlaces {
  readonly open: number;
  /** Takes a place and returns the function that gives it back (once; again is fine), or undefined when all are taken. */
  take(): (() => void) | undefined;
}

/** The answer when all places are taken. */
export const STREAMS_TAKEN: Refusal = {
  status: 503,
  code: -32603,
  message: 'Service Unavailable: as many streams are open as this server holds',
  headers: { 'retry-after': '30' },
};

/**
 * Places for at most `limit` streams.
 *
 * @example
 * const giveBack = places.take()
 */
export function createStreamPlaces(limit: number): StreamPlaces {
  let open = 0;
  return {
    get open() {
      return open;
    },
    take() {
      if (open >= limit) return undefined;
      open += 1;
      let held = true;
      return () => {
        if (held) open -= 1;
        held = false;
      };
    },
  };
}
