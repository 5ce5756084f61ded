/**
 * The arguments that a prompt's frontmatter declares.
 *
 * @module
 */
import type { Finding } from '../format/fields.ts';
import type { YamlEntry, YamlNode } from '../format/yaml-node.ts';
import { quote } from '../uri/quote.ts';
import { kindOf, notText, type Place, placeOf, unknownKey } from './finding.ts';
import { isArgumentName, MAX_ARGUMENT_NAME } from './placeholders.ts';
import type { PromptArgument } from './prompt.ts';

const KEYS = ['name', 'description', 'required', 'values'];
const INVALID = 'PROMPT_ARGUMENTS_INVALID';
/** What other readers of YAML, and people, take for a boolean. */
const BOOLEANS: Readonly<Record<string, string>> = {
  true: 'true',
  yes: 'true',
  on: 'true',
  false: 'false',
  no: 'false',
  off: 'false',
};

/** The arguments, and where each stands by its name; what is wrong is added to `findings`. */
export function readArguments(
  value: YamlNode,
  findings: Finding[],
): { readonly arguments: readonly PromptArgument[]; readonly places: ReadonlyMap<string, Place> } {
  const places = new Map<string, Place>();
  if (value.items === undefined) {
    findings.push({
      code: INVALID,
      message: `"arguments" is ${kindOf(value)}; it must be a list`,
      ...placeOf(value),
      hint: 'write one "- name: …" for each argument, indented below "arguments:"',
    });
    return { arguments: [], places };
  }
  const read: PromptArgument[] = [];
  for (const item of value.items) {
    const argument = item.entries === undefined ? notMapping(item, findings) : readArgument(item, findings);
    if (argument === undefined) continue;
    if (places.has(argument.name)) {
      findings.push({
        code: 'PROMPT_ARGUMENT_REPEATED',
        message: `there are two arguments ${quote(argument.name)}`,
        ...placeOf(item),
        hint: 'keep one of the two',
      });
      continue;
    }
    places.set(argument.name, nameEntry(item)?.value ?? item);
    read.push(argument);
  }
  return { arguments: read, places };
}

function nameEntry(item: YamlNode): YamlEntry | undefined {
  return item.entries?.find(({ key }) => key === 'name');
}

function notMapping(item: YamlNode, findings: Finding[]): undefined {
  const name =
    typeof item.json === 'string' && item.style === 'plain' && isArgumentName(item.json) ? item.json : '';
  const fixable = /^[A-Za-z][\w-]*$/.test(name);
  findings.push({
    code: INVALID,
    message: `an argument is ${kindOf(item)}; it must be a mapping with a "name"`,
    ...placeOf(item),
    hint: fixable ? `write "- name: ${name}"` : 'write "- name: …"',
    ...(fixable && {
      fix: { ...placeOf(item), text: `{ name: ${name} }`, title: `Write the argument ${name} as a mapping` },
    }),
  });
  return undefined;
}

function readArgument(item: YamlNode, findings: Finding[]): PromptArgument | undefined {
  const name = readName(item, findings);
  let description: string | undefined;
  let required = false;
  let values: readonly string[] | undefined;
  for (const entry of item.entries ?? []) {
    const { key, value } = entry;
    if (key === 'description') {
      if (typeof value.json === 'string' && value.json.trim() !== '') description = value.json;
      else findings.push(notText(INVALID, 'the description of an argument', value));
    } else if (key === 'required') {
      if (typeof value.json === 'boolean') required = value.json;
      else findings.push(notBoolean(value));
    } else if (key === 'values') values = readValues(value, findings);
    else if (key !== 'name') findings.push(unknownArgumentKey(entry, item.entries ?? []));
  }
  if (name === undefined) return undefined;
  return {
    name,
    ...(description !== undefined && { description }),
    required,
    ...(values !== undefined && { values }),
  };
}

function readName(item: YamlNode, findings: Finding[]): string | undefined {
  const value = nameEntry(item)?.value;
  if (value === undefined) {
    findings.push({
      code: INVALID,
      message: 'an argument has no "name"',
      ...placeOf(item),
      hint: 'add "name: …"',
    });
    return undefined;
  }
  if (typeof value.json !== 'string' || value.json.trim() === '') {
    findings.push(notText(INVALID, 'the name of an argument', value));
    return undefined;
  }
  if (isArgumentName(value.json)) return value.json;
  const long = value.json.length > MAX_ARGUMENT_NAME;
  findings.push({
    code: INVALID,
    message: long
      ? `the name of an argument has ${value.json.length} characters; the limit is ${MAX_ARGUMENT_NAME}`
      : `${quote(value.json)} cannot name an argument: it holds a space, a brace or a control character`,
    ...placeOf(value),
    hint: 'use letters, digits, "-" and "_"',
  });
  return undefined;
}

function notBoolean(value: YamlNode): Finding {
  const meant = typeof value.json === 'string' ? BOOLEANS[value.json.toLowerCase()] : undefined;
  const scalar = value.style === 'plain' || value.style === 'single' || value.style === 'double';
  return {
    code: INVALID,
    message: `"required" is ${kindOf(value)}; it must be true or false`,
    ...placeOf(value),
    hint: meant === undefined ? 'write "required: true", or remove it' : `write "required: ${meant}"`,
    ...(meant !== undefined &&
      scalar && { fix: { ...placeOf(value), text: meant, title: `Write ${meant}` } }),
  };
}

function readValues(value: YamlNode, findings: Finding[]): readonly string[] | undefined {
  if (value.items === undefined) {
    findings.push({
      code: INVALID,
      message: `"values" is ${kindOf(value)}; it must be a list of texts`,
      ...placeOf(value),
      hint: 'write "values: [one, two]", or remove it',
    });
    return undefined;
  }
  const values = new Set<string>();
  for (const item of value.items) {
    if (typeof item.json === 'string') values.add(item.json);
    else findings.push(notText(INVALID, 'a value of an argument', item));
  }
  return [...values];
}

function unknownArgumentKey(entry: YamlEntry, siblings: readonly YamlEntry[]): Finding {
  const finding = unknownKey(entry, KEYS, siblings);
  return entry.key === 'default'
    ? { ...finding, hint: 'arguments have no default: an optional one that is not given is empty' }
    : finding;
}
