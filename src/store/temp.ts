/**
 * Temporary files and folders of one store, gone when it is closed or the process ends.
 *
 * @module
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { keepAtExit, removeAtExit } from './at-exit.ts';
import { writeError } from './atomic.ts';
import { folderNameOf, ownerOfThisProcess } from './owner.ts';

/** Options of `Store.tempFile`. */
export interface TempFileOptions {
  /** Bytes; 0 means the default, -1 no cap. @default 104,857,600 */
  readonly maxBytes?: number;
}

/** A temporary file being written. */
export interface TempFile {
  /** Appends. The caller waits for one write before the next. Errors: `WRITE_FAILED`; the file is gone then. */
  write(chunk: Uint8Array): Promise<void>;
  /** Ends the writing and gives the path, at which the file stays until `discard` or the store is closed. */
  done(): Promise<string>;
  /** Removes the file, whole or not. Twice is fine. */
  discard(): Promise<void>;
}

/** A temporary folder, mode 0700, empty at first. */
export interface TempFolder {
  readonly path: string;
  /** Removes the folder and all in it. Twice is fine. */
  discard(): Promise<void>;
}

const PREFIX_CHARACTERS = 40;
/** Makes a folder of this process for temporary files below `parent`, to be removed by {@link removeSession}. */
export async function makeSession(parent: string, shown: string): Promise<string> {
  const folder = join(parent, folderNameOf(ownerOfThisProcess(), randomBytes(6).toString('hex')));
  removeAtExit(folder);
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    keepAtExit(folder);
    throw writeError(shown, error);
  }
  return folder;
}

/** Removes a folder of {@link makeSession} with all in it. */
export async function removeSession(folder: string, shown: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    // It stays on the list: the end of the process tries once more.
    throw writeError(shown, error);
  }
  keepAtExit(folder);
}

/** A new file in `folder`, mode 0600; `shown` is what messages call the place. */
export async function makeTempFile(
  folder: string,
  prefix: string,
  shown: string,
  options: TempFileOptions,
): Promise<TempFile> {
  const path = join(folder, tempName(prefix));
  const cap = capOf(options.maxBytes, LIMITS.fetchBytes);
  let handle: FileHandle | undefined = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw writeError(shown, error);
  });
  let written = 0;
  let finished = false;

  const close = async (): Promise<void> => {
    const closing = handle;
    handle = undefined;
    await closing?.close();
  };
  const discard = async (): Promise<void> => {
    finished = false;
    // What closing says about bytes that are not kept concerns nobody.
    await close().catch(() => {});
    await rm(path, { force: true, maxRetries: 3 }).catch((error: unknown) => {
      throw writeError(shown, error);
    });
  };
  const fail = async (error: SkillError): Promise<never> => {
    await discard().catch(() => {});
    throw error;
  };

  return {
    async write(chunk): Promise<void> {
      if (handle === undefined)
        throw new SkillError('WRITE_FAILED', 'the temporary file is ended or discarded');
      if (written + chunk.byteLength > cap) {
        const message = `a temporary file would be larger than ${cap} bytes; raise maxBytes if that is to be`;
        const details = { limit: cap, actual: written + chunk.byteLength };
        return fail(new SkillError('WRITE_FAILED', message, { details }));
      }
      written += chunk.byteLength;
      // `writeFile` of a handle goes on where the last one ended and writes all of the chunk.
      await handle.writeFile(chunk).catch((error: unknown) => fail(writeError(shown, error)));
    },
    async done(): Promise<string> {
      if (finished) return path;
      if (handle === undefined) throw new SkillError('WRITE_FAILED', 'the temporary file is discarded');
      // Some volumes say only now that the disk was full.
      await close().catch((error: unknown) => fail(writeError(shown, error)));
      finished = true;
      return path;
    },
    discard,
  };
}

/** A new folder in `folder`, mode 0700. */
export async function makeTempFolder(folder: string, prefix: string, shown: string): Promise<TempFolder> {
  const path = join(folder, tempName(prefix));
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    throw writeError(shown, error);
  });
  return {
    path,
    async discard(): Promise<void> {
      await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
        throw writeError(shown, error);
      });
    },
  };
}

function tempName(prefix: string): string {
  const plain = prefix.replace(/[^A-Za-z0-9_-]/g, '-').slice(0, PREFIX_CHARACTERS);
  return `${plain}-${randomBytes(6).toString('hex')}`;
}
