/**
 * Sources: read-only trees of files, from a folder, from memory, or several side by side.
 *
 * @module
 */
export { compareCodePoints } from '../uri/code-point-order.ts';
export { collisionKey, windowsNameProblem } from '../uri/portable-name.ts';
export {
  type ArchiveOptions,
  type ArchiveSource,
  type ArchiveSourceOptions,
  archiveSource,
} from './archive.ts';
export type { ArchiveStore, ArchiveTempFile, StoredArchive } from './archive-store.ts';
export { type ArchivesDirOptions, openArchivesDir } from './archives-dir.ts';
export { type DirectoryOptions, type DirectorySource, directorySource } from './directory.ts';
export type { DownloadOptions } from './download.ts';
export { fetchGitHubArchive, type GitHubArchive, type GitHubArchiveOptions } from './github.ts';
export { type GitHubPlace, parseGitHubText } from './github-text.ts';
export { type FetchArchiveOptions, type FetchedArchive, fetchArchive } from './http.ts';
export { type IgnoreOptions, IgnoreRules, isIgnoredName, type Verdict } from './ignore.ts';
export { IGNORE_FILE } from './ignore-file.ts';
export type { LinkPolicy } from './link-roots.ts';
export { type MemoryContent, type MemoryOptions, type MemorySource, memorySource } from './memory.ts';
export { mountSources, nest } from './mount.ts';
export type { Mount, MountedSource, MountOptions } from './mount-options.ts';
export { type OpenOptions, openSource } from './open.ts';
export { type OpenArchiveOptions, openArchive } from './open-archive.ts';
export { assertSafePath, isSafePath, isSafeSegment } from './safe-path.ts';
export { isSecretName, looksLikePrivateKey } from './secret.ts';
export type {
  AheadOptions,
  FactsAhead,
  FactsBatch,
  FactsFolder,
  HostRoot,
  LinkTarget,
  MaybePromise,
  ReadOptions,
  RemoteRoot,
  Revalidate,
  Source,
  SourceFacts,
  SourceFile,
  SourceFolder,
  SourceLook,
  SourceNode,
  SourceRecall,
  Withheld,
} from './source.ts';
export type { OnSourceProgress, SourceProgress } from './source-progress.ts';
export { parseSourceText, printableSource, type SourceText } from './source-text.ts';
export { VENDORS, type Vendor } from './vendors.ts';
export { watchSource } from './watch.ts';
export type { SourceWatcher, StartWatcher, WatchOptions, WatchRequest } from './watcher.ts';
