/**
 * How many terminal cells a text takes.
 *
 * @module
 */

/** Made for the first text that needs it, since its tables take several ms to load. */
let segmenter: Intl.Segmenter | undefined;

/** Ranges of code points that terminals draw two cells wide (East Asian Wide and Fullwidth). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

/** One user-perceived character of a text. */
export interface Grapheme {
  readonly text: string;
  /** Its place in the text, in UTF-16 units. */
  readonly index: number;
  readonly width: number;
}

/** The user-perceived characters of `text`, each with its place and its width in cells. */
export function graphemes(text: string): Grapheme[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment, index }) => ({
    text: segment,
    index,
    width: graphemeWidth(segment),
  }));
}

/**
 * The number of terminal cells that `text` takes, tabs and control characters not counted.
 *
 * @example
 * textWidth('日本') // 4
 */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + grapheme.width, 0);
}

/** `text` cut to `width` cells, with an ellipsis where something is missing. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let shown = '';
  let used = 1;
  for (const grapheme of graphemes(text)) {
    used += grapheme.width;
    if (used > width) break;
    shown += grapheme.text;
  }
  return `${shown}…`;
}

function graphemeWidth(segment: string): number {
  const point = segment.codePointAt(0) ?? 0;
  if (point >= 0x20 && point < 0x7f) return segment.includes('\ufe0f') ? 2 : 1;
  if (/^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u.test(segment)) return 0;
  if (/\p{Emoji_Presentation}|\ufe0f/u.test(segment)) return 2;
  return WIDE.some(([from, to]) => point >= from && point <= to) ? 2 : 1;
}
