/**
 * `skillwire/store`: the only room that writes to disk.
 *
 * @module
 */
export { type WriteFileOptions, writeFileAtomic } from './atomic.ts';
export { createFolder, type NewFile, renameFolder } from './folder.ts';
