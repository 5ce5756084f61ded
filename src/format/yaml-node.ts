/**
 * YAML as a tree of typed values with offsets.
 *
 * @module
 */
import type { JsonObject, JsonValue } from './json.ts';

/** How a value is written. */
export type YamlStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded' | 'flow' | 'block' | 'alias';

/** One value. Offsets count UTF-16 units of the YAML text; `end` is exclusive. */
export interface YamlNode {
  readonly json: JsonValue;
  readonly style: YamlStyle;
  /** The text of a scalar before it gets a type; undefined for collections and aliases. */
  readonly source: string | undefined;
  readonly start: number;
  readonly end: number;
  /** The entries of a mapping, in order. */
  readonly entries?: readonly YamlEntry[];
  /** The items of a list, in order. */
  readonly items?: readonly YamlNode[];
}

/** One key with its value. */
export interface YamlEntry {
  readonly key: string;
  readonly keyStyle: YamlStyle;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: YamlNode;
}

/** The top of a frontmatter: always a mapping. */
export interface YamlTree extends YamlNode {
  readonly json: JsonObject;
  readonly entries: readonly YamlEntry[];
}

/** Caps of one document; Infinity is off. */
export interface YamlLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
  readonly maxNodes: number;
  readonly maxAliases: number;
}
