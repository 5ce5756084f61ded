/**
 * Frontmatter of a prompt that is plain enough to be read without a YAML library, which takes most of the time that
 * loading a folder costs.
 *
 * @module
 */

import type { JsonValue } from '../format/json.ts';
import { isCertainlyText, readSimpleScalar } from '../format/simple-scalars.ts';
import type { YamlEntry, YamlNode, YamlTree } from '../format/yaml-node.ts';

/** Far below what the caps on values count, so that the caps cannot matter. */
const MAX_LINES = 200;
const TEXT_KEYS: ReadonlySet<string> = new Set(['name', 'title', 'description']);
const ARGUMENT_TEXT_KEYS: ReadonlySet<string> = new Set(['name', 'description']);
const KEY_LINE = /([a-z]+):(?: |(?=\n))/y;
const ITEM = /( *)- (?=[^ ])/y;
const FLOW = /^\[([^[\]{}"'#:,&*!|>%@`]*(?:,[^[\]{}"'#:,&*!|>%@`]*)*)\]$/;
const FLOW_WORD = /^[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*$/;

/** Lines of one YAML text, looked at from the first to the last. */
interface Lines {
  readonly text: string;
  /** Where the YAML begins in `text`. */
  readonly start: number;
  /** Where the line that comes next begins; at the end of `text` there is none. */
  at: number;
}

/**
 * The tree of a frontmatter, or undefined: then the full reader must look. Its values are those that the full reader
 * finds; its places are right for values that stand on one line and are otherwise not, so whoever has something to say
 * about a place must read it in full.
 *
 * Read here: the keys of a prompt, each once; text on one line; `tags` as `[a, b]` or one `- a` a line; `arguments` as one
 * `- name: a` each, with `description` and `required` below it.
 */
export function readSimplePromptHead(text: string, start: number): YamlTree | undefined {
  if (!text.endsWith('\n') || countLines(text, start) > MAX_LINES) return undefined;
  const lines: Lines = { text, start, at: start };
  const entries: YamlEntry[] = [];
  const json: Record<string, JsonValue> = {};
  while (lines.at < text.length) {
    const key = readKey(lines, lines.at);
    if (key === undefined || Object.hasOwn(json, key.name)) return undefined;
    const value = TEXT_KEYS.has(key.name)
      ? readText(lines, key.value)
      : key.name === 'tags'
        ? readTags(lines, key.value)
        : key.name === 'arguments' && text.charAt(key.value) === '\n'
          ? readArgumentList(lines, key.value)
          : undefined;
    if (value === undefined) return undefined;
    entries.push(entryOf(key.name, value));
    json[key.name] = value.json;
  }
  return { ...collection(json), json, entries };
}

function countLines(text: string, start: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at !== -1; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The key whose line begins at `at`, and where its value does: at the end of the line when it has none. */
function readKey({ text }: Lines, at: number): { readonly name: string; readonly value: number } | undefined {
  KEY_LINE.lastIndex = at;
  const name = KEY_LINE.exec(text)?.[1];
  return name === undefined ? undefined : { name, value: KEY_LINE.lastIndex };
}

/** Text on the rest of a line; goes on to the next one. */
function readText(lines: Lines, at: number): YamlNode | undefined {
  const node = readSimpleScalar(lines.text, lines.start, at);
  if (node !== undefined) lines.at = lines.text.indexOf('\n', at) + 1;
  return node;
}

function readTags(lines: Lines, at: number): YamlNode | undefined {
  const { text } = lines;
  const end = text.indexOf('\n', at);
  if (end !== at) {
    const inner = FLOW.exec(text.slice(at, end))?.[1];
    if (inner === undefined) return undefined;
    const words = inner.trim() === '' ? [] : inner.split(',').map((word) => word.trim());
    if (!words.every((word) => FLOW_WORD.test(word) && isCertainlyText(word))) return undefined;
    lines.at = end + 1;
    return list(words.map((word) => scalar(word, word)));
  }
  return readItems(lines, end + 1, (from) => readText(lines, from));
}

function readArgumentList(lines: Lines, at: number): YamlNode | undefined {
  return readItems(lines, at + 1, (from, indent) => readArgument(lines, from, indent));
}

/** One item a line that begins with a dash, all indented alike; at least one. */
function readItems(
  lines: Lines,
  first: number,
  readItem: (from: number, indent: number) => YamlNode | undefined,
): YamlNode | undefined {
  const items: YamlNode[] = [];
  let indent = -1;
  lines.at = first;
  for (;;) {
    ITEM.lastIndex = lines.at;
    const found = ITEM.exec(lines.text);
    if (found === null) break;
    const spaces = found[1]?.length ?? 0;
    if (indent !== -1 && spaces !== indent) return undefined;
    indent = spaces;
    const item = readItem(ITEM.lastIndex, spaces + 2);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items.length === 0 ? undefined : list(items);
}

/** The keys of one argument: the first stands behind the dash, the others below it. */
function readArgument(lines: Lines, from: number, indent: number): YamlNode | undefined {
  const { text } = lines;
  const entries: YamlEntry[] = [];
  const json: Record<string, JsonValue> = {};
  const margin = ' '.repeat(indent);
  let at = from;
  for (;;) {
    const key = readKey(lines, at);
    if (key === undefined || Object.hasOwn(json, key.name)) return undefined;
    const value = ARGUMENT_TEXT_KEYS.has(key.name)
      ? readText(lines, key.value)
      : key.name === 'required'
        ? readBoolean(lines, key.value)
        : undefined;
    if (value === undefined) return undefined;
    entries.push(entryOf(key.name, value));
    json[key.name] = value.json;
    if (!text.startsWith(margin, lines.at) || text.charAt(lines.at + indent) === '-') break;
    at = lines.at + indent;
  }
  return { ...collection(json), entries };
}

function readBoolean(lines: Lines, at: number): YamlNode | undefined {
  const end = lines.text.indexOf('\n', at);
  const source = lines.text.slice(at, end);
  if (source !== 'true' && source !== 'false') return undefined;
  lines.at = end + 1;
  return scalar(source === 'true', source);
}

function scalar(json: JsonValue, source: string): YamlNode {
  return { json, style: 'plain', source, start: 0, end: 0 };
}

function collection(json: JsonValue): YamlNode {
  return { json, style: 'block', source: undefined, start: 0, end: 0 };
}

function list(items: readonly YamlNode[]): YamlNode {
  return { ...collection(items.map((item) => item.json)), items };
}

function entryOf(key: string, value: YamlNode): YamlEntry {
  return { key, keyStyle: 'plain', keyStart: 0, keyEnd: 0, value };
}
