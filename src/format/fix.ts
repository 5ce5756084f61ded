/**
 * Applies the fixes of diagnostics to the text they were found in.
 *
 * @module
 */
import type { Fix, Range } from './diagnostic.ts';

/**
 * `text` with the fixes applied; of fixes that overlap, the first in the file counts.
 *
 * Keeps a BOM and the line ends of the file: a line end in a fix is written as that of the line it is put into.
 *
 * @example
 * applyFixes(text, diagnostics.flatMap((diagnostic) => diagnostic.fix ?? []))
 */
export function applyFixes(text: string, fixes: readonly Fix[]): string {
  const bom = text.startsWith('\ufeff') ? 1 : 0;
  const starts = [bom];
  const lineEnds: string[] = [];
  for (const match of text.matchAll(/\r\n|\r|\n/g)) {
    starts.push(match.index + match[0].length);
    lineEnds.push(match[0]);
  }

  function offsetOf(place: Range['start']): number {
    const start = starts[place.line - 1] ?? text.length;
    return Math.min(start + place.column - 1, text.length);
  }

  const edits = fixes
    .map(({ range, text: replacement }) => {
      const lineEnd = lineEnds[range.start.line - 1] ?? lineEnds[0] ?? '\n';
      return {
        start: offsetOf(range.start),
        end: offsetOf(range.end),
        text: replacement.replaceAll('\n', lineEnd),
      };
    })
    .sort((left, right) => left.start - right.start || left.end - right.end);
  let fixed = '';
  let done = 0;
  for (const [index, edit] of edits.entries()) {
    const previous = edits[index - 1];
    const repeated = previous?.start === edit.start && previous.end === edit.end;
    if (edit.start < done || repeated) continue;
    fixed += text.slice(done, edit.start) + edit.text;
    done = edit.end;
  }
  return fixed + text.slice(done);
}
