/**
 * Folders made one below the other.
 *
 * @module
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './atomic.ts';

/**
 * Resolves to the first folder that was made so that `path` and all above it exist; undefined when nothing had to be made.
 *
 * Each folder is asked for at most twice. The system's own recursive way asks again for as long as it hears `ENOENT`, which
 * places such as `/proc` answer for ever, where no signal ends it.
 *
 * Errors: those of the system, as `mkdir` gives them.
 */
export async function makeFolderChain(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isFolder(path)) return undefined;
    const above = dirname(path);
    if (systemCode(error) !== 'ENOENT' || above === path) throw error;
    const first = await makeFolderChain(above, mode);
    try {
      await mkdir(path, { mode });
    } catch (again) {
      if (!(await isFolder(path))) throw again;
      return first;
    }
    return first ?? path;
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}
