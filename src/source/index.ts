/**
 * Sources: read-only trees of files, from a folder, from memory, or several side by side.
 *
 * @module
 */
export { compareCodePoints } from '../uri/code-point-order.ts';
export { collisionKey, windowsNameProblem } from '../uri/portable-name.ts';
export { type DirectoryOptions, type DirectorySource, directorySource } from './directory.ts';
export { type IgnoreOptions, IgnoreRules, isIgnoredName, type Verdict } from './ignore.ts';
export { IGNORE_FILE } from './ignore-file.ts';
export type { LinkPolicy } from './link-roots.ts';
export { type MemoryContent, type MemoryOptions, type MemorySource, memorySource } from './memory.ts';
export { type Mount, type MountedSource, type MountOptions, mountSources, nest } from './mount.ts';
export { type OpenOptions, openSource, parseSourceText, type SourceText } from './open.ts';
export { assertSafePath, isSafePath, isSafeSegment } from './safe-path.ts';
export { isSecretName, looksLikePrivateKey } from './secret.ts';
export type {
  AheadOptions,
  FactsAhead,
  FactsBatch,
  HostRoot,
  LinkTarget,
  MaybePromise,
  ReadOptions,
  Source,
  SourceFacts,
  SourceFile,
  SourceFolder,
  SourceNode,
  Withheld,
} from './source.ts';
export { watchSource } from './watch.ts';
export type { SourceWatcher, StartWatcher, WatchOptions, WatchRequest } from './watcher.ts';
