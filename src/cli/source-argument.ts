/**
 * Sources on the command line.
 *
 * @module
 */
import { resolve } from 'node:path';
import { parseSourceText } from '../source/index.ts';

/**
 * The source again, its path absolute: what a client that starts elsewhere has to be given. Errors: `USAGE`.
 *
 * @example
 * absoluteSource('team=./skills', '/home/ann') // 'team=/home/ann/skills'
 */
export function absoluteSource(text: string, cwd: string): string {
  const { prefix, location } = parseSourceText(text, cwd);
  const path = isAddress(location) ? location : resolve(cwd, location);
  return prefix === '' ? path : `${prefix}=${path}`;
}

/** Whether a source is a URL or a shorthand such as `github:` and not a path; one letter before the colon is a drive. */
export function isAddress(location: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]+:/.test(location);
}
