/**
 * The errors of damaged and unread archives, worded once.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';

/** Returns `ARCHIVE_CORRUPT`: what is wrong, and at which byte of what. */
export function corrupt(what: string, offset: number | undefined, cause?: unknown): SkillError {
  const where = offset === undefined ? '' : ` at byte ${offset}`;
  return new SkillError(
    'ARCHIVE_CORRUPT',
    `the archive is damaged or cut short${where}: ${what}; get it again`,
    {
      details: { problem: what, ...(offset === undefined ? {} : { offset }) },
      ...(cause === undefined ? {} : { cause }),
    },
  );
}

/** Returns `ARCHIVE_UNSUPPORTED` for a feature, and the entry that has it if one does. */
export function unsupported(feature: string, path?: string): SkillError {
  const which = path === undefined ? 'the archive' : `the entry ${quote(path)}`;
  return new SkillError(
    'ARCHIVE_UNSUPPORTED',
    `${which} ${feature}, which is not read; pack it again without`,
    { details: { feature, ...(path === undefined ? {} : { path }) } },
  );
}

/** Returns an error about an entry: its name, what is wrong with it, what to do. */
export function entryError(
  code: SkillErrorCode,
  name: string,
  rest: string,
  details: Readonly<Record<string, unknown>> = {},
): SkillError {
  // A hostile name has megabytes, and errors are logged and kept.
  const path = name.slice(0, LIMITS.archivePathBytes);
  return new SkillError(code, `the entry ${quote(name)} ${rest}`, { details: { path, ...details } });
}
