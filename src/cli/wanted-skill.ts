/**
 * A skill that is to be pulled, judged before anything is read or written.
 *
 * @module
 */
import type { FoundSkill } from '../client/skill.ts';
import { SkillError } from '../errors.ts';
import { collisionKey, windowsNameProblem } from '../source/index.ts';
import { isGitPath } from './git-path.ts';
import { isOwnPath } from './pull-record.ts';
import { filesOf, namesOf, type SkillFile } from './skill-files.ts';

/** A skill that is to be pulled. */
export interface WantedSkill {
  readonly found: FoundSkill;
  readonly name: string;
  /** Its folder below the target folder. */
  readonly path: string;
  readonly files: readonly SkillFile[];
}

/** Options of {@link wantedSkill}. */
export interface WantedOptions {
  /** The folder is the name alone. */
  readonly flat: boolean;
  readonly allowUnverified: boolean;
  /** Bytes of one skill. */
  readonly maxBytes: number;
  /** Files of one skill. */
  readonly maxFiles: number;
}

/**
 * The skill as it would be pulled. Errors: `DYNAMIC_REFUSED`, `NOT_VERIFIABLE`, `INVALID_ENTRY`, `UNSAFE_NAME`,
 * `NAME_COLLISION`, `SKILL_TOO_LARGE`.
 */
export function wantedSkill(found: FoundSkill, options: WantedOptions): WantedSkill {
  const { uri } = found.entry;
  if (found.integrity === 'dynamic' || found.entry.resources === 'dynamic') {
    throw new SkillError('DYNAMIC_REFUSED', `${uri} is made anew at each read, so there is nothing to keep`, {
      details: { uri },
    });
  }
  if (found.integrity !== 'complete' && !options.allowUnverified) throw notVerifiable(found);
  const names = namesOf(found.entry);
  const path = options.flat ? (names.path.split('/').at(-1) ?? names.name) : names.path;
  const files = filesOf(found);
  if (!files.some((file) => file.path === 'SKILL.md')) {
    throw new SkillError('INVALID_ENTRY', `the entry of ${uri} does not list its SKILL.md`, {
      details: { uri },
    });
  }
  refuseName(path, uri);
  if (isOwnPath(path)) {
    throw new SkillError('UNSAFE_NAME', `${uri}: names that begin with .skillwire are those of pull itself`, {
      details: { uri, path },
    });
  }
  for (const file of files) refuseName(file.path, file.uri);
  refuseCollisions(files);
  refuseSize(files, uri, options);
  return { found, name: names.name, path, files };
}

function notVerifiable({ entry: { uri }, integrity, dialect }: FoundSkill): SkillError {
  const what = integrity === 'partial' ? 'states a digest for SKILL.md alone' : 'states no digests';
  const unknown = integrity === 'partial' ? 'which other files there are' : 'what it sends';
  return new SkillError(
    'NOT_VERIFIABLE',
    `${uri}: the server ${what} (${dialect}), so ${unknown} cannot be verified`,
    {
      details: {
        uri,
        integrity,
        hint: '--allow-unverified pulls it all the same, if you trust the server and the way to it',
      },
    },
  );
}

function refuseName(path: string, uri: string): void {
  if (isGitPath(path)) {
    throw new SkillError('UNSAFE_NAME', `${uri}: git would run what stands in a .git`, {
      details: { uri, path },
    });
  }
  for (const name of path.split('/')) {
    const problem = windowsNameProblem(name);
    if (problem === undefined) continue;
    throw new SkillError('UNSAFE_NAME', `${uri}: the name ${JSON.stringify(name)} ${problem}`, {
      details: { uri, path },
    });
  }
}

/** Errors: `NAME_COLLISION` for two files, or a file and a folder, that some file system takes for one. */
export function refuseCollisions(files: readonly Pick<SkillFile, 'path' | 'uri'>[]): void {
  const taken = new Map<string, { readonly path: string; readonly isFile: boolean }>();
  for (const { path: filePath, uri } of files) {
    const names = filePath.split('/');
    for (let depth = 1; depth <= names.length; depth += 1) {
      const path = names.slice(0, depth).join('/');
      const isFile = depth === names.length;
      const key = collisionKey(path);
      const other = taken.get(key);
      if (other === undefined) taken.set(key, { path, isFile });
      else if (other.path !== path || other.isFile || isFile) throw collision(uri, path, other.path);
    }
  }
}

function collision(uri: string, path: string, other: string): SkillError {
  const what =
    path === other
      ? `${JSON.stringify(path)} is a file and a folder`
      : `${JSON.stringify(path)} and ${JSON.stringify(other)} are one name on some file systems`;
  return new SkillError('NAME_COLLISION', `${uri}: ${what}`, { details: { uri, path, other } });
}

function refuseSize(files: readonly SkillFile[], uri: string, { maxBytes, maxFiles }: WantedOptions): void {
  if (files.length > maxFiles) {
    throw new SkillError(
      'SKILL_TOO_LARGE',
      `${uri} has ${files.length} files, more than the ${maxFiles} of a skill`,
      {
        details: { uri, limit: maxFiles, actual: files.length },
      },
    );
  }
  const bytes = files.reduce((sum, file) => sum + (file.size ?? 0), 0);
  if (bytes > maxBytes) throw tooLarge(uri, bytes, maxBytes);
}

/** The error for a skill of too many bytes. */
export function tooLarge(uri: string, actual: number, limit: number): SkillError {
  return new SkillError(
    'SKILL_TOO_LARGE',
    `${uri} has ${actual} bytes, more than the ${limit} that are pulled`,
    {
      details: { uri, limit, actual, hint: '--max-bytes N raises the cap, and --max-bytes -1 lifts it' },
    },
  );
}
