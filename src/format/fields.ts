/**
 * The rules for the values of frontmatter fields.
 *
 * @module
 */
import { ambiguousScalars } from './ambiguous.ts';
import type { OffsetFix } from './fault.ts';
import { nameProblem } from './name.ts';
import { quoteScalar } from './quote.ts';
import { suggest } from './suggest.ts';
import type { YamlEntry, YamlNode, YamlTree } from './yaml-node.ts';

/** One broken rule; offsets count from the start of the YAML text. */
export interface Finding {
  /** A key of `RULES`. */
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hint: string;
  readonly fix?: OffsetFix;
}

/** Characters of a description; well-known indexes count UTF-16 units instead. */
export const MAX_DESCRIPTION = 1_024;
/** Characters of `compatibility`. */
export const MAX_COMPATIBILITY = 500;
const RESERVED_PREFIX = 'io.modelcontextprotocol/';
/** The fields of the Agent Skills specification. */
const SPEC_FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

/**
 * Every field rule that a frontmatter breaks (requirements S5, S26; design decision 6). Absent fields are no findings.
 *
 * @example
 * checkFields(tree, yaml).map((finding) => finding.code)
 */
export function checkFields(tree: YamlTree, yaml: string): readonly Finding[] {
  const findings: Finding[] = [];
  for (const entry of tree.entries) {
    switch (entry.key) {
      case 'name':
        findings.push(...checkName(entry));
        break;
      case 'description':
        findings.push(...checkDescription(entry, yaml));
        break;
      case 'compatibility':
        findings.push(...checkCompatibility(entry));
        break;
      case 'metadata':
        findings.push(...checkMetadata(entry));
        break;
      case 'license':
        if (typeof entry.value.json !== 'string') findings.push(notString(entry, 'LICENSE_NOT_STRING'));
        break;
      case 'allowed-tools':
        if (typeof entry.value.json !== 'string') findings.push(toolsNotString(entry));
        break;
      default:
        findings.push(unknownKey(entry, tree));
    }
  }
  findings.push(...ambiguousScalars(tree));
  return findings;
}

function at(node: YamlNode): { readonly start: number; readonly end: number } {
  return { start: node.start, end: Math.max(node.end, node.start) };
}

function kindOf(node: YamlNode): string {
  if (node.items) return 'a list';
  if (node.entries) return 'a mapping';
  if (node.json === null) return node.source ? `null (${node.source})` : 'empty';
  if (typeof node.json === 'boolean') return `the boolean ${String(node.source)}`;
  if (typeof node.json !== 'number') return 'not a string';
  return String(node.json) === node.source
    ? `the number ${node.json}`
    : `the number ${node.json}, written ${String(node.source)}`;
}

/**
 * Puts an unquoted scalar in quotes, which is what the author who wrote it as text meant. Whoever wrote `null` or `~`
 * meant no text at all.
 */
function quoteFix(node: YamlNode, key: string): OffsetFix | undefined {
  if (!node.source || node.style !== 'plain' || node.json === null) return undefined;
  return { ...at(node), text: quoteScalar(node.source), title: `Put the value of ${key} in quotes` };
}

function notString(entry: YamlEntry, code: string): Finding {
  const { key, value } = entry;
  const fix = quoteFix(value, key);
  return {
    code,
    message: `"${key}" is ${kindOf(value)}; it must be a string`,
    ...at(value),
    hint: fix === undefined ? 'write it as text' : `quote it: ${key}: ${fix.text}`,
    ...(fix && { fix }),
  };
}

function checkName(entry: YamlEntry): Finding[] {
  const { value } = entry;
  const source = value.source ?? '';
  if (source.trim() === '') return source === '' ? [] : [blank(entry, 'FRONTMATTER_MISSING_NAME')];
  const problem = nameProblem(source);
  const findings: Finding[] = [];
  if (problem !== undefined) {
    const trimmed = source.trim();
    const trims = trimmed !== source && nameProblem(trimmed) === undefined;
    findings.push({
      code: 'INVALID_SKILL_NAME',
      message: problem.message,
      ...at(value),
      hint: problem.hint,
      ...(trims && { fix: { ...at(value), text: endLine(value, trimmed), title: 'Trim the name' } }),
    });
  }
  if (typeof value.json !== 'string') findings.push(notString(entry, 'NAME_NOT_STRING'));
  return findings;
}

/** The range of a block scalar takes in its last line end. */
function endLine(node: YamlNode, text: string): string {
  return node.style === 'literal' || node.style === 'folded' ? `${text}\n` : text;
}

function blank(entry: YamlEntry, code: string): Finding {
  return {
    code,
    message: `"${entry.key}" is blank`,
    ...at(entry.value),
    hint:
      entry.key === 'name' ? 'write the name of the folder' : 'say what the skill does and when to use it',
  };
}

function checkDescription(entry: YamlEntry, yaml: string): Finding[] {
  const { value } = entry;
  const source = value.source ?? '';
  if (source.trim() === '') return source === '' ? [] : [blank(entry, 'FRONTMATTER_MISSING_DESCRIPTION')];
  if (typeof value.json !== 'string') return [notString(entry, 'DESCRIPTION_NOT_STRING')];
  const findings: Finding[] = [];
  const length = codePoints(source);
  if (length > MAX_DESCRIPTION) {
    findings.push({
      code: 'DESCRIPTION_TOO_LONG',
      message: `the description is ${count(length)} characters long; the limit is ${count(MAX_DESCRIPTION)}`,
      ...at(value),
      hint: `shorten it by ${count(length - MAX_DESCRIPTION)} and move the details into the body`,
    });
  } else if (source.length > MAX_DESCRIPTION) {
    findings.push({
      code: 'DESCRIPTION_TOO_LONG_FOR_WELL_KNOWN',
      message: `the description is ${count(source.length)} UTF-16 units long; well-known indexes take ${count(MAX_DESCRIPTION)}`,
      ...at(value),
      hint: 'shorten it, or use fewer characters such as emoji, which count twice there',
    });
  }
  if (value.style === 'plain') {
    const lineEnd = yaml.indexOf('\n', value.end);
    const rest = yaml.slice(value.end, lineEnd === -1 ? yaml.length : lineEnd);
    if (/^[ \t]+#/.test(rest)) {
      findings.push({
        code: 'DESCRIPTION_CUT_BY_COMMENT',
        message: `the description ends at " #", where a YAML comment begins: ${JSON.stringify(rest.trim().slice(0, 60))} is not part of it`,
        start: value.end,
        end: value.end + rest.trimEnd().length,
        hint: 'put the description in quotes if the text after "#" belongs to it',
      });
    }
  }
  return findings;
}

function checkCompatibility(entry: YamlEntry): Finding[] {
  const { value } = entry;
  const code = 'COMPATIBILITY_INVALID';
  if (typeof value.json !== 'string') return [notString(entry, code)];
  const length = codePoints(value.json);
  if (length >= 1 && length <= MAX_COMPATIBILITY) return [];
  return [
    {
      code,
      message:
        length === 0
          ? '"compatibility" is empty'
          : `"compatibility" is ${count(length)} characters long; the limit is ${count(MAX_COMPATIBILITY)}`,
      ...at(value),
      hint: length === 0 ? 'write what the skill needs, or remove the field' : 'shorten it',
    },
  ];
}

function checkMetadata(entry: YamlEntry): Finding[] {
  const { value } = entry;
  if (value.entries === undefined) {
    return [
      {
        code: 'METADATA_NOT_MAPPING',
        message: `"metadata" is ${kindOf(value)}; it must map strings to strings`,
        start: Math.min(entry.keyStart, value.start),
        end: Math.max(entry.keyEnd, value.end),
        hint: 'write one indented "key: value" a line below "metadata:", or remove the field',
      },
    ];
  }
  const findings: Finding[] = [];
  for (const field of value.entries) {
    if (typeof field.value.json !== 'string') {
      const label = `metadata.${field.key}`;
      const fix = quoteFix(field.value, label);
      findings.push({
        code: 'METADATA_VALUE_NOT_STRING',
        message: `"${label}" is ${kindOf(field.value)}; it must be a string`,
        start: Math.min(field.value.start, field.value.end),
        end: Math.max(field.value.end, field.value.start),
        hint:
          fix === undefined
            ? 'write it as one string, for example in quotes with commas between the parts'
            : `quote it: ${field.key}: ${fix.text}`,
        ...(fix && { fix }),
      });
    }
    if (field.key.startsWith(RESERVED_PREFIX)) {
      findings.push({
        code: 'METADATA_RESERVED_KEY',
        message: `the metadata key "${field.key}" is reserved: "${RESERVED_PREFIX}" belongs to the protocol`,
        start: field.keyStart,
        end: field.keyEnd,
        hint: 'give the key a prefix of your own, such as "com.example/"',
      });
    }
  }
  return findings;
}

function toolsNotString(entry: YamlEntry): Finding {
  const { value } = entry;
  const items = value.items?.map((item) => item.json);
  const words = items?.every((item): item is string => typeof item === 'string' && /^\S+$/.test(item))
    ? items.join(' ')
    : undefined;
  return {
    code: 'ALLOWED_TOOLS_NOT_STRING',
    message: `"allowed-tools" is ${kindOf(value)}; it must be a string`,
    ...at(value),
    hint:
      words === undefined || words === ''
        ? 'write the tools in one string with spaces between them: allowed-tools: Read Grep'
        : `write the tools in one string: allowed-tools: ${quoteScalar(words)}`,
  };
}

function unknownKey(entry: YamlEntry, tree: YamlTree): Finding {
  const { key, keyStart, keyEnd } = entry;
  const place = { start: keyStart, end: keyEnd };
  if (key === '__proto__') {
    return {
      code: 'PROTO_KEY',
      message: 'the key "__proto__" makes released clients refuse the whole listing',
      ...place,
      hint: 'rename the key',
    };
  }
  const meant = suggest(key, SPEC_FIELDS);
  const taken = meant !== undefined && Object.hasOwn(tree.json, meant);
  return {
    code: 'UNKNOWN_KEY',
    message: `"${key}" is no field of the Agent Skills specification; it is passed on as it is`,
    ...place,
    hint:
      meant !== undefined && !taken
        ? `did you mean "${meant}"?`
        : 'move it below "metadata" as a string, unless a client you serve reads it here',
  };
}

function codePoints(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        length--;
        index++;
      }
    }
  }
  return length;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
