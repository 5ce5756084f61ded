/**
 * Compiled code, kept for the next start.
 *
 * @module
 */
import { readdir, realpath, rm } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { cacheFolder, ensurePrivate, ensureTrusted, isReachedSafely } from './cache-folder.ts';

/** Files of about twenty versions of this package and of node. */
const MOST_FILES = 512;

/** Has node take compiled code from a folder, and put it there when the process ends. Absent before Node 22.1. */
export type EnableCompileCache = (folder: string) => unknown;

/** Options of {@link keepCompiledCode}. */
export interface CompiledCodeOptions {
  /** The cache folder. @default `$XDG_CACHE_HOME/skillwire` or `~/.cache/skillwire` */
  readonly path?: string;
  /** @default what this version of node has */
  readonly enable?: EnableCompileCache | undefined;
}

/**
 * Whether node keeps the compiled code of modules that are loaded from now on, in the cache folder, and takes from there what
 * an earlier process left. Never rejects: without it modules are compiled as ever.
 *
 * Whoever can write there decides what this process runs, since node does not look at compiled code again. So it is a folder
 * of this user alone, at its real path, and no folder above it is one in which somebody else could put another in its place
 * while node still reads. Never is it node's own choice, which all users share. What is wrong with the cache folder is told by
 * the digest index, which lies in it too.
 *
 * With `NODE_DISABLE_COMPILE_CACHE` nothing is kept; with `NODE_COMPILE_CACHE` node keeps it where that says.
 *
 * @example
 * await keepCompiledCode()
 */
export async function keepCompiledCode(options: CompiledCodeOptions = {}): Promise<boolean> {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: EnableCompileCache };
  const { path, enable = enableCompileCache } = options;
  const { NODE_DISABLE_COMPILE_CACHE: disabled, NODE_COMPILE_CACHE: elsewhere } = process.env;
  if (enable === undefined || disabled !== undefined || elsewhere !== undefined) return false;
  try {
    const folder = cacheFolder(path);
    await ensureTrusted(folder);
    // A link on the way could lead elsewhere by the time that node looks.
    const real = await realpath(await ensurePrivate(folder, 'code'));
    if (!(await isReachedSafely(real))) return false;
    await clearCrowded(real);
    enable(real);
    return true;
  } catch {
    return false;
  }
}

/** Removes all in the folder, once it is much: node adds files for every version and where a disk is full, and removes none. */
async function clearCrowded(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  if (names.length <= MOST_FILES) return;
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}
