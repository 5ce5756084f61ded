/**
 * A problem as a value.
 *
 * @module
 */

/** `error` refuses a skill, `warning` leaves it served, `info` is a remark. */
export type Severity = 'error' | 'warning' | 'info';

/** A place in a text file; lines and columns start at 1, columns count UTF-16 units, `end` is exclusive. */
export interface Range {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

/** A replacement of `range` that is safe to apply without asking. */
export interface Fix {
  readonly range: Range;
  readonly text: string;
  readonly title: string;
}

/** A problem found in a skill or a source. */
export interface Diagnostic {
  /** A key of `RULES`. */
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong, with the value and the limit. */
  readonly message: string;
  /** The file or folder below the source, `/`-separated; the empty string is the source itself. */
  readonly path: string;
  readonly range?: Range;
  /** How to fix it. */
  readonly hint?: string;
  readonly fix?: Fix;
}
