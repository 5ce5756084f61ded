/**
 * Archives: tar.gz, zip and tar.bz2 read with every entry judged, tar.gz and zip written the same on every machine.
 *
 * @module
 */
export type { ArchiveEntry, ReadArchiveOptions } from './admission.ts';
export type { ArchiveCaps } from './budget.ts';
export {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  type ArchiveFormatFacts,
  detectArchiveFormat,
} from './detect.ts';
export { type EntryPathOptions, entryPath, isArchiveNoise } from './guard.ts';
export { type FileToPack, type PackOptions, packSkill } from './pack.ts';
export {
  type ArchiveInput,
  type ArchiveReader,
  type OpenReaderOptions,
  openReader,
} from './reader.ts';
export { openReaderSync } from './reader-sync.ts';
export { isScript } from './script.ts';
export { stripWrapper, type Unwrapped } from './strip-wrapper.ts';
export { type UnpackedEntry, type UnpackOptions, unpackArchive } from './unpack.ts';
