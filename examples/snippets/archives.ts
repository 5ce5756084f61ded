import { readFile } from 'node:fs/promises';
import {
  type ArchiveEntry,
  type FileToPack,
  openReader,
  packSkill,
  stripWrapper,
  unpackArchive,
} from 'skillwire/archive';

/** Prints the files of an archive. */
export async function printFiles(file: string): Promise<void> {
  // #region unpack
  const files = await unpackArchive(await readFile(file), { name: file });
  for (const { path, mode, bytes } of files) console.log(mode.toString(8), bytes.length, path);
  // #endregion unpack
}

/** Reads one file of a large zip. */
export async function readOne(file: string, path: string): Promise<string> {
  // #region reader
  const archive = await openReader({ file }, { links: 'list', maxBytes: 500_000_000 });
  const bytes = await archive.read(path);
  await archive.close();
  return bytes.toString('utf8');
  // #endregion reader
}

/** Takes the folder off that GitHub puts around a repository. */
export async function unwrapped(file: string): Promise<readonly ArchiveEntry[]> {
  // #region wrapper
  const archive = await openReader({ file });
  const { wrapper, entries } = stripWrapper(archive.entries());
  console.log(`below ${wrapper ?? 'the root'}: ${entries.length} entries`);
  // #endregion wrapper
  return entries;
}

/** Packs a skill. */
export async function pack(files: readonly FileToPack[]): Promise<Buffer> {
  // #region pack
  const archive = await packSkill(files, 'tar.gz');
  // #endregion pack
  return archive;
}
