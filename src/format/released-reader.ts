/**
 * What the frontmatter reader of released MCP clients and servers makes of a YAML text.
 *
 * It reads a subset of YAML, line by line. A skill outside the subset can be listed, but such a client cannot read it.
 *
 * @module
 */
import type { JsonObject, JsonValue } from './json.ts';
import { NOT_JSON, resolvePlain } from './plain.ts';
import { type Cursor, OutsideSubset, readFlow, readQuoted, setField, skipBlanks } from './released-flow.ts';
import { commentAt, hasColon, isItem, joinBlock, type Line, splitLines, trimEnd } from './released-lines.ts';

/** The value that a released reader gets, or the place it gives up at, why, and how to write it instead. */
export type ReleasedReading =
  | { readonly json: JsonObject }
  | { readonly json?: never; readonly offset: number; readonly reason: string; readonly hint: string };

const MAX_DEPTH = 32;
const NO_KEY = '[]{}&*!|>%@`#,';
const NO_PLAIN = '%@`,]}';
const BLOCK_HEADER = /^[|>]([-+]?)(?:[\t ]+#.*)?[\t ]*$/;
const TABS = ['a tab stands in the indentation', 'indent with spaces'] as const;

/**
 * The reading of `yaml` by the released reader.
 *
 * Differential tests hold it against that reader: same acceptance, same JSON.
 *
 * @example
 * readReleased('name: a\n') // { json: { name: 'a' } }
 */
export function readReleased(yaml: string): ReleasedReading {
  try {
    return { json: readDocument(splitLines(yaml)) };
  } catch (error) {
    if (error instanceof OutsideSubset)
      return { offset: error.offset, reason: error.message, hint: error.hint };
    throw error;
  }
}

function readDocument(lines: readonly Line[]): JsonObject {
  let at = 0;

  function fail(line: Line | undefined, reason: string, hint: string): never {
    throw new OutsideSubset(
      line === undefined ? 0 : line.start + line.raw.length - line.text.length,
      reason,
      hint,
    );
  }

  function peek(): Line | undefined {
    let line = lines[at];
    while (line !== undefined && (line.text === '' || line.text.startsWith('#'))) line = lines[++at];
    if (line !== undefined && line.raw[line.indent] === '\t') fail(line, ...TABS);
    return line;
  }

  function checkDepth(depth: number): void {
    if (depth > MAX_DEPTH)
      fail(lines[at], `values are nested more than ${MAX_DEPTH} deep`, 'flatten the frontmatter');
  }

  function cursor(line: Line, text: string): Cursor {
    return { text, offset: line.start + line.raw.length - text.length };
  }

  function keyOf(line: Line, text: string): { readonly key: string; readonly rest: string } | undefined {
    const first = text[0];
    if (first === undefined) return undefined;
    if (first === '"' || first === "'") {
      const { value, end } = readQuoted(cursor(line, text), 0);
      const next = text[end + 1];
      if (text[end] !== ':' || (next !== undefined && next !== ' ' && next !== '\t')) return undefined;
      return { key: checkKey(line, value), rest: text.slice(skipBlanks(text, end + 1)) };
    }
    if (first === '?') fail(line, 'a key begins with "?"', 'write "key: value"');
    if (NO_KEY.includes(first)) return undefined;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === 0x23 && index > 0 && (text[index - 1] === ' ' || text[index - 1] === '\t'))
        return undefined;
      if (code !== 0x3a) continue;
      const next = text[index + 1];
      if (next !== undefined && next !== ' ' && next !== '\t') continue;
      const key = trimEnd(text.slice(0, index));
      if (key === '') return undefined;
      if (typeof resolvePlain(key) !== 'string')
        fail(line, `the key ${key} is not a string`, `put it in quotes: '${key}'`);
      return { key: checkKey(line, key), rest: text.slice(skipBlanks(text, index + 1)) };
    }
    return undefined;
  }

  function checkKey(line: Line, key: string): string {
    if (key === '__proto__') fail(line, 'a key is called "__proto__"', 'rename the key');
    return key;
  }

  function readMapping(indent: number, depth: number): JsonObject {
    checkDepth(depth);
    const map: Record<string, JsonValue> = {};
    for (let line = peek(); line !== undefined && line.indent >= indent; line = peek()) {
      if (line.indent > indent) fail(line, 'a line is indented more than its neighbours', 'align the keys');
      if (isItem(line.text)) break;
      const found = keyOf(line, line.text);
      if (found === undefined)
        return fail(line, 'a line is no "key: value"', 'write one "key: value" a line');
      if (Object.hasOwn(map, found.key))
        fail(line, `the key "${found.key}" stands twice`, 'keep one of the two');
      at++;
      setField(map, found.key, readValue(found.rest, line, indent, depth + 1, true));
    }
    return map;
  }

  function readSequence(indent: number, depth: number): JsonValue[] {
    checkDepth(depth);
    const items: JsonValue[] = [];
    for (let line = peek(); line !== undefined && line.indent >= indent; line = peek()) {
      if (line.indent > indent) fail(line, 'an item is indented more than its neighbours', 'align the items');
      if (!isItem(line.text)) break;
      const contentAt = skipBlanks(line.text, 1);
      const rest = line.text.slice(contentAt);
      const nested =
        rest !== '' && !rest.startsWith('#') && (isItem(rest) || keyOf(line, rest) !== undefined);
      if (!nested) {
        at++;
        items.push(readValue(rest, line, indent, depth + 1, false));
        continue;
      }
      if (line.text.slice(1, contentAt).includes('\t')) fail(line, ...TABS);
      // The rest of the line is read again as the first line of a block that begins at its column.
      line.indent += contentAt;
      line.text = rest;
      items.push(isItem(rest) ? readSequence(line.indent, depth + 1) : readMapping(line.indent, depth + 1));
    }
    return items;
  }

  function readValue(rest: string, line: Line, parent: number, depth: number, compact: boolean): JsonValue {
    const first = rest[0];
    if (first === undefined || first === '#') {
      const next = peek();
      if (next === undefined) return null;
      if (next.indent > parent) return readIndented(next, parent, depth);
      return compact && next.indent === parent && isItem(next.text) ? readSequence(parent, depth) : null;
    }
    switch (first) {
      case '|':
      case '>':
        return readBlock(rest, line, parent);
      case '"':
      case "'": {
        const { value, end } = readQuoted(cursor(line, rest), 0);
        checkRest(line, rest, end);
        return value;
      }
      case '[':
      case '{': {
        const { value, end } = readFlow(cursor(line, rest), 0, depth, MAX_DEPTH);
        checkRest(line, rest, end);
        return value;
      }
      case '&':
      case '*':
      case '!':
        return fail(
          line,
          `"${first}" begins an anchor, alias or tag`,
          `put the value in quotes if the "${first}" belongs to its text; otherwise write the value out`,
        );
    }
    if (NO_PLAIN.includes(first))
      fail(line, `an unquoted value begins with "${first}"`, 'put the value in quotes');
    if (isItem(rest) || /^\?(?:[\t ]|$)/.test(rest)) {
      fail(line, 'a list or mapping begins on the line of another value', 'begin it on its own line');
    }
    return readPlain(rest, line, parent);
  }

  function readIndented(line: Line, parent: number, depth: number): JsonValue {
    if (isItem(line.text)) return readSequence(line.indent, depth);
    if (keyOf(line, line.text) !== undefined) return readMapping(line.indent, depth);
    at++;
    return readValue(line.text, line, parent, depth, false);
  }

  function checkRest(line: Line, rest: string, end: number): void {
    const next = skipBlanks(rest, end);
    if (next === rest.length || (next > end && rest[next] === '#')) return;
    fail(line, 'text follows the end of a value', 'put the whole value in quotes');
  }

  function plainPart(line: Line, text: string): { readonly part: string; readonly commented: boolean } {
    const comment = commentAt(text);
    const part = trimEnd(comment === -1 ? text : text.slice(0, comment));
    if (hasColon(part))
      fail(line, 'an unquoted value holds a colon followed by a space', 'put the value in quotes');
    return { part, commented: comment !== -1 };
  }

  function readPlain(rest: string, first: Line, parent: number): JsonValue {
    let { part: value, commented } = plainPart(first, rest);
    let blanks = 0;
    for (let line = lines[at]; line !== undefined; line = lines[++at]) {
      if (line.text === '') {
        blanks++;
        continue;
      }
      if (line.indent <= parent || line.text.startsWith('#')) break;
      if (line.raw[line.indent] === '\t') fail(line, ...TABS);
      if (commented) fail(line, 'an unquoted value goes on after a comment', 'put the value in quotes');
      const next = plainPart(line, line.text);
      commented = next.commented;
      value += (blanks > 0 ? '\n'.repeat(blanks) : ' ') + next.part;
      blanks = 0;
    }
    const json = resolvePlain(value);
    if (json === NOT_JSON)
      return fail(first, `${value} is a number that JSON cannot carry`, 'put the value in quotes');
    return json;
  }

  function readBlock(header: string, line: Line, parent: number): string {
    const match = BLOCK_HEADER.exec(header);
    if (match === null) {
      return fail(
        line,
        `a block of text is opened by "${header.slice(0, 12)}"`,
        'open it with "|", ">", "|-", ">-", "|+" or ">+" alone, and indent its first line no more than the others',
      );
    }
    const contents: string[] = [];
    let indent = -1;
    let blankWidth = 0;
    for (let next = lines[at]; next !== undefined; next = lines[++at]) {
      const blank = next.indent === next.raw.length;
      if (indent === -1 && !blank && next.indent > parent) {
        indent = next.indent;
        if (blankWidth > indent) {
          fail(
            next,
            'a blank line before a block of text is longer than its indentation',
            'empty the blank line',
          );
        }
      }
      if (indent !== -1 && next.indent >= indent) contents.push(next.raw.slice(indent));
      else if (blank) {
        if (indent === -1) blankWidth = Math.max(blankWidth, next.indent);
        contents.push('');
      } else if (next.raw[next.indent] === '\t') fail(next, ...TABS);
      else break;
    }
    return joinBlock(contents, header[0] === '>', match[1] ?? '');
  }

  const first = peek();
  if (first === undefined) return {};
  if (first.text.startsWith('\ufeff'))
    fail(first, 'a byte order mark stands in the frontmatter', 'remove it');
  if (isItem(first.text) || keyOf(first, first.text) === undefined) {
    fail(first, 'the first line is no "key: value"', 'begin with "name: …"');
  }
  const map = readMapping(first.indent, 0);
  const extra = peek();
  if (extra !== undefined) fail(extra, 'a line is indented less than the first key', 'align the keys');
  return map;
}
