/**
 * From a path of a directory source to what really stands there, opened and checked.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import type { BigIntStats, Dirent } from 'node:fs';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type CheckedOpener, ELSEWHERE } from './checked-open.ts';
import { CHANGED, readWhole } from './file-read.ts';
import type { HostFs } from './host-fs.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import type { LinkRoots } from './link-roots.ts';
import { fromSystem, notFound, shownPath, special, tooLarge } from './source-error.ts';

/** What changes faster than it can be read is tried this often. */
const ATTEMPTS = 3;
const REPLACEMENT = '\uFFFD';

/** A regular file that was opened and stands where it may. */
export interface OpenFile {
  readonly fd: number;
  readonly real: string;
  /** No segment of its path is a link. */
  readonly direct: boolean;
  readonly stats: BigIntStats;
}

/** What a folder holds; names whose bytes are not UTF-8 stand apart, in a spelling that no file has. */
export interface RawFolder {
  readonly real: string;
  readonly entries: readonly Dirent[];
  readonly undecodable: readonly string[];
}

/** Opens files and folders of a directory source. */
export class RealFiles {
  readonly #fs: HostFs;
  readonly #opener: CheckedOpener;
  readonly #links: LinkRoots;

  constructor(fs: HostFs, opener: CheckedOpener, links: LinkRoots) {
    this.#fs = fs;
    this.#opener = opener;
    this.#links = links;
  }

  /**
   * Returns what `use` makes of the file at a path. When `use` says {@link CHANGED}, or the file is replaced while it is
   * opened, all of it is done again, three times in all; then `FILE_CHANGED`.
   */
  withFile<T>(path: string, use: (file: OpenFile) => T | typeof CHANGED, judge = true): T {
    try {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const opened = this.#find(path, (real) => this.#opener.openFile(real), judge);
        if (opened === undefined) continue;
        const fd = opened.found;
        try {
          const stats = this.#fs.fstat(fd);
          if (stats.isDirectory()) throw notFound(path, 'is a folder and no file');
          if (!stats.isFile()) throw special(path);
          const result = use({ fd, real: opened.real, direct: opened.direct, stats });
          if (result !== CHANGED) return result;
        } finally {
          this.#fs.close(fd);
        }
      }
    } catch (error) {
      throw fromSystem(error, path);
    }
    throw changed(path);
  }

  /** Returns what is in the folder at a path. Throws what the system throws, and `FILE_CHANGED`. */
  readFolder(path: string): RawFolder {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const opened = this.#find(path, (real) => this.#opener.readFolder(real), true);
      if (opened === undefined) continue;
      const { real, found: entries } = opened;
      if (!entries.some((entry) => entry.name.includes(REPLACEMENT)))
        return { real, entries, undecodable: [] };
      const names = this.#opener.readFolderBytes(real);
      if (names !== ELSEWHERE) return { real, ...separate(entries, names) };
    }
    throw changed(path);
  }

  /**
   * Returns the text of the `.skillignore` in a folder, or undefined when there is none. Its rules do not apply to it,
   * but where links may lead does.
   *
   * Errors: `FILE_TOO_LARGE`, `FILE_UNREADABLE`, `LINK_ESCAPES`: without its rules a folder cannot be served.
   */
  ignoreFile(folder: string): string | undefined {
    return this.#optional(folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`);
  }

  #optional(path: string): string | undefined {
    try {
      return this.withFile(path, (file) => wholeText(this.#fs, path, file), false);
    } catch (error) {
      if (error instanceof SkillError && error.code === 'FILE_NOT_FOUND') return undefined;
      throw error;
    }
  }

  /** Tries the path as it is first, since most have no link in them, and then link by link. */
  #find<T>(
    path: string,
    open: (real: string) => T | typeof ELSEWHERE,
    judge: boolean,
  ): { readonly found: T; readonly real: string; readonly direct: boolean } | undefined {
    const expected = this.#links.expected(path);
    const direct = open(expected);
    if (direct !== ELSEWHERE) return { found: direct, real: expected, direct: true };
    const real = this.#links.resolve(path, judge);
    const found = open(real);
    return found === ELSEWHERE ? undefined : { found, real, direct: real === expected };
  }
}

function wholeText(fs: HostFs, path: string, file: OpenFile): string | typeof CHANGED {
  const size = Number(file.stats.size);
  if (size > LIMITS.ignoreFileBytes) throw tooLarge(path, size, LIMITS.ignoreFileBytes);
  const bytes = readWhole(fs, file.fd, file.stats);
  return bytes === CHANGED ? CHANGED : bytes.toString('utf8');
}

function changed(path: string): SkillError {
  return new SkillError(
    'FILE_CHANGED',
    `${shownPath(path)} changed each of the ${ATTEMPTS} times it was read; try again when it is at rest`,
    { details: { path } },
  );
}

/** Takes the entries whose names were not decoded faithfully out, and spells their bytes so that each is told apart. */
function separate(
  entries: readonly Dirent[],
  names: readonly Buffer[],
): { entries: readonly Dirent[]; undecodable: readonly string[] } {
  const faithful = new Set(names.filter((name) => isUtf8(name)).map((name) => name.toString('utf8')));
  const seen = new Set<string>();
  const kept = entries.filter((entry) => {
    if (!entry.name.includes(REPLACEMENT)) return true;
    if (!faithful.has(entry.name) || seen.has(entry.name)) return false;
    seen.add(entry.name);
    return true;
  });
  return { entries: kept, undecodable: names.filter((name) => !isUtf8(name)).map(spellBytes) };
}

function spellBytes(name: Buffer): string {
  let text = '';
  for (const byte of name) {
    text +=
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}
