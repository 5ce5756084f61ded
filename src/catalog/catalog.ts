/**
 * The catalog: the skills found in a source, with the snapshot in force.
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { Source } from '../source/source.ts';
import type { DigestIndex } from './digest-index.ts';
import type { FileChange } from './file-changes.ts';
import type { SkillFile, Snapshot } from './snapshot.ts';

/** What to do with skills that break a rule; the first value of each is the default, the last is `strict`. */
export interface CatalogOptions {
  /** Segments before every skill's path, `/`-separated. @default '' */
  readonly prefix?: string;
  /** Sets the last value of each option below, unless it is given. @default false */
  readonly strict?: boolean;
  /** A skill that the official client would refuse. @default 'unlist' */
  readonly nonConforming?: 'unlist' | 'list' | 'reject';
  /** A skill whose folder has another name. @default 'publish-under-name' */
  readonly nameMismatch?: 'publish-under-name' | 'reject';
  /** A skill inside another. @default 'publish' */
  readonly nestedSkills?: 'publish' | 'reject';
  /** A skill that is refused: leave it out and say so, or throw. @default 'skip' */
  readonly invalidSkills?: 'skip' | 'throw';
  /** Paths (below the source) of skills to hide from every discovery. @default none */
  readonly hidden?: (skillPath: string) => boolean;
  /** Cap of one file in bytes; 0 or absent is the default, -1 is off. @default 16 MiB */
  readonly maxFileBytes?: number;
  /** Cap of one skill in bytes; 0 or absent is the default, -1 is off. @default 64 MiB */
  readonly maxSkillBytes?: number;
  /** Cap of scanned folders; 0 or absent is the default, -1 is off. @default 200,000 */
  readonly maxFolders?: number;
  /** Cap of folder depth; 0 or absent is the default, -1 is off. @default 32 */
  readonly maxDepth?: number;
  /**
   * Where digests are kept for the next start, which then reads only files that changed: `openDigestIndex()` of
   * `skillwire/store`. For folders on file systems that keep times of folders. @default nowhere
   */
  readonly digestIndex?: DigestIndex;
  readonly logger?: Logger;
  /** Called during a load with the number of skills read so far. */
  readonly onProgress?: (skills: number, total: number) => void;
}

/** What one refresh changed: skills by URI of `SKILL.md`, and the files they show. */
export interface CatalogChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** In code-point order by URI, each URI once. */
  readonly files: readonly FileChange[];
  readonly revision: string;
  readonly previousRevision: string;
}

/** Bytes that match the entry in force when they were read. */
export interface CatalogRead {
  readonly file: SkillFile;
  readonly bytes: Buffer;
}

/** The skills found in a source. */
export interface Catalog {
  readonly source: Source;
  readonly snapshot: Snapshot;
  /**
   * The bytes at a URI, in any equivalent spelling, checked for drift: what comes back has the digest that
   * `snapshot` states for `file.uri` at that moment (decision 3).
   *
   * Errors: `RESOURCE_NOT_FOUND` (unknown, or gone since), `FILE_UNREADABLE`, `PROVIDER_CLOSED`.
   */
  read(uri: string): CatalogRead | Promise<CatalogRead>;
  /**
   * A check that is made again and again: whether a look at a file of the snapshot finds the state whose digest its entry
   * states, without opening it. False where only a read can tell, and after `close`.
   */
  unchangedCheck(file: SkillFile): () => boolean;
  /** Scans everything again and swaps the snapshot. Concurrent calls share one scan. */
  refresh(): Promise<CatalogChanges>;
  /** Scans the skills below these paths of the source again and swaps the snapshot. */
  refreshPaths(paths: readonly string[]): Promise<CatalogChanges>;
  /** Calls `listener` after each swap that changed the revision; the returned function ends that. */
  onChange(listener: (changes: CatalogChanges) => void): () => void;
  /** Closes the source too. Twice is fine. */
  close(): Promise<void>;
}
