/**
 * The folder beside a target in which something is made before it takes its place.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keepAtExit, removeAtExit } from './at-exit.ts';
import { systemCode, writeError } from './atomic.ts';
import { isAbandoned } from './leftovers.ts';
import { folderNameOf, ownerOfThisProcess, parseFolderName } from './owner.ts';

/** A holding folder. It goes when the process ends, and what a killed process left is put right by the next. */
export interface Hold {
  readonly path: string;
  /** What is made, with the bits that any new folder has. */
  readonly fresh: string;
  /** Where what is replaced waits, under its own name; not there at first. */
  readonly old: string;
  /** Removes it with all in it, unless it is kept. */
  discard(): Promise<void>;
  /** Leaves it where it is from now on, also at the end of the process. */
  keep(): void;
}

// A name that ends with a tilde is ignored by every source, so that nobody is served what is not in its place yet.
const PREFIX = '.skillwire-';
const SUFFIX = '~';

/** Resolves to a new holding folder in `parent`, which nobody else can look into. Errors: `WRITE_FAILED`. */
export async function makeHold(parent: string, shown: string): Promise<Hold> {
  const name = folderNameOf(ownerOfThisProcess(), randomBytes(6).toString('hex'));
  const path = join(parent, `${PREFIX}${name}${SUFFIX}`);
  const fresh = join(path, 'new');
  removeAtExit(path);
  let kept = false;
  const discard = async (): Promise<void> => {
    if (kept) return;
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
    keepAtExit(path);
  };
  try {
    await mkdir(path, { mode: 0o700 });
    await mkdir(fresh);
  } catch (error) {
    await discard().catch(() => undefined);
    throw writeError(shown, error);
  }
  const keep = (): void => {
    kept = true;
    keepAtExit(path);
  };
  return { path, fresh, old: join(path, 'old'), discard, keep };
}

/**
 * Resolves when no holding folder of a dead process is left in `parent`: what one of them was about to replace is back in
 * its place if nothing has taken it.
 *
 * Errors: `WRITE_FAILED`.
 */
export async function recoverHolds(parent: string, shown: string): Promise<void> {
  try {
    for (const name of await readdir(parent)) {
      if (!name.startsWith(PREFIX) || !name.endsWith(SUFFIX)) continue;
      const path = join(parent, name);
      const found = await lstat(path);
      const user = process.geteuid?.();
      if (!found.isDirectory() || (user !== undefined && found.uid !== user)) continue;
      const owner = parseFolderName(name.slice(PREFIX.length, -SUFFIX.length));
      if (await isAbandoned(owner, path)) await recover(path, parent);
    }
  } catch (error) {
    // Another process may put it right at the same moment.
    if (systemCode(error) !== 'ENOENT') throw writeError(shown, error);
  }
}

async function recover(hold: string, parent: string): Promise<void> {
  const old = join(hold, 'old');
  const replaced = await readdir(old).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of replaced) {
    const place = join(parent, basename(name));
    if (!(await exists(place))) await rename(join(old, name), place);
  }
  await rm(hold, { recursive: true, force: true, maxRetries: 3 });
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}
