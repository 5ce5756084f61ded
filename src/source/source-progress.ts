/**
 * How far the opening of a source is.
 *
 * @module
 */

/** One report of progress. */
export interface SourceProgress {
  readonly step: 'download' | 'unpack';
  /** The source that is opened. */
  readonly label: string;
  /** Bytes of the archive so far. */
  readonly bytes: number;
  /** Bytes of the archive; undefined when nobody said. */
  readonly total: number | undefined;
}

/** Hears of progress, often; it must be quick. */
export type OnSourceProgress = (progress: SourceProgress) => void;
