/**
 * How a server ends: by itself, by a signal, at once by a second one.
 *
 * @module
 */
import type { Logger } from '../logger.ts';

/** A server that runs until told otherwise. */
export interface Running {
  /** Resolves when the server ends by itself; absent: only a signal ends it. */
  readonly closed?: Promise<void>;
  /** Ends it, letting requests under way end first. */
  close(): Promise<void>;
  /** What SIGHUP asks for. Never rejects. */
  rescan(): Promise<void>;
  /** What came while it was loading. */
  readonly hangUp: HeldHangUp;
  readonly logger: Logger;
}

/** A SIGHUP that is kept for later. */
export interface HeldHangUp {
  /** Ends the keeping; whether one came. */
  take(): boolean;
}

/** Keeps a SIGHUP that comes while there is nothing to scan again yet: left to the system it would end the program. */
export function holdHangUp(): HeldHangUp {
  let came = false;
  const onHangUp = (): void => {
    came = true;
  };
  if (process.platform !== 'win32') process.on('SIGHUP', onHangUp);
  return {
    take: () => {
      process.off('SIGHUP', onHangUp);
      return came;
    },
  };
}

/**
 * Resolves when the server has ended. SIGINT and SIGTERM end it gently, a second of either at once, as the system
 * would have; SIGHUP scans again (on Windows it means that the console closes, and is left to the system).
 */
export async function untilStopped(running: Running): Promise<void> {
  const { logger } = running;
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let stopping = false;
  const onStop = (signal: NodeJS.Signals): void => {
    if (stopping) {
      process.off(signal, onStop);
      process.kill(process.pid, signal);
      return;
    }
    stopping = true;
    logger.info(`${signal}: stopping; requests under way have 5 s to end, a second signal ends at once`);
    stop();
  };
  const onHangUp = (): void => void running.rescan();
  process.on('SIGINT', onStop);
  process.on('SIGTERM', onStop);
  if (process.platform !== 'win32') process.on('SIGHUP', onHangUp);
  if (running.hangUp.take()) onHangUp();
  try {
    await Promise.race([stopped, running.closed ?? stopped]);
    await running.close();
  } finally {
    process.off('SIGINT', onStop);
    process.off('SIGTERM', onStop);
    process.off('SIGHUP', onHangUp);
  }
}
