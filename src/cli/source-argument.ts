/**
 * `PREFIX=SOURCE` and `SOURCE` on the command line.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from './usage.ts';

/** One source as it was written. */
export interface SourceArgument {
  /** Segments before the path of its skills; empty: none. */
  readonly prefix: string;
  readonly source: string;
}

/**
 * A source argument, split at its first `=` unless the whole text is a path that exists or its first part is one:
 * a prefix has no `.` or `..` segment and no `:`.
 *
 * Errors: `USAGE` for a prefix without a source, or a source that is empty.
 *
 * @example
 * parseSourceArgument('team/docs=./skills', cwd) // { prefix: 'team/docs', source: './skills' }
 */
export function parseSourceArgument(text: string, cwd: string): SourceArgument {
  if (text === '') throw usageError('a source is empty', 'give the path of a folder; . is this one');
  const at = text.indexOf('=');
  const before = text.slice(0, Math.max(0, at));
  if (at < 1 || !isPrefix(before) || existsSync(resolve(cwd, text))) return { prefix: '', source: text };
  const source = text.slice(at + 1);
  if (source === '') {
    throw usageError(
      `${JSON.stringify(text)} has a prefix and no source`,
      'write PREFIX=SOURCE, such as team=./skills',
    );
  }
  return { prefix: before, source };
}

function isPrefix(text: string): boolean {
  const parts = text.split('/');
  return !/[:\\]/.test(text) && parts.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The argument again, its path absolute: what a client that starts elsewhere has to be given. */
export function absoluteArgument({ prefix, source }: SourceArgument, cwd: string): string {
  const path = isAddress(source) ? source : resolve(cwd, source);
  return prefix === '' ? path : `${prefix}=${path}`;
}

/** Whether a source is a URL or a shorthand such as `github:` and not a path; one letter before the colon is a drive. */
function isAddress(source: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]+:/.test(source);
}
