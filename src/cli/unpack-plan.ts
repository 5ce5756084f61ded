/**
 * What an archive becomes on disk, judged before anything is written.
 *
 * @module
 */
import { basename, resolve } from 'node:path';
import { stripWrapper } from '../archive/index.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { parseFrontmatter, validateSkillName } from '../format/index.ts';
import { isIgnoredName, isSafeSegment, windowsNameProblem } from '../source/index.ts';
import { isGitPath } from './git-path.ts';
import { usageError } from './usage.ts';

/** A file of an archive with its content. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** All of an archive. */
export interface ArchiveContent {
  readonly files: readonly ArchiveFile[];
  /** Folders that the archive names. */
  readonly folders: readonly string[];
}

/** What is written. */
export interface UnpackPlan extends ArchiveContent {
  /** The folder that held everything and was taken off. */
  readonly wrapper?: string;
  /** Of the `SKILL.md` at its root. */
  readonly skill?: string;
  /** Paths that are not written: a `.git` would make git run what it says. */
  readonly leftOut: readonly string[];
}

/**
 * What is written of an archive. `strip`: the folder around everything is taken off if there is one (undefined), has to be
 * there (true), or stays (false).
 *
 * Errors: `USAGE` when `strip` is true and no folder is around everything; `ARCHIVE_UNSAFE_NAME` for a name that Windows
 * cannot hold, on every system.
 */
export function unpackPlan(content: ArchiveContent, strip: boolean | undefined, archive: string): UnpackPlan {
  for (const { path } of content.files) refuseName(path);
  for (const path of content.folders) refuseName(path);
  const { wrapper, files, folders } =
    strip === false ? { ...content, wrapper: undefined } : stripped(content);
  if (strip === true && wrapper === undefined) {
    throw usageError(`--strip: ${archive} has no folder that holds everything`, 'leave --strip out');
  }
  const kept = files.filter(({ path }) => !isGitPath(path));
  const skill = skillName(kept);
  return {
    files: kept,
    folders: folders.filter((path) => !isGitPath(path)),
    leftOut: files.filter(({ path }) => isGitPath(path)).map(({ path }) => path),
    ...(wrapper === undefined ? {} : { wrapper }),
    ...(skill === undefined ? {} : { skill }),
  };
}

/** What an operating system put beside the folder does not make it one of several. */
function stripped({
  files,
  folders,
}: ArchiveContent): ArchiveContent & { readonly wrapper: string | undefined } {
  const counts = ({ path }: { readonly path: string }): boolean =>
    !isIgnoredName(path.split('/', 1)[0] ?? '');
  const all = [
    ...folders.map((path) => ({ path, kind: 'directory' as const, file: undefined })),
    ...files.map((file) => ({ path: file.path, kind: 'file' as const, file })),
  ];
  const { wrapper, entries } = stripWrapper(all.filter(counts));
  if (wrapper === undefined) return { files, folders, wrapper };
  return {
    wrapper,
    files: entries.flatMap(({ path, file }) => (file === undefined ? [] : [{ ...file, path }])),
    folders: entries.flatMap(({ path, kind }) => (kind === 'directory' ? [path] : [])),
  };
}

function refuseName(path: string): void {
  for (const name of path.split('/')) {
    const problem = windowsNameProblem(name);
    if (problem === undefined) continue;
    throw new SkillError(
      'ARCHIVE_UNSAFE_NAME',
      `the entry ${JSON.stringify(path)}: ${JSON.stringify(name)} ${problem}`,
      {
        details: { path, rule: 'windows', hint: 'rename it and pack again: skills travel between systems' },
      },
    );
  }
}

function skillName(files: readonly ArchiveFile[]): string | undefined {
  const file = files.find(({ path }) => path === 'SKILL.md');
  if (file === undefined) return undefined;
  try {
    const { name } = parseFrontmatter(file.bytes);
    validateSkillName(name);
    return name;
  } catch (error) {
    // `check` says what is wrong with it; the folder gets the name of the archive.
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

const SUFFIX = /\.(?:tar\.gz|tgz|zip|tar\.bz2|tbz2?|skill)$/i;

/**
 * The folder that an archive goes to when the user named none: the skill, else the folder around everything, else the
 * archive's own name. Errors: `USAGE` when none of them can name a folder.
 */
export function defaultTarget(plan: UnpackPlan, archive: string): string {
  const own = archive === '-' ? '' : basename(archive).replace(SUFFIX, '');
  for (const name of [plan.skill, plan.wrapper, own]) {
    if (name === undefined || name === '' || name.startsWith('.')) continue;
    if (isSafeSegment(name) && windowsNameProblem(name) === undefined) return name;
  }
  throw usageError(`nothing in ${archive} names a folder`, 'say where with --to DIR');
}

/** Bytes of the longest path that common programs of a system open; what is above a target while it is made counts. */
const LONGEST: Readonly<Partial<Record<NodeJS.Platform, number>>> = { win32: 259, darwin: 1_023 };
const LONGEST_ELSEWHERE = 4_095;
const HOLD = 96;

/** Errors: `ARCHIVE_NAME_TOO_LONG` for a file that this system could not open in `target`. */
export function refuseLongPaths(
  {
    files,
    folders,
  }: { readonly files: readonly { readonly path: string }[]; readonly folders: readonly string[] },
  target: string,
  platform: NodeJS.Platform = process.platform,
): void {
  const limit = LONGEST[platform] ?? LONGEST_ELSEWHERE;
  const above = platform === 'win32' ? resolve(target).length + 1 : Buffer.byteLength(resolve(target)) + HOLD;
  for (const path of [...files.map((file) => file.path), ...folders]) {
    const length = above + (platform === 'win32' ? path.length : Buffer.byteLength(path));
    if (length <= limit) continue;
    throw new SkillError(
      'ARCHIVE_NAME_TOO_LONG',
      `${JSON.stringify(path)} in ${target} has ${length} ${platform === 'win32' ? 'characters' : 'bytes'}, more than the ${limit} of this system`,
      { details: { path, limit, actual: length, hint: 'unpack into a folder with a shorter path' } },
    );
  }
}
