/**
 * Removes what processes left behind that ended without tidying up.
 *
 * @module
 */
import { lstat, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../logger.ts';
import { systemCode } from './atomic.ts';
import { livenessOf, type Owner, parseFolderName } from './owner.ts';

/** Folders looked at and removed by one start, so that no start is slow; the next one goes on. */
const LOOKED_AT = 1_000;
const REMOVED = 100;

/** No download takes a week: what a process of another machine left is then nobody's. */
const FOREIGN_AGE_MS = 7 * 24 * 3_600_000;

/**
 * Resolves to the number of folders removed from `folder`, those of processes that no longer run.
 *
 * Folders of running processes, and names that no store gave, stay. What cannot be removed is told to the logger and
 * left for the next start: it is in nobody's way.
 */
export async function removeLeftovers(
  folder: string,
  logger: Logger,
  now: number = Date.now(),
): Promise<number> {
  let looked = 0;
  let removed = 0;
  for await (const entry of await opendir(folder)) {
    if (++looked > LOOKED_AT || removed >= REMOVED) break;
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || !(await isAbandoned(parseFolderName(entry.name), path, now))) continue;
    try {
      await rm(path, { recursive: true, force: true });
      removed++;
    } catch (error) {
      logger.warn('cannot remove temporary files of a process that ended', { system: systemCode(error) });
    }
  }
  return removed;
}

/**
 * Whether the process that made the folder at `path` runs no more; false for a folder of no process. One of another
 * machine, whose processes cannot be seen, counts as abandoned after a week.
 */
export async function isAbandoned(
  owner: Owner | undefined,
  path: string,
  now: number = Date.now(),
): Promise<boolean> {
  if (owner === undefined) return false;
  const liveness = livenessOf(owner);
  if (liveness !== 'foreign') return liveness === 'dead';
  const found = await lstat(path).catch(() => undefined);
  return found !== undefined && now - found.mtimeMs > FOREIGN_AGE_MS;
}
