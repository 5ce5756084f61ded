/**
 * `--max-bytes`.
 *
 * @module
 */
import type { ArchiveCaps } from '../archive/index.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { usageError } from './usage.ts';

/** The value of `--max-bytes`: 0 is the default, -1 is off. Errors: `USAGE`. */
export function maxBytesOf(text: string): number {
  const value = Number(text);
  if (text === '-1' || (/^\d{1,15}$/.test(text) && Number.isSafeInteger(value))) return value;
  throw usageError(
    `--max-bytes is ${JSON.stringify(text)}`,
    'give a number of bytes, 0 for the default of 100 MiB, or -1 for no cap',
  );
}

/** The caps of an archive whose files may have `maxBytes` together: one of them may then have as much. */
export function capsOf(maxBytes: number | undefined): ArchiveCaps {
  if (maxBytes === undefined || maxBytes === 0) return {};
  const raised = maxBytes < 0 || maxBytes > LIMITS.archiveEntryBytes;
  return { maxBytes, ...(raised ? { maxEntryBytes: maxBytes } : {}) };
}

/** The error again, with the flag that lifts the cap as its hint where it is about one. */
export function withCapHint(error: unknown): unknown {
  if (!isSkillError(error, 'ARCHIVE_TOO_LARGE')) return error;
  const hint = '--max-bytes N raises the cap, and --max-bytes -1 lifts it, if you trust the source';
  return new SkillError(error.code, error.message, {
    details: { ...error.details, hint },
    cause: error.cause,
  });
}
