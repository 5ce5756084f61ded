/**
 * The frontmatter of a `SKILL.md`.
 *
 * @module
 */
import { type Fault, faultError } from './fault.ts';
import { cutFile, type FrontmatterOptions, type Head, readHead, yamlLimits } from './head.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { setField } from './released-flow.ts';
import type { YamlEntry } from './yaml-node.ts';

/** A parsed `SKILL.md`. */
export interface Frontmatter {
  /** The text as written, before YAML gives it a type: `007` is `'007'`. */
  readonly name: string;
  /** The text as written, before YAML gives it a type. */
  readonly description: string;
  /** `frontmatter` without `name` and `description`. */
  readonly extra: JsonObject;
  /** Every author field with its YAML 1.2 type. */
  readonly frontmatter: JsonObject;
  /** What follows the closing fence: line ends LF, one blank line dropped. Digests are made over the raw bytes instead. */
  readonly body: string;
}

/** A skill as a host sees it: its frontmatter and where it was loaded from. */
export interface SkillMetadata {
  readonly name: string;
  readonly description: string;
  readonly extra: JsonObject;
  /** URI of its `SKILL.md`. */
  readonly sourceUri: string;
}

/**
 * The frontmatter and body of a `SKILL.md`.
 *
 * Accepts one BOM and LF, CRLF or CR line ends. The fences are lines of exactly `---`, trailing spaces and tabs aside;
 * the first one is line 1. What stands between is YAML 1.2, core schema (design decision 5). Rules about the values of
 * fields are not applied here; `judgeSkillFile` does that.
 *
 * Throws a `SkillError` whose message ends with line and column and whose `details` hold `line`, `column`, `range` and
 * mostly a `hint`: `NOT_UTF8`, `MISSING_FRONTMATTER`, `UNTERMINATED_FRONTMATTER`, `FRONTMATTER_TOO_LARGE`,
 * `INVALID_YAML`, `DUPLICATE_KEY`, `UNSUPPORTED_YAML`, `NON_MAPPING_FRONTMATTER`, `FRONTMATTER_MISSING_NAME`,
 * `FRONTMATTER_MISSING_DESCRIPTION` (absent, empty, or not a scalar). Requirement S7.
 *
 * @example
 * parseFrontmatter('---\nname: pdf\ndescription: Reads PDF files.\n---\n# PDF\n').name // 'pdf'
 */
export function parseFrontmatter(input: Uint8Array | string, options: FrontmatterOptions = {}): Frontmatter {
  const limits = yamlLimits(options);
  return requireFields(readHead(cutFile(input, limits), limits));
}

/** The frontmatter of a head, or the error for a missing field. */
export function requireFields(head: Head): Frontmatter {
  const [fault] = missingFields(head);
  if (fault !== undefined) throw faultError(fault, head.positions);
  return { ...fieldsOf(head), body: head.body() };
}

/** A frontmatter without the body. */
export type Fields = Omit<Frontmatter, 'body'>;

/** The fields of a head that has `name` and `description`. */
export function fieldsOf(head: Head): Fields {
  const extra: Record<string, JsonValue> = {};
  let name = '';
  let description = '';
  for (const { key, value } of head.tree.entries) {
    if (key === 'name') name = value.source ?? '';
    else if (key === 'description') description = value.source ?? '';
    else setField(extra, key, value.json);
  }
  return { name, description, extra, frontmatter: head.tree.json };
}

/** One fault for each of `name` and `description` that is absent, empty or no scalar. */
export function missingFields(head: Head): readonly Fault[] {
  const faults: Fault[] = [];
  for (const key of ['name', 'description'] as const) {
    const entry = entryOf(head, key);
    if (entry?.value.source) continue;
    faults.push(missingField(head, key, entry));
  }
  return faults;
}

/** The top-level entry with this key. */
export function entryOf(head: Head, key: string): YamlEntry | undefined {
  return head.tree.entries.find((entry) => entry.key === key);
}

/**
 * The value of a frontmatter field, or undefined when the author did not write it; `name` and `description` as text.
 *
 * A field that was written without a value is null.
 *
 * @example
 * getField(frontmatter, 'license')
 */
export function getField(frontmatter: Frontmatter, key: string): JsonValue | undefined {
  if (key === 'name') return frontmatter.name === '' ? undefined : frontmatter.name;
  if (key === 'description') return frontmatter.description === '' ? undefined : frontmatter.description;
  return Object.hasOwn(frontmatter.extra, key) ? frontmatter.extra[key] : undefined;
}

/**
 * A skill as a host sees it, from its frontmatter and the URI of its `SKILL.md`.
 *
 * @example
 * metadataFromFrontmatter(parseFrontmatter(bytes), 'skill://pdf/SKILL.md').sourceUri
 */
export function metadataFromFrontmatter(frontmatter: Frontmatter, uri: string): SkillMetadata {
  const { name, description, extra } = frontmatter;
  return { name, description, extra, sourceUri: uri };
}

function missingField(head: Head, key: 'name' | 'description', entry: YamlEntry | undefined): Fault {
  const code = key === 'name' ? 'FRONTMATTER_MISSING_NAME' : 'FRONTMATTER_MISSING_DESCRIPTION';
  const example = key === 'name' ? 'name: my-skill' : 'description: What the skill does and when to use it.';
  const { yamlStart } = head;
  if (entry !== undefined) {
    const { value } = entry;
    const what =
      value.style === 'alias' ? 'an alias' : value.items ? 'a list' : value.entries ? 'a mapping' : undefined;
    return {
      code,
      message: what === undefined ? `"${key}" is empty` : `"${key}" is ${what}, not text`,
      start: yamlStart + entry.keyStart,
      end: yamlStart + Math.max(entry.keyEnd, value.end),
      hint:
        what === undefined
          ? `write a value: "${example}"`
          : `write it as text, in quotes if it begins with "[" or "{"`,
    };
  }
  const spelled = head.tree.entries.find((other) => other.key.trim().toLowerCase() === key);
  if (spelled !== undefined) {
    const start = yamlStart + spelled.keyStart;
    const end = yamlStart + spelled.keyEnd;
    return {
      code,
      message: `the frontmatter has no "${key}"; the key is written "${spelled.key}"`,
      start,
      end,
      hint: `write the key as "${key}", in lower case`,
      fix: { start, end, text: key, title: `Rename "${spelled.key}" to "${key}"` },
    };
  }
  return {
    code,
    message: `the frontmatter has no "${key}"`,
    start: 0,
    end: 3,
    hint: `add a line "${example}"`,
  };
}
