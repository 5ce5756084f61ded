/**
 * Folders made whole or not at all, and renamed without replacing anything.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '../errors.ts';
import { syncFolder, systemCode, writeError } from './atomic.ts';
import { makeFolderChain } from './folder-chain.ts';
import { type NewFile, writeFiles } from './write-files.ts';

/**
 * Resolves when `path` exists with exactly these files; folders above it are made as needed.
 *
 * The files are written into a temporary folder beside it that is then renamed, so that nobody sees a part.
 *
 * Errors: `TARGET_EXISTS` when anything stands at `path`, `WRITE_FAILED`.
 *
 * @example
 * await createFolder('skills/pdf', [{ path: 'SKILL.md', content: text }])
 */
export async function createFolder(path: string, files: readonly NewFile[]): Promise<void> {
  await refuseExisting(path);
  const parent = dirname(path);
  // Not mkdtemp, which makes a private folder: this one gets the bits that any new folder has.
  const temporary = join(parent, `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await makeFolderChain(parent);
    await mkdir(temporary);
    await writeFiles(temporary, files);
    await moveFolder(temporary, path);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw writeError(path, error);
  }
  await syncFolder(parent);
}

/**
 * Resolves when the folder `from` is called `to`. A change of case alone works on volumes that fold case.
 *
 * Errors: `TARGET_EXISTS` when something else stands at `to`, `WRITE_FAILED`.
 *
 * @example
 * await renameFolder('skills/PDF tools', 'skills/pdf-tools')
 */
export async function renameFolder(from: string, to: string): Promise<void> {
  const target = await lstat(to, { bigint: true }).catch(() => undefined);
  if (target !== undefined) {
    const source = await lstat(from, { bigint: true }).catch((error: unknown) => {
      throw writeError(from, error);
    });
    const same = source.ino === target.ino && source.dev === target.dev;
    if (!same) throw exists(to);
  }
  await moveFolder(from, to);
  await syncFolder(dirname(to));
}

async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    // Somebody made `to` after it was looked for.
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(systemCode(error))) throw exists(to);
    throw writeError(from, error);
  }
}

async function refuseExisting(path: string): Promise<void> {
  try {
    await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw writeError(path, error);
  }
  throw exists(path);
}

function exists(path: string): SkillError {
  return new SkillError('TARGET_EXISTS', `${path} already exists; choose another name or remove it first`, {
    details: { path },
  });
}
