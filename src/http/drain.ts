/**
 * What is under way, so that a shutdown can wait for it.
 *
 * @module
 */
import type { ServerResponse } from 'node:http';

/** Responses under way. */
export interface Drain {
  /** Follows a response until it is closed. */
  track(response: ServerResponse): void;
  /** Something else is under way until what is returned is called. */
  hold(): () => void;
  /** A response that is followed has become a stream, which a shutdown does not wait for. */
  becameStream(response: ServerResponse): void;
  /** Settles when no response is under way but streams and answers that wait behind them, or after `ms`. */
  quiet(ms: number): Promise<void>;
  /** Settles when no response at all is under way, or after `ms`. */
  empty(ms: number): Promise<void>;
}

/**
 * A drain with nothing under way.
 *
 * @example
 * drain.track(response)
 */
export function createDrain(): Drain {
  const requests = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  let held = 0;
  const changed = (): void => {
    for (const look of [...waiting]) look();
  };
  // One for all: a function of its own for each response is a good part of what a small request costs.
  const onClose = function (this: ServerResponse): void {
    requests.delete(this);
    streams.delete(this);
    if (waiting.size > 0) changed();
  };

  const wait = (isDone: () => boolean, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isDone()) finish();
      };
      const timer = setTimeout(finish, Math.max(0, ms));
      waiting.add(look);
      look();
    });

  return {
    track(response) {
      requests.add(response);
      response.on('close', onClose);
    },
    hold() {
      held += 1;
      return () => {
        held -= 1;
        changed();
      };
    },
    becameStream(response) {
      if (requests.delete(response)) streams.add(response);
      changed();
    },
    quiet: (ms) => wait(() => held === 0 && [...requests].every(waitsItsTurn), ms),
    empty: (ms) => wait(() => held + requests.size + streams.size === 0, ms),
  };
}

/** Whether it is answered and stands behind another response of its connection, which is followed too. */
function waitsItsTurn(response: ServerResponse): boolean {
  return response.writableEnded && response.socket === null;
}
