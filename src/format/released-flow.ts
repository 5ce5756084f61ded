/**
 * Quoted scalars and one-line collections as the released reader reads them.
 *
 * @module
 */
import type { JsonValue } from './json.ts';
import { NOT_JSON, resolvePlain } from './plain.ts';

/** Why a text is outside the subset of the released reader; never leaves this room. */
export class OutsideSubset extends Error {
  readonly offset: number;
  readonly hint: string;

  constructor(offset: number, reason: string, hint: string) {
    super(reason);
    this.offset = offset;
    this.hint = hint;
  }
}

/** One line from some column on, and where that is in the whole text. */
export interface Cursor {
  readonly text: string;
  readonly offset: number;
}

interface Read<T> {
  readonly value: T;
  /** Index after the last character read. */
  readonly end: number;
}

const FLOW_END = ' \t,[]{}';
const QUOTE_IT = 'put the value in quotes';
const ONE_LINE_QUOTE = 'write the quoted value on one line, or as a ">-" block';
const ONE_LINE_FLOW = 'write the collection on one line, or one item a line';
const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function fail(cursor: Cursor, at: number, reason: string, hint: string): never {
  throw new OutsideSubset(cursor.offset + at, reason, hint);
}

/** Index of the first character that is no space or tab. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  while (text[next] === ' ' || text[next] === '\t') next++;
  return next;
}

/** Sets an own property, whatever the key is called. */
export function setField(map: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
  } else map[key] = value;
}

/** The quoted scalar that begins at `start`. */
export function readQuoted(cursor: Cursor, start: number): Read<string> {
  const { text } = cursor;
  const quote = text[start] ?? '';
  let value = '';
  let from = start + 1;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === quote) {
      value += text.slice(from, at);
      if (quote === '"' || text[at + 1] !== "'") return { value, end: at + 1 };
      // Two single quotes are one.
      value += "'";
      at++;
      from = at + 1;
    } else if (char === '\\' && quote === '"') {
      const decoded = readEscape(cursor, at);
      value += text.slice(from, at) + decoded.value;
      from = decoded.end;
      at = from - 1;
    }
  }
  return fail(cursor, start, 'a quoted value does not end on its line', ONE_LINE_QUOTE);
}

function readEscape(cursor: Cursor, at: number): Read<string> {
  const { text } = cursor;
  const letter = text[at + 1];
  if (letter === undefined)
    return fail(cursor, at, 'a quoted value does not end on its line', ONE_LINE_QUOTE);
  const simple = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (simple !== undefined) return { value: simple, end: at + 2 };
  const digits = HEX_DIGITS[letter] ?? 0;
  const hex = text.slice(at + 2, at + 2 + digits);
  const code = Number.parseInt(hex, 16);
  if (digits === 0 || hex.length !== digits || !/^[\dA-Fa-f]+$/.test(hex) || code > 0x10ffff) {
    return fail(cursor, at, `"\\${letter}" begins no known escape`, 'write the backslash twice');
  }
  return { value: String.fromCodePoint(code), end: at + 2 + digits };
}

/** The collection in brackets that begins at `start`. */
export function readFlow(cursor: Cursor, start: number, depth: number, maxDepth: number): Read<JsonValue> {
  const { text } = cursor;
  if (depth > maxDepth)
    fail(cursor, start, `values are nested more than ${maxDepth} deep`, 'flatten the frontmatter');
  const isList = text[start] === '[';
  const close = isList ? ']' : '}';
  const list: JsonValue[] = [];
  const map: Record<string, JsonValue> = {};
  const value = isList ? list : map;
  let at = skipBlanks(text, start + 1);
  if (text[at] === close) return { value, end: at + 1 };
  for (;;) {
    if (isList) {
      const item = readFlowValue(cursor, at, depth, maxDepth);
      list.push(item.value);
      at = skipBlanks(text, item.end);
    } else {
      const key = readFlowKey(cursor, at);
      const item = readFlowValue(cursor, key.end + 1, depth, maxDepth);
      if (Object.hasOwn(map, key.value))
        fail(cursor, at, `the key "${key.value}" stands twice`, 'keep one of the two');
      setField(map, key.value, item.value);
      at = skipBlanks(text, item.end);
    }
    const char = text[at];
    if (char === close) return { value, end: at + 1 };
    if (char === undefined)
      fail(cursor, start, 'a collection in brackets does not end on its line', ONE_LINE_FLOW);
    if (char !== ',')
      fail(cursor, at, `"${char}" stands in a collection in brackets`, 'put the item in quotes');
    at = skipBlanks(text, at + 1);
    if (text[at] === close) return { value, end: at + 1 };
  }
}

function readFlowKey(cursor: Cursor, start: number): Read<string> {
  const { text } = cursor;
  const at = skipBlanks(text, start);
  const char = text[at];
  if (char === undefined)
    return fail(cursor, start, 'a collection in brackets does not end on its line', ONE_LINE_FLOW);
  if (char === '"' || char === "'") {
    const quoted = readQuoted(cursor, at);
    const colon = skipBlanks(text, quoted.end);
    if (text[colon] !== ':') fail(cursor, at, 'a key in braces has no colon', 'write {key: value}');
    return { value: checkKey(cursor, at, quoted.value), end: colon };
  }
  if (char === '[' || char === '{') fail(cursor, at, 'a key is a collection', 'write keys as plain text');
  checkPlainStart(cursor, at);
  const end = plainEnd(text, at);
  const raw = trimBlanksEnd(text.slice(at, end));
  const next = text[end + 1];
  if (raw === '' || text[end] !== ':' || (next !== ' ' && next !== '\t')) {
    fail(cursor, at, 'a key in braces has no colon followed by a space', 'write {key: value}');
  }
  if (typeof resolvePlain(raw) !== 'string')
    fail(cursor, at, `the key ${raw} is not a string`, 'put the key in quotes');
  return { value: checkKey(cursor, at, raw), end };
}

function checkKey(cursor: Cursor, at: number, key: string): string {
  if (key === '__proto__') fail(cursor, at, 'a key is called "__proto__"', 'rename the key');
  return key;
}

function readFlowValue(cursor: Cursor, start: number, depth: number, maxDepth: number): Read<JsonValue> {
  const { text } = cursor;
  const at = skipBlanks(text, start);
  const char = text[at];
  if (char === undefined)
    return fail(cursor, start, 'a collection in brackets does not end on its line', ONE_LINE_FLOW);
  if (char === '[' || char === '{') return readFlow(cursor, at, depth + 1, maxDepth);
  if (char === '"' || char === "'") return readQuoted(cursor, at);
  checkPlainStart(cursor, at);
  const end = plainEnd(text, at);
  if (text[end] === ':') fail(cursor, at, 'a "key: value" pair stands in a list in brackets', QUOTE_IT);
  const raw = trimBlanksEnd(text.slice(at, end));
  if (raw === '')
    fail(cursor, at, 'an item of a collection in brackets is empty', 'write the item, or remove the comma');
  const value = resolvePlain(raw);
  if (value === NOT_JSON) return fail(cursor, at, `${raw} is a number that JSON cannot carry`, QUOTE_IT);
  return { value, end };
}

function checkPlainStart(cursor: Cursor, at: number): void {
  const char = cursor.text[at] ?? '';
  if ('&*!'.includes(char)) {
    fail(cursor, at, `"${char}" begins an anchor, alias or tag`, 'put the item in quotes, or write it out');
  }
  const alone = '-?:'.includes(char) && FLOW_END.includes(cursor.text[at + 1] ?? ' ');
  if (alone || '|>%@`#'.includes(char))
    fail(cursor, at, `an unquoted item begins with "${char}"`, 'put the item in quotes');
}

function plainEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const char = text[at] ?? '';
    if (',[]{}'.includes(char)) break;
    if (char === '#' && (text[at - 1] === ' ' || text[at - 1] === '\t')) break;
    if (char === ':' && FLOW_END.includes(text[at + 1] ?? ' ')) break;
  }
  return at;
}

function trimBlanksEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(0, end);
}
