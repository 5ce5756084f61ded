/**
 * Patterns of `.skillignore` files.
 *
 * @module
 */
import ignore, { type Ignore } from 'ignore';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

/** The name of a file of ignore patterns. */
export const IGNORE_FILE = '.skillignore';

/**
 * Returns a matcher for gitignore patterns. Upper and lower case differ, on every platform.
 *
 * @example
 * compilePatterns(['*.log', '!keep.log']).test('x.log').ignored // true
 */
export function compilePatterns(patterns: readonly string[] | string): Ignore {
  return ignore({ ignorecase: false }).add(patterns);
}

/**
 * Returns `outer` extended by the patterns of the `.skillignore` in `folder`, rewritten so that they hold below that
 * folder alone. One matcher for the whole chain keeps git's rule that the last pattern decides, whichever file it is in.
 *
 * Errors: `FILE_TOO_LARGE` (more patterns than {@link LIMITS.ignorePatterns}), `FILE_UNREADABLE` (a pattern that cannot
 * be compiled).
 *
 * @example
 * extendPatterns(undefined, 'pdf', '/build\n*.log\n')
 */
export function extendPatterns(outer: Ignore | undefined, folder: string, text: string): Ignore {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (patterns.length > LIMITS.ignorePatterns) {
    const where = folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
    throw new SkillError(
      'FILE_TOO_LARGE',
      `${where} has ${patterns.length} patterns, more than the limit of ${LIMITS.ignorePatterns}`,
      { details: { path: where, limit: LIMITS.ignorePatterns, actual: patterns.length } },
    );
  }
  const matcher = ignore({ ignorecase: false });
  if (outer !== undefined) matcher.add(outer);
  return matcher.add(folder === '' ? patterns : patterns.map((line) => below(folder, line)));
}

function below(folder: string, line: string): string {
  const negative = line.startsWith('!');
  const body = negative ? line.slice(1) : line;
  const slash = body.replace(/ +$/, '').replace(/\/$/, '').indexOf('/');
  const prefix = `${negative ? '!' : ''}/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/`;
  if (body.trim() === '' || body.trim() === '/') return '';
  return slash < 0 ? `${prefix}**/${body}` : `${prefix}${body.replace(/^\//, '')}`;
}
