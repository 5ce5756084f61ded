/**
 * What can go wrong with watching, worded once.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Source } from './source.ts';
import { errnoOf, isGone } from './source-error.ts';

/** Errors of the system that say that it watches no more, or never did, rather than that one folder is at fault. */
const CANNOT_WATCH: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
]);

const REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'raise fs.inotify.max_user_watches to be told at once',
  EMFILE: 'raise fs.inotify.max_user_instances or the number of open files to be told at once',
  ENFILE: 'close other programs or raise the number of open files of the system to be told at once',
};

/** The system has no watches left. It never leaves the room. */
export class WatchLimit extends Error {
  readonly errno: string;

  constructor(errno: string, cause: unknown) {
    super(errno, { cause });
    this.errno = errno;
  }

  /** What a user is told about it, once. */
  problem(source: Source, pollMs: number): SkillError {
    const remedy = REMEDIES[this.errno];
    return new SkillError(
      'FS_WATCHER_SETUP_FAILED',
      `the system cannot watch all folders of ${source.label} (${this.errno}); they are looked at every ${pollMs} ms instead${remedy === undefined ? '' : `; ${remedy}`}`,
      { details: { source: source.label, errno: this.errno }, cause: this.cause },
    );
  }
}

/** Returns the {@link WatchLimit} that an error of the system means, or that error. */
export function limitOr(error: unknown): unknown {
  const errno = errnoOf(error);
  return errno !== undefined && CANNOT_WATCH.has(errno) ? new WatchLimit(errno, error) : error;
}

/** Returns what to throw when a root cannot be watched: the limit, `FS_WATCHER_SETUP_FAILED`, or what says that it is gone. */
export function setupFailure(source: Source, error: unknown): unknown {
  const judged = limitOr(error);
  if (judged instanceof WatchLimit || isGone(error)) return judged;
  const errno = errnoOf(error);
  return new SkillError(
    'FS_WATCHER_SETUP_FAILED',
    `${source.label} cannot be watched${errno === undefined ? '' : ` (${errno})`}; check its permissions, or serve without watching`,
    { details: { source: source.label, ...(errno === undefined ? {} : { errno }) }, cause: error },
  );
}

/** Returns the error for a batch that was not taken. */
export function workFailure(source: Source, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  return new SkillError('INTERNAL', `a change of ${source.label} could not be taken up`, { cause: error });
}

/** Tells `onError`, or without one the logger. */
export function reportTo(
  onError: ((error: SkillError) => void) | undefined,
  logger: Logger,
  error: SkillError,
): void {
  if (onError === undefined) {
    logger.warn(error.message, { code: error.code, ...error.details });
    return;
  }
  try {
    onError(error);
  } catch (thrown) {
    logger.error('the error handler of a watcher threw', { error: thrown });
  }
}
