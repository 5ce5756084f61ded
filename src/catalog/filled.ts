/**
 * Folders while their files are read.
 *
 * @module
 */

import type { Pace } from '../pace.ts';
import type { ReadOptions, Source } from '../source/source.ts';
import type { Draft } from './draft.ts';
import type { FilePlace } from './kept-file.ts';
import type { ReadHead } from './read-heads.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import type { Touched } from './touched.ts';

/** What the second half of a scan starts from. */
export interface ReadTreeOptions {
  readonly source: Source;
  readonly settings: CatalogSettings;
  readonly pace: Pace;
  readonly touched: Touched;
  /** The stamp under which the digest of a known file is certain; undefined: read it again. */
  readonly certainStamp: (file: SkillFile) => string | undefined;
  readonly check: () => void;
}

/** The innermost skill of a folder while its files are read. */
export interface Home {
  readonly path: string;
  readonly id: string;
  readonly options: ReadOptions;
  bytes: number;
  tooLarge: boolean;
}

/** A folder while its files are read. */
export interface Filled {
  readonly draft: Draft;
  readonly head: ReadHead | undefined;
  readonly home: Home | undefined;
  readonly place: FilePlace;
  files: SkillFile[];
  /** The files of the scan before. */
  readonly known: KnownFiles;
}

/** From a path to the file that the scan before found there. */
export type KnownFiles = (path: string) => SkillFile | undefined;

/** Files up to which looking through them is faster than a map. */
const FEW = 8;

/** The files of a folder by path. */
export function knownFiles(files: readonly SkillFile[] | undefined): KnownFiles {
  if (files === undefined) return nothingKnown;
  if (files.length <= FEW) return (path) => files.find((file) => file.sourcePath === path);
  const byPath = new Map(files.map((file) => [file.sourcePath, file]));
  return (path) => byPath.get(path);
}

function nothingKnown(): undefined {
  return undefined;
}
