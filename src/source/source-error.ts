/**
 * The errors of a source, worded once.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';
import type { Withheld } from './source.ts';

/** How a path of a source is written in a message. */
export function shownPath(path: string): string {
  return path === '' ? 'the root of the source' : JSON.stringify(path);
}

/** Returns `FILE_NOT_FOUND` for a path, with what is known about it. */
export function notFound(path: string, why: string = 'is not in the source'): SkillError {
  return new SkillError('FILE_NOT_FOUND', `${shownPath(path)} ${why}`, { details: { path } });
}

/** Returns `FILE_TOO_LARGE` for a file of `size` bytes. */
export function tooLarge(path: string, size: number, limit: number): SkillError {
  return new SkillError(
    'FILE_TOO_LARGE',
    `${shownPath(path)} has ${size.toLocaleString('en-US')} bytes, more than the limit of ${limit.toLocaleString('en-US')}`,
    { details: { path, limit, actual: size } },
  );
}

/** Returns `SECRET_WITHHELD` for a path. */
export function secretWithheld(path: string): SkillError {
  return new SkillError('SECRET_WITHHELD', `${shownPath(path)} ${WITHHELD_MESSAGES.SECRET_WITHHELD}`, {
    details: { path },
  });
}

/** Why each code withholds a name, as the second half of a sentence that begins with the name. */
export const WITHHELD_MESSAGES: Readonly<Record<Withheld['code'], string>> = {
  SECRET_WITHHELD:
    'looks like a secret and is withheld; allow it by an --allow-secret pattern if it is none, or list it in .skillignore',
  LINK_ESCAPES:
    'is a link that leads out of the source; copy what it leads to, or allow its folder by --link-root',
  LINK_BROKEN: 'is a link that leads nowhere; remove it or restore what it led to',
  LINK_LOOP: 'is a link that leads back to a folder it stands in; remove it',
  LINK_REFUSED: 'is a link, and links are refused here',
  SPECIAL_FILE: 'is a device, pipe or socket and no file',
  FILE_UNREADABLE: 'cannot be read; check its permissions',
  ARCHIVE_REFUSED: 'is an archive that cannot be opened',
  UNADDRESSABLE_NAME:
    'has a name that no URI can carry: rename it without "\\", control characters and bytes that are not UTF-8',
};

/** Returns the mark of a withheld name. */
export function withheld(code: Withheld['code'], message: string = WITHHELD_MESSAGES[code]): Withheld {
  return { code, message };
}

/** The `code` of an error of the operating system, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

const GONE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EISDIR']);

/** Whether an error of the operating system says that nothing usable stands at a path, as opposed to "not now". */
export function isGone(error: unknown): boolean {
  return GONE.has(errnoOf(error) ?? '');
}

/**
 * Returns the {@link SkillError} for an error of the operating system about `path`. Only what is really absent becomes
 * `FILE_NOT_FOUND`: a file that cannot be read now must not look deleted.
 */
export function fromSystem(error: unknown, path: string): SkillError {
  if (error instanceof SkillError) return error;
  const errno = errnoOf(error);
  if (errno === 'ENXIO' || errno === 'ENODEV' || errno === 'EOPNOTSUPP') return special(path, error);
  if (isGone(error)) {
    return new SkillError('FILE_NOT_FOUND', `${shownPath(path)} is not in the source`, {
      details: { path },
      cause: error,
    });
  }
  return unreadable('FILE_UNREADABLE', path, error);
}

/** Returns the error for a device, pipe or socket. */
export function special(path: string, cause?: unknown): SkillError {
  return new SkillError('FILE_UNREADABLE', `${shownPath(path)} ${WITHHELD_MESSAGES.SPECIAL_FILE}`, {
    details: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Returns the error for what is there and cannot be read, naming the reason the system gave by its code alone. */
export function unreadable(code: SkillErrorCode, path: string, cause: unknown): SkillError {
  const errno = errnoOf(cause);
  const reason = errno === undefined ? '' : ` (${errno})`;
  return new SkillError(
    code,
    `${shownPath(path)} cannot be read${reason}; check its permissions and the disk`,
    {
      details: { path, ...(errno === undefined ? {} : { errno }) },
      cause,
    },
  );
}
