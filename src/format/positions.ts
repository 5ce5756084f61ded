/**
 * Offsets to lines and columns.
 *
 * @module
 */
import type { Range } from './diagnostic.ts';

/** Finds lines and columns in one text. */
export interface Positions {
  /** Line and column, both from 1, of an offset in UTF-16 units; an offset beyond the text is its end. */
  at(offset: number): Range['start'];
  /** The range between two offsets, `end` exclusive. */
  range(start: number, end: number): Range;
}

/**
 * Positions in `text`, whose line ends are LF alone.
 *
 * Line ends of a CRLF or CR file may be replaced by LF before: that moves no line and no column. The table of lines
 * is made at the first question, since most files have nothing to report.
 *
 * @example
 * createPositions('a\nbc').at(3) // { line: 2, column: 2 }
 */
export function createPositions(text: string): Positions {
  let starts: number[] | undefined;

  function at(offset: number): Range['start'] {
    starts ??= lineStarts(text);
    const place = Math.min(Math.max(offset, 0), text.length);
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: place - (starts[low] ?? 0) + 1 };
  }

  return { at, range: (start, end) => ({ start: at(start), end: at(Math.max(start, end)) }) };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
