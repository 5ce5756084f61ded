/**
 * What several sources side by side are made of.
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { HostRoot, Source } from './source.ts';

/** One source of `mountSources`. */
export interface Mount {
  readonly source: Source;
  /** The folder it stands in, `/`-separated. @default '' (the root) */
  readonly prefix?: string;
}

/** Options of `mountSources`. */
export interface MountOptions {
  /** What messages call it. @default the labels of its sources */
  readonly label?: string;
  /**
   * Two sources with the same name at the same place: an error that names both, or the later source moves into a folder
   * with the last segment of its label, or the name is that of the earlier source and a note says so. @default 'error'
   */
  readonly onCollision?: 'error' | 'prefix' | 'first';
  /** Told what {@link MountedSource.notes} holds. */
  readonly logger?: Logger;
}

/** Several sources as one. */
export interface MountedSource extends Source {
  readonly hostRoots: readonly HostRoot[];
  /** What was decided so that the sources fit together, one sentence each; complete after the first `list` or `read`. */
  readonly notes: readonly string[];
}
