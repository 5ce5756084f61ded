/**
 * What stands in a folder that is about to be replaced.
 *
 * @module
 */
import { createReadStream } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '../errors.ts';
import { digestOfStream } from '../integrity/index.ts';
import { isIgnoredName } from '../source/index.ts';

/** A folder on this machine. */
export type LocalFolder =
  | { readonly kind: 'nothing' }
  /** A file, a link or something else. */
  | { readonly kind: 'other' }
  | {
      readonly kind: 'folder';
      /** Digest by path; a link or a special file has none. */
      readonly files: ReadonlyMap<string, string | undefined>;
    };

/**
 * Resolves to what stands at `folder`, each file hashed and no link followed. What systems, editors and interpreters leave
 * behind (`.DS_Store`, `__pycache__` …) is not looked at, unless it is among `known`.
 *
 * Errors: `FILE_UNREADABLE`.
 */
export async function localFolder(folder: string, known: ReadonlySet<string>): Promise<LocalFolder> {
  try {
    const found = await lstat(folder);
    if (!found.isDirectory()) return { kind: 'other' };
    const files = new Map<string, string | undefined>();
    await walk(folder, '', known, files);
    return { kind: 'folder', files };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'nothing' };
    if (error instanceof SkillError) throw error;
    throw new SkillError('FILE_UNREADABLE', `cannot read ${folder} (${String(code)})`, { cause: error });
  }
}

async function walk(
  root: string,
  below: string,
  known: ReadonlySet<string>,
  files: Map<string, string | undefined>,
): Promise<void> {
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (isIgnoredName(entry.name) && !isKnown(path, known)) continue;
    if (entry.isDirectory()) await walk(root, path, known, files);
    else if (entry.isFile())
      files.set(path, (await digestOfStream(createReadStream(join(root, path)))).digest);
    else files.set(path, undefined);
  }
}

function isKnown(path: string, known: ReadonlySet<string>): boolean {
  if (known.has(path)) return true;
  for (const each of known) if (each.startsWith(`${path}/`)) return true;
  return false;
}
