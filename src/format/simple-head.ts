/**
 * Frontmatter that is plain enough to be read without a YAML library, which takes most of the time that judging a file
 * costs.
 *
 * @module
 */
import type { JsonValue } from './json.ts';
import { joinBlock } from './released-lines.ts';
import { isCertainlyText, lineEnd, readSimpleScalar } from './simple-scalars.ts';
import type { YamlEntry, YamlLimits, YamlNode, YamlTree } from './yaml-node.ts';

const LF = 0x0a;
const SPACE = 0x20;
const DASH = 0x2d;
const COLON = 0x3a;
const FOLDED = 0x3e;
const UNDERSCORE = 0x5f;
const LITERAL = 0x7c;

/** Lines that are read here: far below what the caps on values count, so that the caps cannot matter. */
const MAX_LINES = 200;
const MIN_NODES = 1_000;
const MIN_DEPTH = 8;
/** YAML ends a key after 1,024 characters. */
const MAX_KEY = 64;
/** The longest key that some YAML reader takes for null or a boolean: `false`. */
const LONGEST_WORD = 5;

/**
 * The tree of a frontmatter in a strict subset of YAML, or undefined: then the full reader must look.
 *
 * The subset: `key: value` lines, and keys with one such level below them, indented alike; keys of letters, digits,
 * `-` and `_` that do not repeat; values on one line, unquoted or in quotes, that are text for every reader; `>`, `>-`,
 * `|`, `|-` with lines indented alike; empty lines. The tree is the one that the full reader makes, and released readers
 * get the same values: property tests hold the three against each other.
 *
 * The YAML begins at `start` of `text`, which has LF line ends and ends with one. Offsets in the tree count from there.
 *
 * @example
 * readSimpleHead('name: a\n', 0, limits)?.json // { name: 'a' }
 */
export function readSimpleHead(text: string, start: number, limits: YamlLimits): YamlTree | undefined {
  if (!(limits.maxNodes >= MIN_NODES && limits.maxDepth >= MIN_DEPTH)) return undefined;
  if (text.charCodeAt(text.length - 1) !== LF || tooManyLines(text, start)) return undefined;
  const at = skipEmptyLines(text, start);
  const tree = readMap(text, start, at, 0);
  return tree !== undefined && skipEmptyLines(text, start + tree.end) === text.length ? tree : undefined;
}

function tooManyLines(text: string, start: number): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (++lines > MAX_LINES) return true;
  }
  return false;
}

function skipEmptyLines(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === LF) at++;
  return at;
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  return at;
}

/** The keys from `first` on, whose line begins `indent` before it, up to a line that is indented less. */
function readMap(text: string, start: number, first: number, indent: number): YamlTree | undefined {
  const json: Record<string, JsonValue> = {};
  const entries: YamlEntry[] = [];
  let at = first;
  let end = first;
  for (;;) {
    const colon = keyEnd(text, at);
    if (colon === -1) return undefined;
    const key = text.slice(at, colon);
    if (Object.hasOwn(json, key) || (key.length <= LONGEST_WORD && !isCertainlyText(key))) return undefined;
    const value = readValue(text, start, colon + 1, indent === 0);
    if (value === undefined) return undefined;
    json[key] = value.json;
    entries.push({ key, keyStyle: 'plain', keyStart: at - start, keyEnd: colon - start, value });
    // The end of a scalar on one line is its LF; a block and a map take that in.
    end = start + value.end;
    if (text.charCodeAt(end) === LF && text.charCodeAt(end - 1) !== LF) end++;
    const line = skipEmptyLines(text, end);
    at = skipSpaces(text, line);
    if (at - line !== indent) {
      if (at - line > indent) return undefined;
      break;
    }
    if (at === text.length) break;
  }
  return {
    json,
    style: 'block',
    source: undefined,
    start: first - start,
    end: end - start,
    entries,
  };
}

/** Index of the colon that ends the key at `at` and that a space or line end follows, or -1. */
function keyEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    const letter = code | 0x20;
    if (!(letter >= 0x61 && letter <= 0x7a)) {
      const inner = (code >= 0x30 && code <= 0x39) || code === DASH || code === UNDERSCORE;
      if (!inner || at === from) break;
    }
    at++;
  }
  const next = text.charCodeAt(at + 1);
  const ends = text.charCodeAt(at) === COLON && (next === SPACE || next === LF);
  return ends && at > from && at - from <= MAX_KEY ? at : -1;
}

/** The value after the colon before `from`; only a key at the `top` may have more than one line. */
function readValue(text: string, start: number, from: number, top: boolean): YamlNode | undefined {
  const at = skipSpaces(text, from);
  const first = text.charCodeAt(at);
  if (!top || (first !== LF && first !== LITERAL && first !== FOLDED))
    return readSimpleScalar(text, start, at);
  if (first !== LF) return readBlock(text, start, at);
  const line = skipEmptyLines(text, at);
  const inner = skipSpaces(text, line);
  return inner === line ? undefined : readMap(text, start, inner, inner - line);
}

/** The block of text whose header is at `from`. */
function readBlock(text: string, start: number, from: number): YamlNode | undefined {
  const folded = text.charCodeAt(from) === FOLDED;
  const strip = text.charCodeAt(from + 1) === DASH;
  const first = from + (strip ? 3 : 2);
  const indent = skipSpaces(text, first) - first;
  if (text.charCodeAt(first - 1) !== LF || indent === 0) return undefined;
  const lines: string[] = [];
  let end = first;
  for (let at = first; ; ) {
    const begin = skipSpaces(text, at);
    if (begin === at) break;
    const close = lineEnd(text, begin);
    if (begin - at !== indent || close <= begin || text.charCodeAt(close - 1) === SPACE) return undefined;
    lines.push(text.slice(begin, close));
    end = close + 1;
    at = skipEmptyLines(text, end);
    for (let empty = end; empty < at; empty++) lines.push('');
  }
  const json = joinBlock(lines, folded, strip ? '-' : '');
  return { json, style: folded ? 'folded' : 'literal', source: json, start: from - start, end: end - start };
}
