/**
 * YAML text to a tree of typed values with offsets.
 *
 * @module
 */
import type { Document } from 'yaml';
import { SkillError } from '../errors.ts';
import { type Fault, FaultSignal } from './fault.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { NOT_JSON, resolvePlain } from './plain.ts';
import { composeYaml, refuse, tooLarge } from './yaml-compose.ts';
import { yamlLibrary } from './yaml-library.ts';
import type { YamlEntry, YamlLimits, YamlNode, YamlStyle, YamlTree } from './yaml-node.ts';

const STYLES: Readonly<Record<string, YamlStyle>> = {
  PLAIN: 'plain',
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'literal',
  BLOCK_FOLDED: 'folded',
};

/**
 * The tree of a YAML 1.2 document that is a mapping, typed by the core schema, or why it is refused.
 *
 * Refused beside invalid YAML: duplicate keys, tags, merge keys, keys that are no strings, numbers that JSON lacks,
 * aliases into themselves, a second document, and what exceeds a limit (design decision 5).
 *
 * @example
 * readYaml('name: a\n', limits)
 */
export function readYaml(
  text: string,
  limits: YamlLimits,
): { readonly tree: YamlTree } | { readonly fault: Fault } {
  try {
    return {
      tree: buildTree(
        composeYaml(text, limits, (fixed) => firstFaultOffset(fixed, limits)),
        text,
        limits,
      ),
    };
  } catch (error) {
    if (error instanceof FaultSignal) return { fault: error.fault };
    throw error;
  }
}

/** Whether `text` is read without a fault, and if not, where the first one stands. */
export function firstFaultOffset(text: string, limits: YamlLimits): number | undefined {
  try {
    buildTree(composeYaml(text, limits), text, limits);
    return undefined;
  } catch (error) {
    if (error instanceof FaultSignal) return error.fault.start;
    throw error;
  }
}

interface Anchor {
  readonly node: YamlNode | undefined;
  readonly nodes: number;
  readonly units: number;
}

function buildTree(document: Document.Parsed, text: string, limits: YamlLimits): YamlTree {
  const { isAlias, isMap, isScalar, isSeq } = yamlLibrary();
  const anchors = new Map<string, Anchor>();
  let nodes = 0;
  let units = 0;
  let aliases = 0;

  function count(moreNodes: number, moreUnits: number, at: number): void {
    nodes += moreNodes;
    units += moreUnits;
    if (nodes > limits.maxNodes) tooLarge('values, aliases expanded', limits.maxNodes, at);
    if (units > limits.maxBytes) tooLarge('characters, aliases expanded', limits.maxBytes, at);
  }

  function build(node: unknown, depth: number, fallback: number): YamlNode {
    if (node === null || node === undefined) {
      return { json: null, style: 'plain', source: '', start: fallback, end: fallback };
    }
    if (isAlias(node))
      return buildAlias(node.source, node.range?.[0] ?? fallback, node.range?.[1] ?? fallback);
    if (!isScalar(node) && !isMap(node) && !isSeq(node))
      throw new SkillError('INTERNAL', 'the YAML library made an unknown node');
    const start = node.range?.[0] ?? fallback;
    const end = node.range?.[1] ?? fallback;
    if (depth > limits.maxDepth && !isScalar(node)) tooLarge('levels of nesting', limits.maxDepth, start);
    if (node.tag !== undefined) refuseTag(node.tag, text, start, end);
    const name = node.anchor;
    const nodesBefore = nodes;
    const unitsBefore = units;
    if (name !== undefined) anchors.set(name, { node: undefined, nodes: 0, units: 0 });
    let built: YamlNode;
    if (isScalar(node)) built = buildScalar(String(node.source ?? node.value ?? ''), node.type, start, end);
    else {
      count(1, 0, start);
      const style: YamlStyle = node.flow === true ? 'flow' : 'block';
      if (isMap(node)) built = buildMap(node.items, style, depth, start, end);
      else {
        const items = node.items.map((item) => build(item, depth + 1, start));
        built = { json: items.map((item) => item.json), style, source: undefined, start, end, items };
      }
    }
    if (name !== undefined) {
      anchors.set(name, { node: built, nodes: nodes - nodesBefore, units: units - unitsBefore });
    }
    return built;
  }

  function buildAlias(name: string, start: number, end: number): YamlNode {
    const anchor = anchors.get(name);
    if (anchor === undefined) {
      return refuse({
        code: 'INVALID_YAML',
        message: `"*" begins an alias in YAML, and nothing is called "${name}"`,
        start,
        end,
        hint: 'put the value in quotes if the "*" belongs to its text',
      });
    }
    if (anchor.node === undefined) {
      return refuse({
        code: 'UNSUPPORTED_YAML',
        message: `the alias "*${name}" stands inside the value it repeats`,
        start,
        end,
        hint: 'write the value out',
      });
    }
    if (++aliases > limits.maxAliases) tooLarge('aliases', limits.maxAliases, start);
    count(anchor.nodes, anchor.units, start);
    const { entries, items } = anchor.node;
    return {
      json: anchor.node.json,
      style: 'alias',
      source: undefined,
      start,
      end,
      ...(entries && { entries }),
      ...(items && { items }),
    };
  }

  function buildScalar(
    source: string,
    type: string | undefined | null,
    start: number,
    end: number,
  ): YamlNode {
    const style = STYLES[type ?? 'PLAIN'] ?? 'plain';
    count(1, source.length, start);
    const json = style === 'plain' ? resolvePlain(source) : source;
    if (json === NOT_JSON) {
      return refuse({
        code: 'UNSUPPORTED_YAML',
        message: `${source} is a number that JSON cannot carry`,
        start,
        end,
        hint: `put it in quotes: '${source}'`,
        fix: { start, end, text: `'${source}'`, title: `Quote ${source}` },
      });
    }
    return { json, style, source, start, end };
  }

  function buildMap(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    style: YamlStyle,
    depth: number,
    start: number,
    end: number,
  ): YamlNode {
    const json: Record<string, JsonValue> = {};
    const lines = new Map<string, number>();
    const entries: YamlEntry[] = [];
    for (const pair of pairs) {
      const key = buildKey(pair.key, start);
      if (lines.has(key.source))
        refuseDuplicate(key.source, key.start, key.end, lines.get(key.source) ?? 0, text);
      lines.set(key.source, key.start);
      const value = build(pair.value, depth + 1, key.end);
      if (key.source === '__proto__') {
        Object.defineProperty(json, '__proto__', {
          value: value.json,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else json[key.source] = value.json;
      entries.push({ key: key.source, keyStyle: key.style, keyStart: key.start, keyEnd: key.end, value });
    }
    return { json, style, source: undefined, start, end, entries };
  }

  function buildKey(node: unknown, fallback: number): YamlNode & { readonly source: string } {
    if (isAlias(node) || isMap(node) || isSeq(node)) {
      return refuse({
        code: 'UNSUPPORTED_YAML',
        message: 'a key is not a string',
        start: node.range?.[0] ?? fallback,
        end: node.range?.[1] ?? fallback,
        hint: 'write each key as plain text before the colon',
      });
    }
    const key = build(node, 0, fallback);
    const source = key.source ?? '';
    if (typeof key.json !== 'string') {
      const shown = source === '' ? 'an empty key' : `the key ${source}`;
      return refuse({
        code: 'UNSUPPORTED_YAML',
        message: `${shown} is not a string`,
        start: key.start,
        end: key.end,
        hint: source === '' ? 'write a key before the colon' : `put the key in quotes: '${source}'`,
        ...(source !== '' && {
          fix: { start: key.start, end: key.end, text: `'${source}'`, title: `Quote the key ${source}` },
        }),
      });
    }
    if (source === '<<' && key.style === 'plain') {
      return refuse({
        code: 'UNSUPPORTED_YAML',
        message: 'the merge key "<<" is not supported: YAML 1.2 has none, and readers disagree about it',
        start: key.start,
        end: key.end,
        hint: 'write the merged fields out',
      });
    }
    return { ...key, source };
  }

  const contents: unknown = document.contents;
  if (!isMap(contents)) return refuse(notAMapping(contents, text));
  const top = build(contents, 0, 0);
  return { ...top, json: top.json as JsonObject, entries: top.entries ?? [] };
}

function refuseTag(tag: string, text: string, start: number, end: number): never {
  const written = /![^\s]*[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1, start))?.[0] ?? '';
  const shown = written.trim() || tag;
  return refuse({
    code: 'UNSUPPORTED_YAML',
    message: `"!" begins a YAML tag, and tags such as "${shown}" are not supported`,
    start: start - written.length,
    end,
    hint: 'put the value in quotes if the "!" belongs to its text; otherwise remove the tag',
  });
}

function refuseDuplicate(key: string, start: number, end: number, first: number, text: string): never {
  // The frontmatter begins on line 2 of the file.
  const line = text.slice(0, first).split('\n').length + 1;
  return refuse({
    code: 'DUPLICATE_KEY',
    message: `the key "${key}" stands twice; the first one is on line ${line}`,
    start,
    end,
    hint: 'keep one of the two: readers disagree about which one counts',
    details: { key, firstLine: line },
  });
}

function notAMapping(contents: unknown, text: string): Fault {
  const { isScalar, isSeq } = yamlLibrary();
  const range = (contents as { range?: readonly number[] } | null)?.range;
  const empty = !isSeq(contents) && (!isScalar(contents) || String(contents.source ?? '') === '');
  const what = empty ? 'is empty' : isSeq(contents) ? 'is a list' : 'is a single text';
  const glued = /^([A-Za-z][\w-]*)(?::(?=[^\s/])| *= *)/.exec(text);
  return {
    code: 'NON_MAPPING_FRONTMATTER',
    message: `the frontmatter ${what}, not a mapping of keys to values`,
    start: empty ? 0 : (range?.[0] ?? 0),
    end: empty ? 0 : (range?.[1] ?? 0),
    hint:
      glued === null
        ? 'write at least two lines: "name: …" and "description: …"'
        : `write a colon and a space after the key: "${glued[1]}: …"`,
  };
}
