/**
 * A folder put in its place whole or not at all, also in place of another.
 *
 * @module
 */
import { chmod, lstat, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SkillError } from '../errors.ts';
import { syncFolder, systemCode, writeError } from './atomic.ts';
import { homeFolder } from './cache-folder.ts';
import { type Hold, makeHold, recoverHolds } from './hold.ts';
import { makeFolders, realTarget } from './real-target.ts';
import { type TargetState, taken, takePlace } from './take-place.ts';
import { type NewFile, refuseAborted, type WriteFilesOptions, writeFiles } from './write-files.ts';

/** Options of {@link placeFolder}. */
export interface PlaceFolderOptions extends WriteFilesOptions {
  /** Put it in place of a folder that holds something. @default false */
  readonly replace?: boolean;
}

/** What {@link placeFolder} did. */
export interface PlacedFolder {
  /** Whether a folder that held something gave way. */
  readonly replaced: boolean;
  /** The folder with what was replaced, when it could not be removed; the new one is in its place all the same. */
  readonly leftover?: string;
}

/**
 * Resolves when `path` is a folder with exactly these files. It may be new or an empty folder, which keeps its owner and
 * bits; with `replace` also a folder that holds something.
 *
 * Everything is written into a holding folder on the same volume and flushed before the target is touched. A failure, an
 * abort and the end of the process leave the target as it was and nothing beside it; what a killed process left is put
 * right by the next call for a target in the same folder. No link is followed or replaced.
 *
 * Errors: `TARGET_EXISTS` when something stands there; `WRITE_FAILED` for links in the path, for folders that are never
 * replaced (one that holds the home folder, the working folder or a `.git`), on abort, and when the system refuses.
 *
 * @example
 * await placeFolder('skills/pdf', files, { replace: true })
 */
export async function placeFolder(
  path: string,
  files: readonly NewFile[],
  options: PlaceFolderOptions = {},
): Promise<PlacedFolder> {
  const target = await realTarget(path);
  await recoverAround(target, path);
  const state = await stateOf(target, path);
  if (state === 'other' || (state === 'filled' && options.replace !== true)) throw taken(path, state);
  if (state === 'filled') await refuseValuable(target, path);
  // An empty folder may be a volume of its own or somebody's working folder, so what it gets is moved into it.
  const parent = state === 'empty' ? target : dirname(target);
  const made = await makeFolders(parent, path);
  let hold: Hold | undefined;
  try {
    hold = await makeHold(parent, path);
    await writeFiles(hold.fresh, files, options);
    if (state === 'filled') await chmod(hold.fresh, (await lstat(target)).mode & 0o7777);
    refuseAborted(options.signal);
    takePlace(state, hold, target, path);
  } catch (error) {
    // What cannot be removed now is removed at the end of the process or by the next call.
    await hold?.discard().catch(() => undefined);
    await made.takeBack();
    throw writeError(path, error);
  }
  await syncFolder(parent);
  return { replaced: state === 'filled', ...(await tidyUp(hold)) };
}

/** The new folder stands: that the old one cannot be removed is worth a word and no failure. */
async function tidyUp(hold: Hold): Promise<{ readonly leftover?: string }> {
  try {
    await hold.discard();
    return {};
  } catch {
    hold.keep();
    return { leftover: hold.path };
  }
}

async function recoverAround(target: string, shown: string): Promise<void> {
  for (const folder of [dirname(target), target]) {
    const found = await lstat(folder).catch(() => undefined);
    if (found?.isDirectory() === true) await recoverHolds(folder, shown);
  }
}

async function stateOf(target: string, shown: string): Promise<TargetState> {
  try {
    if (!(await lstat(target)).isDirectory()) return 'other';
    return (await readdir(target)).length === 0 ? 'empty' : 'filled';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 'nothing';
    throw writeError(shown, error);
  }
}

/** Errors: `WRITE_FAILED` for a folder whose replacement is never what was meant. */
export async function refuseValuable(target: string, shown: string): Promise<void> {
  const why = (await holds(target, process.cwd()))
    ? 'is the working folder or holds it'
    : (await holds(target, homeFolder()))
      ? 'is the home folder or holds it'
      : (await readdir(target)).some((name) => name.toLowerCase() === '.git')
        ? 'holds a .git'
        : undefined;
  if (why === undefined) return;
  throw new SkillError('WRITE_FAILED', `${shown} ${why} and is not replaced; name the folder of one skill`, {
    details: { path: shown },
  });
}

/** By identity: a volume may know a folder under several spellings. */
async function holds(target: string, path: string | undefined): Promise<boolean> {
  if (path === undefined) return false;
  const { dev, ino } = await stat(target, { bigint: true });
  for (let folder = path, last = ''; folder !== last; last = folder, folder = dirname(folder)) {
    const found = await stat(folder, { bigint: true }).catch(() => undefined);
    if (found?.dev === dev && found.ino === ino) return true;
  }
  return false;
}
