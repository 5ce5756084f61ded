/**
 * Scalars on one line that every YAML reader reads as the same text, recognised without a YAML library.
 *
 * @module
 */
import { typeInYaml11 } from './ambiguous.ts';
import { resolvePlain } from './plain.ts';
import type { YamlNode } from './yaml-node.ts';

const LF = 0x0a;
const SPACE = 0x20;
const DOUBLE = 0x22;
const HASH = 0x23;
const SINGLE = 0x27;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** The longest word that some YAML reader takes for null or a boolean: `false`. */
const LONGEST_WORD = 5;

/**
 * The scalar that begins at `at` and ends with its line, or undefined when readers might differ about it.
 *
 * Offsets count from `start`; `text` must end with LF.
 */
export function readSimpleScalar(text: string, start: number, at: number): YamlNode | undefined {
  const first = text.charCodeAt(at);
  if (first === DOUBLE || first === SINGLE) return readQuoted(text, start, at, first);
  if (!isPlainStart(first)) return undefined;
  const end = plainEnd(text, at);
  if (end === -1) return undefined;
  const source = text.slice(at, end);
  const isDigit = first <= 0x39 && first >= 0x30;
  if ((isDigit || source.length <= LONGEST_WORD) && !isCertainlyText(source)) return undefined;
  return { json: source, style: 'plain', source, start: at - start, end: end - start };
}

/** Whether no YAML reader takes an unquoted scalar or key for anything but text. */
export function isCertainlyText(source: string): boolean {
  return typeof resolvePlain(source) === 'string' && typeInYaml11(source) === undefined;
}

/** Index of the LF that ends the line, or -1 when a character on it is one that readers treat in different ways. */
export function lineEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code !== LF; code = text.charCodeAt(++at)) {
    if (isOdd(code)) return -1;
  }
  return at;
}

/**
 * Where a value without quotes may begin. All of YAML's indicators are ASCII; `+`, `-`, `.` and `~` can begin a number or
 * a null.
 */
function isPlainStart(code: number): boolean {
  if (code >= 0x80) return true;
  const letter = code | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  // Digits, then ( / < _
  return (code >= 0x30 && code <= 0x39) || code === 0x28 || code === 0x2f || code === 0x3c || code === 0x5f;
}

function plainEnd(text: string, from: number): number {
  let at = from;
  let before = 0;
  for (let code = text.charCodeAt(at); code !== LF; code = text.charCodeAt(++at)) {
    if (isOdd(code) || (code === HASH && before === SPACE) || (code === SPACE && before === COLON)) return -1;
    before = code;
  }
  return before === SPACE || before === COLON ? -1 : at;
}

function readQuoted(text: string, start: number, from: number, quote: number): YamlNode | undefined {
  let escaped = false;
  let at = from + 1;
  for (let code = text.charCodeAt(at); code !== LF; code = text.charCodeAt(++at)) {
    const next = text.charCodeAt(at + 1);
    if (code === quote && next === LF) {
      const style = quote === DOUBLE ? 'double' : 'single';
      const inner = text.slice(from + 1, at);
      const source = escaped ? unescaped(inner, style) : inner;
      return { json: source, style, source, start: from - start, end: at + 1 - start };
    }
    if (code === quote ? quote === SINGLE && next === SINGLE : isEscape(code, next, quote)) {
      escaped = true;
      at++;
    } else if (code === quote || isOdd(code) || (code === BACKSLASH && quote === DOUBLE)) return undefined;
  }
  return undefined;
}

/** Two escapes are read here, a quote and a backslash; others are rare. */
function isEscape(code: number, next: number, quote: number): boolean {
  return code === BACKSLASH && quote === DOUBLE && (next === DOUBLE || next === BACKSLASH);
}

function unescaped(inner: string, style: 'double' | 'single'): string {
  return style === 'single' ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, '$1');
}

/** Controls, line separators, byte order marks and non-characters. */
function isOdd(code: number): boolean {
  if (code < 0x7f) return code < SPACE;
  return code < 0xa0 || code === 0x2028 || code === 0x2029 || code === 0xfeff || code >= 0xfffe;
}
