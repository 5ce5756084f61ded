/**
 * The end of a fetch that comes from outside: the caller's signal or the total time.
 *
 * @module
 */
import { printableUrl, refusal } from './net-error.ts';

const LONGEST_TIMER = 2_147_483_647;

/** Ends a fetch early. */
export interface Deadline {
  /** Aborts with the caller's reason, or with `NET_TIMEOUT`. */
  readonly signal: AbortSignal;
  /** The outcome of `work`, or the reason of the signal as soon as that aborts, whether `work` heeds it or not. */
  until<T>(work: Promise<T>): Promise<T>;
  /** Frees the timer and lets go of the signals. Twice is fine. */
  end(): void;
}

/**
 * A deadline that runs from now on: `timeoutMs` of Infinity never comes.
 *
 * A timer that fires gives `NET_TIMEOUT` about `url`; a signal gives its own reason, as it is.
 */
export function startDeadline(
  url: string | URL,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Deadline {
  const controller = new AbortController();
  const expire = (): void => {
    const shown = printableUrl(url);
    const message = `fetching ${shown} takes longer than ${timeoutMs / 1_000} s; raise totalTimeoutMs if that is to be`;
    controller.abort(refusal('NET_TIMEOUT', url, message, { limit: timeoutMs }));
  };
  const timer =
    timeoutMs === Number.POSITIVE_INFINITY
      ? undefined
      : setTimeout(expire, Math.min(timeoutMs, LONGEST_TIMER));
  const follow = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal?.aborted === true) controller.abort(signal.reason);
    else signal?.addEventListener('abort', follow, { once: true });
  }

  return {
    signal: controller.signal,
    until: (work) => untilAborted(controller.signal, work),
    end(): void {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', follow);
    },
  };
}

// Not Promise.race with one lasting promise: that would hold on to every chunk it raced against.
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    work
      .then(resolve, (error: unknown) => reject(signal.aborted ? signal.reason : error))
      .finally(() => signal.removeEventListener('abort', stop));
  });
}
