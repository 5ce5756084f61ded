/**
 * What a provider asks of a watcher, and what it is told.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Source } from './source.ts';

/** How a source is watched. */
export interface WatchOptions {
  /** Patterns (gitignore syntax) of what is not watched, beside what the source itself ignores. @default none */
  readonly ignore?: readonly string[];
  /**
   * Hears of what goes wrong while watching: a folder that cannot be watched, a limit of the system that is reached
   * (then it polls). Never called after the watcher is closed. @default a warning to the logger
   */
  readonly onError?: (error: SkillError) => void;
  /** Look at the source at intervals instead of waiting for the system to tell. @default false; true where the system cannot tell */
  readonly poll?: boolean;
  /** Time between two looks in ms; a look that takes long is followed by a longer pause. @default 2,000 */
  readonly pollMs?: number;
  /**
   * Time between two questions to a server whether what was fetched from it changed, in ms; doubled after each failure, up
   * to an hour. @default 300,000
   */
  readonly pollRemoteMs?: number;
  /** What changes within this time of another change is told together, in ms. @default 50 */
  readonly settleMs?: number;
}

/** A watcher that runs. */
export interface SourceWatcher {
  /** Whether the system tells, or the watcher looks; it may turn from the first to the second. */
  readonly mode: 'native' | 'poll';
  /** Tells what was seen and not yet told, waits for that to be taken, then ends. After `close` nothing. Twice is fine. */
  drain(): Promise<void>;
  /** Ends at once; what was not told is dropped. Twice is fine. */
  close(): Promise<void>;
}

/** What {@link StartWatcher} needs. */
export interface WatchRequest extends WatchOptions {
  /**
   * Told the paths below the source that may have changed, each once a batch, no batch empty; a folder stands for all
   * below it, the empty path for everything. The next batch waits until the promise of this one settled. The state at
   * the start is not a change.
   */
  readonly onChange: (paths: readonly string[]) => void | Promise<void>;
  readonly logger?: Logger;
}

/**
 * Starts to watch; resolves once every watch stands, so that what changes from then on is told.
 *
 * Errors: `FS_WATCHER_MISSING_HOST_ROOT` (nothing of the source can be watched or asked for again), `FS_WATCHER_SETUP_FAILED` (nothing
 * at all could be, polling included).
 */
export type StartWatcher = (source: Source, request: WatchRequest) => Promise<SourceWatcher>;
