/**
 * Diagnostics as a compiler prints them: place, code, the line with a caret, a hint.
 *
 * @module
 */
import type { Diagnostic, Range, Severity } from '../format/diagnostic.ts';
import type { Style } from './output.ts';
import { printable } from './printable.ts';
import { graphemes, textWidth } from './text-width.ts';

/** Options of {@link renderDiagnostic}. */
export interface RenderOptions {
  /** The path as the user would open it. */
  readonly path: string;
  /** The text of that file, for the line with the caret; absent: no line is shown. */
  readonly text?: string;
  readonly style: Style;
  /** Cells in a line; a longer source line is clipped around the caret. @default 100 */
  readonly width?: number;
}

const TAB = 4;
const CLIP = '…';

/**
 * The lines of one diagnostic: `path:line:col: severity[CODE] message`, then the source line with a caret when
 * the diagnostic has a range and the text is given, then the hint.
 *
 * Tabs, wide characters, CRLF and control characters are shown so that the caret stands under what it means;
 * nothing of the skill can steer the terminal.
 *
 * @example
 * renderDiagnostic(diagnostic, { path: 'skills/pdf/SKILL.md', text, style })
 */
export function renderDiagnostic(diagnostic: Diagnostic, options: RenderOptions): string[] {
  const { style, text } = options;
  const { range, severity, code, hint } = diagnostic;
  const place = range === undefined ? '' : `:${range.start.line}:${range.start.column}`;
  const paint = painter(severity, style);
  const lines = [
    `${style.bold(printable(options.path) + place)}: ${paint(`${severity}[${code}]`)} ${printable(diagnostic.message)}`,
  ];
  if (range !== undefined && text !== undefined) lines.push(...excerpt(range, text, options, paint));
  if (hint !== undefined) lines.push(`  ${style.cyan('hint:')} ${printable(hint)}`);
  return lines;
}

function painter(severity: Severity, style: Style): (text: string) => string {
  if (severity === 'error') return style.red;
  return severity === 'warning' ? style.yellow : style.cyan;
}

function excerpt(
  range: Range,
  text: string,
  options: RenderOptions,
  paint: (text: string) => string,
): string[] {
  // Columns do not count a byte order mark.
  const line = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)[range.start.line - 1];
  if (line === undefined) return [];
  const label = `  ${range.start.line} | `;
  const room = Math.max(20, (options.width ?? 100) - label.length - 2);
  const oneLine = range.end.line === range.start.line;
  const shown = clip(
    cellsOf(line, range.start.column - 1, oneLine ? range.end.column - 1 : line.length),
    room,
  );
  const margin = `${' '.repeat(label.length - 2)}| `;
  return [
    options.style.dim(label) + shown.text,
    options.style.dim(margin) +
      ' '.repeat(shown.before) +
      paint(`^${'~'.repeat(Math.max(0, shown.marked - 1))}`),
  ];
}

interface Cells {
  /** What is drawn, one string a user-perceived character. */
  readonly drawn: readonly { readonly text: string; readonly width: number }[];
  /** The marked characters: from `from` up to `to`, exclusive. */
  readonly from: number;
  readonly to: number;
}

/** The characters of a line as they are drawn; `start` and `end` are offsets in UTF-16 units. */
function cellsOf(line: string, start: number, end: number): Cells {
  const drawn: { text: string; width: number }[] = [];
  let from: number | undefined;
  let to: number | undefined;
  let column = 0;
  for (const { text, index, width } of graphemes(line)) {
    if (from === undefined && index + text.length > start) from = drawn.length;
    if (to === undefined && index >= end) to = drawn.length;
    const cell = text === '\t' ? tabCell(column) : safeCell(text, width);
    drawn.push(cell);
    column += cell.width;
  }
  return { drawn, from: from ?? drawn.length, to: to ?? drawn.length };
}

function tabCell(column: number): { text: string; width: number } {
  const width = TAB - (column % TAB);
  return { text: ' '.repeat(width), width };
}

function safeCell(text: string, width: number): { text: string; width: number } {
  const safe = printable(text);
  return safe === text ? { text, width } : { text: safe, width: textWidth(safe) };
}

/** The part of a line around its mark that fits in `room` cells. */
function clip(cells: Cells, room: number): { text: string; before: number; marked: number } {
  const { drawn, from } = cells;
  let first = 0;
  let last = drawn.length;
  if (sum(drawn, first, last) > room) {
    // A third of the line leads up to the mark; the rest shows what follows it.
    let lead = 0;
    first = from;
    while (first > 0 && lead + (drawn[first - 1]?.width ?? 0) <= room / 3) {
      first -= 1;
      lead += drawn[first]?.width ?? 0;
    }
    let used = 0;
    last = first;
    while (last < drawn.length && used + (drawn[last]?.width ?? 0) <= room) {
      used += drawn[last]?.width ?? 0;
      last += 1;
    }
  }
  const head = first > 0 ? CLIP : '';
  const tail = last < drawn.length ? CLIP : '';
  return {
    text: `${head}${drawn
      .slice(first, last)
      .map((cell) => cell.text)
      .join('')}${tail}`,
    before: head.length + sum(drawn, first, from),
    marked: sum(drawn, from, Math.min(last, cells.to)),
  };
}

function sum(drawn: Cells['drawn'], from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index += 1) total += drawn[index]?.width ?? 0;
  return total;
}
