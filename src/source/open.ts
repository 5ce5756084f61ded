/**
 * From the text of a source to the source.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SkillError } from '../errors.ts';
import { type DirectoryOptions, type DirectorySource, directorySource } from './directory.ts';
import { mountSources, nest } from './mount.ts';
import { isSafePath } from './safe-path.ts';
import type { Source } from './source.ts';

/** Options of {@link openSource}. */
export type OpenOptions = DirectoryOptions;

/** The text of a source in its parts. */
export interface SourceText {
  /** The folder it is to stand in; the empty string is none. */
  readonly prefix: string;
  readonly location: string;
}

const SERVED = 'a source is a folder, or PREFIX=FOLDER';
const ARCHIVE = /\.(?:zip|tar|tar\.gz|tgz|tar\.bz2|tbz2?)$/i;
/** Two letters at least, so that `C:\skills` is a path. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;

/**
 * Returns a source for a folder, written as a path or as `PREFIX=PATH`. A folder with a `SKILL.md` of its own is one
 * skill and stands under its own name; any other is a folder of skills.
 *
 * `~` is not expanded; that is the shell's work.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`; `USAGE` for a text of another kind.
 *
 * @example
 * const source = await openSource('team=./skills');
 */
export async function openSource(text: string, options: OpenOptions = {}): Promise<Source> {
  const { prefix, location } = parseSourceText(text, options.cwd);
  const source = openFolder(location, options);
  const named = isOneSkill(source) ? nest(source, skillFolderName(source, location)) : source;
  return prefix === '' ? named : mountSources([{ source: named, prefix }], { label: text });
}

/**
 * Returns the prefix and the location in the text of a source. A path that exists as it is wins over `PREFIX=`, so a
 * folder with a `=` in its name can be served; and what stands before the first `=` is a prefix only if it can be one.
 *
 * Errors: `USAGE` for an empty prefix or location.
 *
 * @example
 * parseSourceText('team=./skills') // { prefix: 'team', location: './skills' }
 */
export function parseSourceText(text: string, cwd?: string): SourceText {
  if (text === '') throw usage(`the source is empty; ${SERVED}`, text);
  const equals = text.indexOf('=');
  if (equals < 0 || SCHEME.test(text) || exists(text, cwd)) return { prefix: '', location: text };
  const prefix = text.slice(0, equals);
  const location = text.slice(equals + 1);
  if (prefix === '') throw usage(`${JSON.stringify(text)} has nothing before "="; ${SERVED}`, text);
  if (!isSafePath(prefix)) return { prefix: '', location: text };
  if (location === '') throw usage(`${JSON.stringify(text)} has nothing after "="; ${SERVED}`, text);
  return { prefix, location };
}

function openFolder(location: string, options: DirectoryOptions): DirectorySource {
  if (SCHEME.test(location) && !exists(location, options.cwd)) {
    throw usage(`${JSON.stringify(location)} is not a folder on this machine; ${SERVED}`, location);
  }
  try {
    return directorySource(location, options);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== 'SOURCE_NOT_A_FOLDER' || !ARCHIVE.test(location))
      throw error;
    throw new SkillError(
      'SOURCE_NOT_A_FOLDER',
      `${JSON.stringify(location)} is an archive; ${SERVED}: unpack it first`,
      {
        details: { source: location },
        cause: error,
      },
    );
  }
}

function isOneSkill(source: DirectorySource): boolean {
  return source.list('').nodes.some((node) => node.name === 'SKILL.md' && node.kind === 'file');
}

function skillFolderName(source: DirectorySource, location: string): string {
  const name = path.basename(source.hostRoot);
  if (isSafePath(name) && name !== '') return name;
  throw new SkillError(
    'SOURCE_NOT_A_FOLDER',
    `${JSON.stringify(location)} has a SKILL.md and no folder name of its own; move the skill into a folder`,
    { details: { source: location } },
  );
}

function exists(text: string, cwd: string = process.cwd()): boolean {
  return existsSync(path.resolve(cwd, text));
}

function usage(message: string, source: string): SkillError {
  return new SkillError('USAGE', message, { details: { source } });
}
