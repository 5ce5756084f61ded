/**
 * A path that is to be written, without links in it.
 *
 * @module
 */
import { lstat, realpath, rmdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { SkillError } from '../errors.ts';
import { systemCode, writeError } from './atomic.ts';
import { makeFolderChain } from './folder-chain.ts';

/**
 * Resolves to the absolute path of `path`, in which no part is a link: nothing is written through one. A link directly below
 * the root of the volume, such as `/tmp` on macOS, is the system's own and is resolved.
 *
 * Errors: `WRITE_FAILED` with `link` and `real` in `details`; also when a part of the path is a file.
 */
export async function realTarget(path: string): Promise<string> {
  const absolute = resolve(path);
  const { root } = parse(absolute);
  const names = absolute
    .slice(root.length)
    .split(sep)
    .filter((name) => name !== '');
  let current = root;
  for (const [index, name] of names.entries()) {
    current = join(current, name);
    const found = await lstat(current).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw writeError(path, error);
    });
    if (found === undefined) return join(current, ...names.slice(index + 1));
    if (!found.isSymbolicLink()) continue;
    if (index === 0 && names.length > 1) current = await realpath(current);
    else throw await throughLink(path, current, names.slice(index + 1));
  }
  return current;
}

async function throughLink(path: string, link: string, rest: readonly string[]): Promise<SkillError> {
  // As it was written: a relative path stays one.
  const shown = (place: string): string => (isAbsolute(path) ? place : relative('', place));
  const leads = await realpath(link).catch(() => undefined);
  const real = leads === undefined ? undefined : join(leads, ...rest);
  const advice = real === undefined ? 'it leads nowhere' : `write to ${shown(real)} if that is what you mean`;
  const what = rest.length === 0 ? `${path} is a link` : `${path} leads through the link ${shown(link)}`;
  return new SkillError('WRITE_FAILED', `${what}, and nothing is written through links; ${advice}`, {
    details: { path, link, ...(real === undefined ? {} : { real }) },
  });
}

/** Folders that were made on the way to a target, to be taken back should the target not come about. */
export interface MadeFolders {
  /** Removes those that are still empty. */
  takeBack(): Promise<void>;
}

/** Makes the folder `path` and those above it. Errors: `WRITE_FAILED`. */
export async function makeFolders(path: string, shown: string): Promise<MadeFolders> {
  const first = await makeFolderChain(path).catch((error: unknown) => {
    throw writeError(shown, error);
  });
  return {
    async takeBack() {
      if (first === undefined) return;
      for (let folder = path; folder.length >= first.length; folder = dirname(folder)) {
        try {
          await rmdir(folder);
        } catch {
          // Somebody else uses it by now; so are those above it.
          return;
        }
      }
    },
  };
}
