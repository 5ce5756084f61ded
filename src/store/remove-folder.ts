/**
 * A folder that goes in one step.
 *
 * @module
 */
import { lstat, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '../errors.ts';
import { syncFolder, systemCode, writeError } from './atomic.ts';
import { makeHold, recoverHolds } from './hold.ts';
import { refuseValuable } from './place-folder.ts';
import { realTarget } from './real-target.ts';

/** Options of {@link removeFolder}. */
export interface RemoveFolderOptions {
  /** Folders above it that are empty then go too, up to this one, which stays. @default none goes */
  readonly upTo?: string;
}

/**
 * Resolves when nothing stands at `path` any more; it vanishes in one step and is removed then. A folder that is not there is
 * fine. No link is followed or removed.
 *
 * Errors: `WRITE_FAILED`, also for what is no folder, for links in the path, and for folders that are never replaced (one
 * that holds the home folder, the working folder or a `.git`).
 *
 * @example
 * await removeFolder('skills/acme/pdf', { upTo: 'skills' })
 */
export async function removeFolder(path: string, options: RemoveFolderOptions = {}): Promise<void> {
  const target = await realTarget(path);
  const found = await lstat(target).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw writeError(path, error);
  });
  if (found === undefined) return;
  if (!found.isDirectory()) {
    throw new SkillError('WRITE_FAILED', `${path} is no folder and is not removed`, { details: { path } });
  }
  await refuseValuable(target, path);
  const parent = dirname(target);
  await recoverHolds(parent, path);
  const hold = await makeHold(parent, path);
  try {
    // Into the part that nobody puts back: what a killed process left there is removed by the next.
    await rename(target, join(hold.fresh, basename(target)));
  } catch (error) {
    await hold.discard().catch(() => undefined);
    throw writeError(path, error);
  }
  await syncFolder(parent);
  // It is gone for everybody; what cannot be removed now goes at the end of the process or with the next call.
  await hold.discard().catch(() => undefined);
  if (options.upTo !== undefined) await removeEmpty(parent, await realTarget(options.upTo));
}

async function removeEmpty(folder: string, stop: string): Promise<void> {
  for (
    let current = folder;
    current.length > stop.length && current.startsWith(stop);
    current = dirname(current)
  ) {
    try {
      await rmdir(current);
    } catch {
      // Not empty, or somebody else's: it and those above it stay.
      return;
    }
  }
}
