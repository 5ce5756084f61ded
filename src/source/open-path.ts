/**
 * From a path of this machine to the source that stands there.
 *
 * @module
 */
import path from 'node:path';
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { startPace } from '../pace.ts';
import { MANIFEST_FILENAME } from '../uri/index.ts';
import { isArchiveName, openArchivesDir } from './archives-dir.ts';
import { type DirectoryOptions, type DirectorySource, directorySource } from './directory.ts';
import { nest } from './mount.ts';
import { openArchive } from './open-archive.ts';
import { isSafePath } from './safe-path.ts';
import type { Source } from './source.ts';
import { errnoOf } from './source-error.ts';
import type { OnSourceProgress } from './source-progress.ts';
import { meantBy } from './source-text.ts';

/** How a path is opened. */
export interface OpenPathOptions extends DirectoryOptions {
  readonly onProgress?: OnSourceProgress;
}

/** Packed, and not in a format that is read. */
const OTHER_ARCHIVE = /\.(?:tar|gz|bz2|xz|zst|7z|rar|lz|lzma|lz4|br|z)$/i;

/** Resolves to a folder of skills, a skill below its own name, an archive, or a folder of archives. */
export async function openPath(location: string, options: OpenPathOptions): Promise<Source> {
  let source: DirectorySource;
  try {
    source = directorySource(location, options);
  } catch (error) {
    return openFile(location, options, error);
  }
  try {
    const { nodes } = source.list('');
    if (nodes.some(isManifest)) return nest(source, skillFolderName(source, location));
    const packed = nodes.some(
      ({ name, kind, link, withheld }) => kind === 'file' && !link && !withheld && isArchiveName(name),
    );
    if (!packed || (await mayHoldSkill(source))) return source;
  } catch (error) {
    await source.close();
    throw error;
  }
  await source.close();
  const { symlinks: _symlinks, linkRoots: _linkRoots, ...rest } = options;
  return openArchivesDir(location, { ...rest, invalidArchives: 'skip' });
}

async function openFile(location: string, options: OpenPathOptions, noFolder: unknown): Promise<Source> {
  if (isSkillError(noFolder, 'SOURCE_NOT_FOUND')) throw withHint(noFolder, location);
  if (!isSkillError(noFolder, 'SOURCE_NOT_A_FOLDER') || errnoOf(noFolder.cause) === 'ENOTDIR') throw noFolder;
  try {
    const { symlinks: _symlinks, linkRoots: _linkRoots, ...rest } = options;
    return await openArchive(location, rest);
  } catch (error) {
    if (!isSkillError(error, 'ARCHIVE_UNKNOWN_FORMAT') || OTHER_ARCHIVE.test(location)) throw error;
    const instead =
      path.basename(location) === MANIFEST_FILENAME
        ? 'name the folder that holds it'
        : 'name a folder, or an archive (.tar.gz, .zip, .tar.bz2)';
    throw new SkillError(
      'SOURCE_NOT_A_FOLDER',
      `${JSON.stringify(location)} is a file and no archive; ${instead}`,
      { details: { source: location }, cause: error },
    );
  }
}

function withHint(error: SkillError, location: string): SkillError {
  const meant = meantBy(location);
  if (meant === undefined) return error;
  return new SkillError(error.code, `${error.message}; ${meant}`, {
    details: error.details,
    cause: error.cause,
  });
}

function isManifest({ name, kind }: { readonly name: string; readonly kind: string }): boolean {
  return name === MANIFEST_FILENAME && kind === 'file';
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

/** Whether a `SKILL.md` stands anywhere in a folder; what cannot be told counts as one, so that it is reported as a folder. */
async function mayHoldSkill(source: DirectorySource): Promise<boolean> {
  const pace = startPace();
  const seen = new Set<string>();
  const waiting = [''];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (pace.due()) await pace.rest();
    let folder: ReturnType<DirectorySource['list']>;
    try {
      folder = source.list(at);
    } catch (error) {
      if (isSkillError(error, 'FILE_NOT_FOUND')) continue;
      return true;
    }
    if (folder.nodes.some(isManifest) || seen.size >= LIMITS.scanFolders) return true;
    // A link can lead to a folder that was seen.
    if (seen.has(folder.id)) continue;
    seen.add(folder.id);
    for (const { name, kind, withheld } of folder.nodes) {
      if (kind === 'directory' && withheld === undefined) waiting.push(at === '' ? name : `${at}/${name}`);
    }
  }
  return false;
}
