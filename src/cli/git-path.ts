/**
 * Paths that git would take for its own.
 *
 * @module
 */

/**
 * Whether a name in `path` is `.git`, also as Windows and macOS would spell it: git runs what stands there.
 *
 * @example
 * isGitPath('a/.GIT/config') // true
 */
export function isGitPath(path: string): boolean {
  return path
    .normalize('NFC')
    .toLowerCase()
    .split('/')
    .some(
      (name) =>
        name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '') === '.git' || name === 'git~1',
    );
}
