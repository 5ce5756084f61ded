/**
 * Where persistent and temporary data lies, and whether that place can be trusted.
 *
 * @module
 */
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { SkillError } from '../errors.ts';
import { systemCode, writeError } from './atomic.ts';
import { makeFolderChain } from './folder-chain.ts';

const OTHERS_WRITE = 0o022;
/** Names in the folder can be changed by their owners alone, as in `/tmp`. */
const STICKY = 0o1000;

/** A folder and what a message calls it: a path of this machine is named only if the caller gave it. */
export interface NamedFolder {
  readonly path: string;
  readonly name: string;
}

/**
 * The cache folder: `path` if given, else `$XDG_CACHE_HOME/skillwire`, else `~/.cache/skillwire`. Nothing is made or read.
 *
 * A relative `XDG_CACHE_HOME` counts as none, as its specification demands.
 *
 * Errors: `WRITE_FAILED` when there is no home folder either.
 *
 * @example
 * cacheFolder() // { path: '/home/me/.cache/skillwire', name: 'the cache folder ~/.cache/skillwire' }
 */
export function cacheFolder(path?: string): NamedFolder {
  if (path !== undefined) return { path: resolve(path), name: path };
  const base = process.env.XDG_CACHE_HOME;
  if (base !== undefined && isAbsolute(base)) {
    return { path: join(base, 'skillwire'), name: 'the cache folder $XDG_CACHE_HOME/skillwire' };
  }
  const home = homeFolder();
  if (home === undefined) {
    throw new SkillError('WRITE_FAILED', 'there is no home folder for the cache; set XDG_CACHE_HOME');
  }
  return { path: join(home, '.cache', 'skillwire'), name: 'the cache folder ~/.cache/skillwire' };
}

/** The home folder of this user; undefined when there is none. */
export function homeFolder(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // The user has no entry in the system's list, as in some containers.
    return undefined;
  }
}

/**
 * Resolves when the folder exists and only this user can change it; made with mode 0700 if it is not there.
 *
 * The folder may be a link if the link is this user's own. Windows has neither owners nor modes in this form; there the
 * profile folder's own rights protect it.
 *
 * Errors: `WRITE_FAILED` for a folder or link of somebody else, one that others may write to, and what is no folder.
 */
export async function ensureTrusted(folder: NamedFolder): Promise<void> {
  try {
    await makeFolderChain(folder.path, 0o700);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw writeError(folder.name, error);
  }
  await inspect(folder, await lstat(folder.path).catch(failed(folder)));
}

/**
 * Resolves when `name` below a trusted folder exists as a real folder with mode 0700.
 *
 * Errors: `WRITE_FAILED`, as {@link ensureTrusted}, and for a link.
 */
export async function ensurePrivate(parent: NamedFolder, name: string): Promise<string> {
  const folder = { path: join(parent.path, name), name: `${parent.name}/${name}` };
  try {
    await mkdir(folder.path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw writeError(folder.name, error);
  }
  const found = await lstat(folder.path).catch(failed(folder));
  if (found.isSymbolicLink()) throw distrusted(folder, 'is a link');
  await inspect(folder, found);
  if (process.platform !== 'win32' && (found.mode & 0o777) !== 0o700) {
    await chmod(folder.path, 0o700).catch(failed(folder));
  }
  return folder.path;
}

/** Whether all folders above a real path can be changed by this user and root alone. */
export async function isReachedSafely(path: string): Promise<boolean> {
  const user = process.geteuid?.();
  if (user === undefined) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { uid, mode } = await stat(folder);
    if (uid !== user && uid !== 0) return false;
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

async function inspect(folder: NamedFolder, found: Stats): Promise<void> {
  const user = process.geteuid?.();
  if (user !== undefined && found.uid !== user) {
    const what = found.isSymbolicLink() ? 'is a link that belongs' : 'belongs';
    throw distrusted(folder, `${what} to another user`);
  }
  const real = found.isSymbolicLink() ? await stat(folder.path).catch(failed(folder)) : found;
  if (!real.isDirectory()) throw distrusted(folder, 'is not a folder');
  if (user === undefined) return;
  if (real.uid !== user) throw distrusted(folder, 'leads to a folder of another user');
  if ((real.mode & OTHERS_WRITE) !== 0) throw distrusted(folder, 'can be written to by others');
}

function failed(folder: NamedFolder): (error: unknown) => never {
  return (error) => {
    throw writeError(folder.name, error);
  };
}

function distrusted(folder: NamedFolder, why: string): SkillError {
  const message = `${folder.name} ${why} and is not used; fix it or set XDG_CACHE_HOME to a folder of your own`;
  return new SkillError('WRITE_FAILED', message, { details: { path: folder.name } });
}
