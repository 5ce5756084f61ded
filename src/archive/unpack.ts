/**
 * Unpacking a whole archive into memory.
 *
 * @module
 */
import { startPace } from '../pace.ts';
import type { ArchiveCaps } from './budget.ts';
import type { ArchiveFormat } from './detect.ts';
import { openReader } from './reader.ts';

/** One file of an archive (seed 000's `UnpackedEntry`). */
export interface UnpackedEntry {
  readonly path: string;
  /** Permission bits as stored, without setuid, setgid and sticky. */
  readonly mode: number;
  readonly bytes: Buffer;
}

/** Options of {@link unpackArchive}. */
export interface UnpackOptions extends ArchiveCaps {
  /** @default by the first bytes */
  readonly format?: ArchiveFormat;
  /** A file name or URL to tell the format by. @default none */
  readonly name?: string;
}

/**
 * Returns the files of an archive in its order; folders are left out, since paths tell them, and so is what a Finder
 * adds (`isArchiveNoise`). One entry against a rule refuses the whole archive; nothing is written anywhere.
 *
 * Errors: those of `openReader` and of reading its files.
 *
 * @example
 * for (const { path, bytes } of await unpackArchive(downloaded, { name: url })) files.set(path, bytes);
 */
export async function unpackArchive(
  bytes: Uint8Array,
  options: UnpackOptions = {},
): Promise<UnpackedEntry[]> {
  const archive = await openReader(bytes, options);
  const pace = startPace();
  try {
    const files: UnpackedEntry[] = [];
    for (const { path, kind, mode } of archive.entries()) {
      if (kind !== 'file') continue;
      const read = archive.read(path);
      files.push({ path, mode, bytes: read instanceof Promise ? await read : read });
      if (pace.due()) await pace.rest();
    }
    return files;
  } finally {
    await archive.close();
  }
}
