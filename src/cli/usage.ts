/**
 * Errors of the command line, with a hint.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';

/**
 * A `USAGE` error, or one of another code, whose hint is shown on a line of its own.
 *
 * @example
 * throw usageError('--http takes PORT or HOST:PORT', 'skillwire serve ./skills --http 8750')
 */
export function usageError(message: string, hint: string, code: SkillErrorCode = 'USAGE'): SkillError {
  return new SkillError(code, message, { details: { hint } });
}

/** The hint that belongs to an error: its own, or the usual one for its code. */
export function hintOf(error: SkillError, cwd: string): string | undefined {
  const own = error.details.hint;
  if (typeof own === 'string') return own;
  // A client that starts the program elsewhere is how a relative path goes wrong.
  const from = error.code === 'SOURCE_NOT_FOUND' ? `; relative paths count from ${cwd}` : '';
  const usual = HINTS[error.code];
  return usual === undefined ? undefined : usual + from;
}

const HINTS: Readonly<Partial<Record<SkillErrorCode, string>>> = {
  SOURCE_NOT_FOUND: 'give a folder that holds a SKILL.md, or folders that do',
  SOURCE_NOT_A_FOLDER: 'give the folder, not a file in it',
  SCAN_TOO_MANY_FOLDERS: 'serve the folder that holds the skills, not one far above it',
  SCAN_TOO_DEEP: 'serve the folder that holds the skills, not one far above it',
  USAGE: 'see skillwire --help',
  MOUNT_COLLISION: 'put them apart: a=./skills b=../other/skills',
  INTERNAL: 'run it again with --log-level debug and report what it says',
};
