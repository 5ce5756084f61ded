/**
 * Lines of broken YAML, read loosely to explain what is wrong with them.
 *
 * @module
 */

/** A `key: value` line with the lines that go on with its value. */
export interface LooseEntry {
  readonly key: string;
  /** Column of the key, from 0. */
  readonly indent: number;
  /** Offset of the key. */
  readonly keyStart: number;
  /** Offset of the value's first character, or the end of the line. */
  readonly valueStart: number;
  /** End of the value: its last line that is not blank. */
  readonly valueEnd: number;
}

const NO_KEY = '"\'#&*!|>%@`[]{},';

/** Offset of the first character of the line that `at` is on. */
export function lineStartOf(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** Offset of the line end of the line that `at` is on. */
export function lineEndOf(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The first character that is no space or tab, from `at` on. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  while (text[next] === ' ' || text[next] === '\t') next++;
  return next;
}

/** Offset of the first `:` in [from, to) that a space, a tab or a line end follows; -1 if there is none. */
export function findColon(text: string, from: number, to: number): number {
  for (let at = text.indexOf(':', from); at !== -1 && at < to; at = text.indexOf(':', at + 1)) {
    const next = text[at + 1];
    if (at + 1 >= to || next === ' ' || next === '\t' || next === '\n' || next === undefined) return at;
  }
  return -1;
}

/** The entry that the offset `at` belongs to: the top-level one, unless that only opens a nested block. */
export function entryAt(text: string, at: number): LooseEntry | undefined {
  let line = lineStartOf(text, Math.min(at, text.length));
  while (line > 0 && text.slice(line, lineEndOf(text, line)).trim() === '')
    line = lineStartOf(text, line - 1);
  const base = baseIndent(text);
  let nearest: KeyLine | undefined;
  for (;;) {
    const key = keyOnLine(text, line);
    if (key?.hasValue) nearest ??= key;
    if (key !== undefined && key.indent <= base) return complete(text, key.hasValue ? key : (nearest ?? key));
    if (line === 0) return nearest && complete(text, nearest);
    line = lineStartOf(text, line - 1);
  }
}

/** The entries of every line that has a key, top to bottom. */
export function* entriesOf(text: string): Generator<LooseEntry, void> {
  for (let line = 0; line < text.length; line = lineEndOf(text, line) + 1) {
    const key = keyOnLine(text, line);
    if (key !== undefined) yield complete(text, key);
  }
}

type KeyLine = Omit<LooseEntry, 'valueEnd'> & { readonly hasValue: boolean; readonly lineEnd: number };

function complete(text: string, key: KeyLine): LooseEntry {
  const { hasValue: _, lineEnd, ...entry } = key;
  return { ...entry, valueEnd: valueEndOf(text, lineEnd, key.indent) };
}

function baseIndent(text: string): number {
  for (let line = 0; line < text.length; line = lineEndOf(text, line) + 1) {
    const first = skipBlanks(text, line);
    if (first < lineEndOf(text, line) && text[first] !== '#') return first - line;
  }
  return 0;
}

function keyOnLine(text: string, line: number): KeyLine | undefined {
  const lineEnd = lineEndOf(text, line);
  const content = text.slice(line, lineEnd);
  let indent = skipBlanks(content, 0);
  while (content[indent] === '-' && content[indent + 1] === ' ') indent = skipBlanks(content, indent + 1);
  const first = content[indent];
  if (first === undefined) return undefined;
  let colon: number;
  if (first === '"' || first === "'") {
    const close = content.indexOf(first, indent + 1);
    colon = close === -1 ? -1 : skipBlanks(content, close + 1);
    if (content[colon] !== ':') return undefined;
  } else {
    colon = NO_KEY.includes(first) ? -1 : findColon(content, indent, content.length);
    if (colon === -1) return undefined;
  }
  const value = skipBlanks(content, colon + 1);
  return {
    key: content
      .slice(indent, colon)
      .trim()
      .replace(/^["']|["']$/g, ''),
    indent,
    keyStart: line + indent,
    valueStart: line + value,
    hasValue: value < content.length,
    lineEnd,
  };
}

function valueEndOf(text: string, firstLineEnd: number, indent: number): number {
  let valueEnd = firstLineEnd;
  for (let line = firstLineEnd + 1; line < text.length; ) {
    const end = lineEndOf(text, line);
    const first = skipBlanks(text, line);
    if (first < end) {
      if (first - line <= indent) break;
      valueEnd = end;
    }
    line = end + 1;
  }
  return valueEnd;
}

/** The text of an unquoted value as YAML joins its lines: single line ends are spaces, blank lines are line ends. */
export function joinPlain(text: string): string {
  let joined = '';
  let blanks = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const part = line.trim();
    if (part === '') blanks++;
    else {
      joined += index === 0 ? part : (blanks > 0 ? '\n'.repeat(blanks) : ' ') + part;
      blanks = 0;
    }
  }
  return joined;
}
