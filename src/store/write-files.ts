/**
 * The files of a folder that nobody sees yet.
 *
 * @module
 */
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SkillError } from '../errors.ts';
import { makeFolderChain } from './folder-chain.ts';

/** A file of a new folder. */
export interface NewFile {
  /** Below the folder, `/`-separated. */
  readonly path: string;
  readonly content: Uint8Array | string;
  /** @default 0o644 */
  readonly mode?: number;
}

/** Options of {@link writeFiles}. */
export interface WriteFilesOptions {
  /** Further folders, `/`-separated: empty ones. @default none */
  readonly folders?: readonly string[];
  /** Gives up between two files. @default never */
  readonly signal?: AbortSignal;
  /** Hears how many files are written. @default nobody */
  readonly onProgress?: (files: number) => void;
}

/** Most of the time of a small file is the flush, and flushes that wait together go together. */
const WRITERS = 16;

/**
 * Resolves when the files are in `folder` and flushed. After a failure nothing is written any more once it rejects; the
 * caller removes what there is.
 */
export async function writeFiles(
  folder: string,
  files: readonly NewFile[],
  { folders = [], signal, onProgress }: WriteFilesOptions = {},
): Promise<void> {
  const pathOf = (path: string): string => join(folder, ...path.split('/'));
  for (const path of new Set([...folders.map(pathOf), ...files.map((file) => dirname(pathOf(file.path)))])) {
    await makeFolderChain(path);
  }
  const waiting = files.values();
  let written = 0;
  let failed = false;
  const write = async (): Promise<void> => {
    for (const file of waiting) {
      if (failed) return;
      try {
        refuseAborted(signal);
        await writeNew(pathOf(file.path), file);
      } catch (error) {
        failed = true;
        throw error;
      }
      written += 1;
      onProgress?.(written);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: WRITERS }, write));
  for (const each of ended) if (each.status === 'rejected') throw each.reason;
}

async function writeNew(path: string, { content, mode = 0o644 }: NewFile): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Errors: `WRITE_FAILED` when the work was called off. */
export function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new SkillError('WRITE_FAILED', 'interrupted; nothing was changed');
}
