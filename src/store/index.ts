/**
 * `skillwire/store`: the only room that writes to disk.
 *
 * @module
 */
export { type WriteFileOptions, writeFileAtomic } from './atomic.ts';
export type { CacheEntry } from './cache.ts';
export { createFolder, type NewFile, renameFolder } from './folder.ts';
export { openStore, type Store, type StoreOptions } from './store.ts';
export type { TempFile, TempFileOptions, TempFolder } from './temp.ts';
