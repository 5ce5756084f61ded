/**
 * The folder that a user named, and what is wrong with it.
 *
 * @module
 */
import path from 'node:path';
import { SkillError } from '../errors.ts';
import type { HostFs } from './host-fs.ts';
import { errnoOf, isGone } from './source-error.ts';

/**
 * Returns the real path of the folder that `text` names, relative to `cwd`.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`, each naming `text`.
 */
export function realFolder(fs: HostFs, text: string, cwd: string | undefined): string {
  const details = { source: text };
  // node reads an empty path as the working folder in some calls and as nothing in others.
  if (text === '' || text.includes('\0')) {
    throw new SkillError('SOURCE_NOT_FOUND', `${JSON.stringify(text)} is no path of a folder`, { details });
  }
  try {
    const real = fs.realpath(cwd === undefined ? text : path.resolve(cwd, text));
    if (fs.lstat(real).isDirectory()) return real;
  } catch (error) {
    throw sourceError(error, text);
  }
  throw new SkillError(
    'SOURCE_NOT_A_FOLDER',
    `${JSON.stringify(text)} is a file; name the folder that holds it`,
    {
      details,
    },
  );
}

/** Returns the error for a root that was to be listed and could not be. */
export function sourceError(error: unknown, label: string): SkillError {
  const details = { source: label };
  const shown = JSON.stringify(label);
  const options = { details, cause: error };
  if (error instanceof SkillError) {
    if (error.code !== 'FILE_CHANGED') return error;
    return new SkillError(
      'SOURCE_NOT_FOUND',
      `${shown} was moved away, or a link stands in its place`,
      options,
    );
  }
  const errno = errnoOf(error);
  if (errno === 'ENOTDIR') {
    return new SkillError('SOURCE_NOT_A_FOLDER', `${shown} is not a folder, or lies below a file`, options);
  }
  if (isGone(error)) {
    const hint = label.startsWith('~') ? '; "~" is read by a shell only, so write the full path' : '';
    return new SkillError('SOURCE_NOT_FOUND', `${shown} does not exist${hint}`, options);
  }
  const reason = errno === undefined ? '' : ` (${errno})`;
  return new SkillError(
    'SOURCE_UNREADABLE',
    `${shown} cannot be read${reason}; check its permissions`,
    options,
  );
}
