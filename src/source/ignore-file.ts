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
 * Errors: `FILE_TOO_LARGE` (more bytes than {@link LIMITS.ignoreFileBytes}, patterns than {@link LIMITS.ignorePatterns},
 * or `**` in one pattern than {@link LIMITS.ignoreDoubleStars}).
 *
 * @example
 * extendPatterns(undefined, 'pdf', '/build\n*.log\n')
 */
export function extendPatterns(outer: Ignore | undefined, folder: string, text: string): Ignore {
  const refuseMore = (actual: number, limit: number, what: string): void => {
    if (actual <= limit) return;
    const where = folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
    throw new SkillError(
      'FILE_TOO_LARGE',
      `${where} has ${actual} ${what}, more than the limit of ${limit}`,
      {
        details: { path: where, limit, actual },
      },
    );
  };
  refuseMore(Buffer.byteLength(text), LIMITS.ignoreFileBytes, 'bytes');
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'));
  refuseMore(patterns.length, LIMITS.ignorePatterns, 'patterns');
  for (const line of patterns) refuseMore(doubleStars(line), LIMITS.ignoreDoubleStars, '"**" in one pattern');
  const matcher = ignore({ ignorecase: false });
  if (outer !== undefined) matcher.add(outer);
  return matcher.add(folder === '' ? patterns : patterns.map((line) => below(folder, line)));
}

/** How many `**` a pattern has before its last name; those next to each other are one. */
function doubleStars(line: string): number {
  if (!line.includes('**')) return 0;
  const segments = line.split('/');
  const inner = segments.slice(0, -1);
  return inner.filter((segment, index) => segment === '**' && inner[index - 1] !== '**').length;
}

function below(folder: string, line: string): string {
  const negative = line.startsWith('!');
  const body = negative ? line.slice(1) : line;
  const slash = body.replace(/ +$/, '').replace(/\/$/, '').indexOf('/');
  const prefix = `${negative ? '!' : ''}/${folder.replace(/[\\*?[\]!# ]/g, '\\$&')}/`;
  if (body.trim() === '' || body.trim() === '/') return '';
  return slash < 0 ? `${prefix}**/${body}` : `${prefix}${body.replace(/^\//, '')}`;
}
