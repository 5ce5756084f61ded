/**
 * Atomic file writes: a reader sees the old bytes or the new ones, never a part.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SkillError } from '../errors.ts';

/** Options of {@link writeFileAtomic}. */
export interface WriteFileOptions {
  /** Permission bits of a new file; a file that is replaced keeps its own. @default 0o644 */
  readonly mode?: number;
}

/**
 * Resolves when the bytes are on disk under `path`, in place of what stood there.
 *
 * Writes a temporary file beside the target, flushes it and renames it, so that a crash leaves the old file. A
 * link or anything else that is no plain file is refused: replacing it would change what the path means.
 *
 * Errors: `WRITE_FAILED`, with `path` as given and the system's code in `details`.
 *
 * @example
 * await writeFileAtomic('skills/pdf/SKILL.md', bytes)
 */
export async function writeFileAtomic(
  path: string,
  bytes: Uint8Array | string,
  options: WriteFileOptions = {},
): Promise<void> {
  const replacedMode = await modeOfTarget(path);
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', replacedMode ?? options.mode ?? 0o644);
    try {
      await handle.writeFile(bytes);
      // The umask applies to `open`; a replaced file keeps the exact bits it had.
      if (replacedMode !== undefined) await handle.chmod(replacedMode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(path, error);
  }
  await syncFolder(dirname(path));
}

async function modeOfTarget(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw writeError(path, error);
  });
  if (found === undefined) return undefined;
  if (found.isFile()) return found.mode & 0o7777;
  const what = found.isSymbolicLink() ? 'a link' : 'not a plain file';
  throw new SkillError('WRITE_FAILED', `${path} is ${what} and is not replaced; edit what it stands for`, {
    details: { path },
  });
}

/**
 * Flushes a folder, so that a rename in it survives a power cut.
 *
 * Windows cannot open a folder and some network volumes cannot flush one; the rename is done all the same, so
 * those two answers are no failure of the write.
 */
export async function syncFolder(path: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    await handle.sync();
  } catch (error) {
    const code = systemCode(error);
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'].includes(code)) {
      throw writeError(path, error);
    }
  } finally {
    await handle?.close();
  }
}

/** The `SkillError` for a failed write of `path`; a `SkillError` is returned as it is. */
export function writeError(path: string, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const code = systemCode(error);
  return new SkillError(
    'WRITE_FAILED',
    `cannot write ${path}: ${REASONS[code] ?? `the system says ${code}`}`,
    {
      details: { path, system: code },
      cause: error,
    },
  );
}

/** The code of a system error, such as `ENOENT`; `UNKNOWN` for anything else. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'UNKNOWN';
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  ENOENT: 'its folder does not exist, or the system makes nothing there',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the volume is read-only',
  EBUSY: 'another program holds it',
  ENAMETOOLONG: 'the name is too long',
  EXDEV: 'a part of it is on another volume, or in a layer of a container image',
};
