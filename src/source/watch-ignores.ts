/**
 * What a watcher does not look at.
 *
 * @module
 */
import { isIgnoredName } from './ignore.ts';
import { compilePatterns } from './ignore-file.ts';

/** A question about a path below a source. */
export type PathTest = (path: string, directory: boolean) => boolean;

/**
 * Returns whether a path is left out whatever is there: its last name is ignored everywhere, or it matches one of
 * `patterns` (gitignore syntax; the name of a file or folder alone matches at any depth).
 *
 * @example
 * watchIgnores(['drafts'])('pdf/drafts', true) // true
 */
export function watchIgnores(patterns: readonly string[]): PathTest {
  const given = patterns.filter((pattern) => pattern !== '');
  const matcher = given.length === 0 ? undefined : compilePatterns(given);
  return (path, directory) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (isIgnoredName(name)) return true;
    return matcher?.ignores(directory ? `${path}/` : path) === true;
  };
}
