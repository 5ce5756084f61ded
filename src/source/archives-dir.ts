/**
 * A folder of archives as one source.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import type { ArchiveSource } from './archive.ts';
import { hostFs } from './host-fs.ts';
import { isIgnoredName } from './ignore.ts';
import { type MergedArchive, mergeArchives } from './merged-archives.ts';
import { type OpenArchiveOptions, openArchive } from './open-archive.ts';
import { realFolder, sourceError } from './real-folder.ts';
import type { Source } from './source.ts';

/** Options of {@link openArchivesDir}. */
export interface ArchivesDirOptions extends Omit<OpenArchiveOptions, 'format'> {
  /**
   * An archive that cannot be opened: `throw` refuses the folder; `skip` serves the others and lists the file as withheld,
   * with the reason, so that a catalog reports it. @default 'throw'
   */
  readonly invalidArchives?: 'throw' | 'skip';
}

const ARCHIVE_NAME = /\.(?:zip|tar\.gz|tgz|tar\.bz2|tbz2?)$/i;

/**
 * Whether a file of this name is taken for an archive: one of `.tar.gz .tgz .zip .tar.bz2 .tbz .tbz2`, and no leftover of
 * an operating system (`._x.zip`).
 */
export function isArchiveName(name: string): boolean {
  return ARCHIVE_NAME.test(name) && !isIgnoredName(name);
}

/**
 * Resolves to one source with what all archives in a folder hold, side by side (seed 000's `OpenArchivesDir`). Each is
 * opened as `openArchive` does, in order of name; other files and folders are passed over, and so are links.
 *
 * Two archives with the same folder at their root are refused. Files at the root belong to no skill and refuse nothing: of
 * several `README.md` the first is served. Archives that come later are not seen; open the folder again.
 *
 * Errors: `SOURCE_NOT_FOUND` (no such folder, or no archive in it), `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`;
 * `ARCHIVES_DIR_COLLISION`, naming both; those of `openArchive`, naming the archive.
 *
 * @example
 * const source = await openArchivesDir('./packs');
 */
export async function openArchivesDir(dir: string, options: ArchivesDirOptions = {}): Promise<Source> {
  const { invalidArchives = 'throw', cwd, ...rest } = options;
  const label = options.label ?? dir;
  const real = realFolder(hostFs, dir, cwd);
  const opened: MergedArchive[] = [];
  try {
    for (const name of archivesIn(real, dir)) {
      opened.push(await openOne(name, real, rest, invalidArchives));
    }
    const first = opened.find((each) => 'error' in each);
    if (first !== undefined && opened.every((each) => 'error' in each)) throw first.error;
    return mergeArchives(opened, label);
  } catch (error) {
    await Promise.all(opened.map((each) => ('source' in each ? each.source.close() : undefined)));
    throw error;
  }
}

function archivesIn(real: string, shown: string): string[] {
  let names: string[];
  try {
    names = hostFs
      .readdir(real)
      .filter((entry) => entry.isFile() && isArchiveName(entry.name))
      .map((entry) => entry.name);
  } catch (error) {
    throw sourceError(error, shown);
  }
  if (names.length > 0) return names.sort(compareCodePoints);
  throw new SkillError(
    'SOURCE_NOT_FOUND',
    `${JSON.stringify(shown)} holds no archive; put .tar.gz, .zip or .tar.bz2 files directly into it`,
    { details: { source: shown } },
  );
}

async function openOne(
  name: string,
  real: string,
  options: OpenArchiveOptions,
  invalidArchives: 'throw' | 'skip',
): Promise<MergedArchive> {
  let source: ArchiveSource;
  try {
    source = await openArchive(name, { ...options, label: name, cwd: real });
  } catch (cause) {
    if (!(cause instanceof SkillError)) throw cause;
    const error = new SkillError(cause.code, `the archive ${JSON.stringify(name)}: ${cause.message}`, {
      details: { ...cause.details, archive: name },
      cause,
    });
    if (invalidArchives === 'throw') throw error;
    return { name, error };
  }
  return { name, source };
}
