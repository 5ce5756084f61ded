/**
 * `skillwire/store`: the only room that writes to disk.
 *
 * @module
 */
export { type WriteFileOptions, writeFileAtomic } from './atomic.ts';
export type { CacheEntry } from './cache.ts';
export {
  type DigestIndexOptions,
  openDigestIndex,
  type StoredDigestIndex,
} from './digest-index.ts';
export { createFolder, renameFolder } from './folder.ts';
export { type FileToPlace, type PlaceFilesOptions, placeFiles } from './place-files.ts';
export { type PlacedFolder, type PlaceFolderOptions, placeFolder } from './place-folder.ts';
export { type RemoveFolderOptions, removeFolder } from './remove-folder.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export type { TempFile, TempFileOptions, TempFolder } from './temp.ts';
export type { NewFile, WriteFilesOptions } from './write-files.ts';
