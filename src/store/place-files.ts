/**
 * Several files put into a folder, all of them or none.
 *
 * @module
 */
import { chmod, link, lstat, rename, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SkillError } from '../errors.ts';
import { syncFolder, systemCode, writeError } from './atomic.ts';
import { type Hold, makeHold, recoverHolds } from './hold.ts';
import { makeFolders } from './real-target.ts';
import { refuseAborted, writeFiles } from './write-files.ts';

/** A file that {@link placeFiles} writes. */
export interface FileToPlace {
  /** One name, without a separator. */
  readonly name: string;
  /** Makes the bytes when their turn comes, so that only those of one file are in memory. */
  readonly content: () => Promise<Uint8Array>;
}

/** Options of {@link placeFiles}. */
export interface PlaceFilesOptions {
  /** Put them in place of files that stand there. @default false */
  readonly replace?: boolean;
  /** Gives up before the first file is in its place. @default never */
  readonly signal?: AbortSignal;
}

/**
 * Resolves when the files stand in `folder`, which is made if it is not there. Nothing is in its place before all bytes are
 * written and flushed, so a failure leaves nothing new; each file takes its place in one step.
 *
 * Errors: `TARGET_EXISTS` when one of them is there without `replace`, before anything is made; `WRITE_FAILED`, also for a
 * link or folder in the place of a file; those of `content`.
 *
 * @example
 * await placeFiles('dist', [{ name: 'pdf.tar.gz', content: () => packSkill(files, 'tar.gz') }])
 */
export async function placeFiles(
  folder: string,
  files: readonly FileToPlace[],
  options: PlaceFilesOptions = {},
): Promise<void> {
  const replace = options.replace === true;
  const target = resolve(folder);
  const shown = ({ name }: FileToPlace): string => join(folder, name);
  for (const file of files) await refuseTaken(join(target, file.name), shown(file), replace);
  const made = await makeFolders(target, folder);
  let hold: Hold | undefined;
  try {
    await recoverHolds(target, folder);
    hold = await makeHold(target, folder);
    for (const { name, content } of files) {
      refuseAborted(options.signal);
      await writeFiles(hold.fresh, [{ path: name, content: await content() }]);
    }
    refuseAborted(options.signal);
    await placeAll(hold, target, files, shown, replace);
  } catch (error) {
    await hold?.discard().catch(() => undefined);
    await made.takeBack();
    // A fault of `content` is its own.
    throw systemCode(error) === 'UNKNOWN' ? error : writeError(folder, error);
  }
  await syncFolder(target);
  // What stays behind holds nothing but second names of the files, and the next call removes it.
  await hold.discard().catch(() => undefined);
}

async function placeAll(
  hold: Hold,
  target: string,
  files: readonly FileToPlace[],
  shown: (file: FileToPlace) => string,
  replace: boolean,
): Promise<void> {
  const placed: string[] = [];
  try {
    for (const file of files) {
      const path = join(target, file.name);
      const mode = await refuseTaken(path, shown(file), replace);
      const ready = join(hold.fresh, file.name);
      if (mode === undefined) {
        await placeNew(ready, path, shown(file));
        placed.push(path);
      } else {
        await chmod(ready, mode);
        await rename(ready, path);
      }
    }
  } catch (error) {
    for (const path of placed) await unlink(path);
    throw error;
  }
}

/** What a second name in a folder is refused with where the volume has no such thing. */
const NO_LINKS: ReadonlySet<string> = new Set([
  'EPERM',
  'ENOSYS',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EMLINK',
  'EACCES',
]);

/** A link never replaces, so of two that want the name one gets it. */
async function placeNew(ready: string, path: string, shown: string): Promise<void> {
  try {
    await link(ready, path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') throw taken(shown);
    if (!NO_LINKS.has(code)) throw writeError(shown, error);
    await refuseTaken(path, shown, false);
    await rename(ready, path);
  }
}

/** The permission bits of the file at `path` that may be replaced; undefined when there is nothing. */
async function refuseTaken(path: string, shown: string, replace: boolean): Promise<number | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw writeError(shown, error);
  });
  if (found === undefined) return undefined;
  if (!replace) throw taken(shown);
  if (found.isFile()) return found.mode & 0o7777;
  const what = found.isSymbolicLink() ? 'a link' : 'not a plain file';
  throw new SkillError('WRITE_FAILED', `${shown} is ${what} and is not replaced; choose another name`, {
    details: { path: shown },
  });
}

function taken(shown: string): SkillError {
  return new SkillError('TARGET_EXISTS', `${shown} already exists`, { details: { path: shown } });
}
