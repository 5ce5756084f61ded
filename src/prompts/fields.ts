/**
 * The keys of a prompt's frontmatter, read and judged.
 *
 * @module
 */
import { checkFields, type Finding } from '../format/fields.ts';
import type { YamlEntry, YamlNode, YamlTree } from '../format/yaml-node.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { quote } from '../uri/quote.ts';
import { readArguments } from './arguments.ts';
import { kindOf, notText, type Place, placeOf, unknownKey } from './finding.ts';
import type { PromptArgument } from './prompt.ts';

/** The keys of a prompt. */
const KEYS = ['name', 'title', 'description', 'tags', 'arguments'];

/** What the keys say, as far as they are right. */
export interface PromptFields {
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly arguments: readonly PromptArgument[];
  /** Where each argument stands, by name. */
  readonly places: ReadonlyMap<string, Place>;
  readonly findings: readonly Finding[];
}

/** The fields of a tree for the prompt with this id. A missing description is no finding here. */
export function readFields(tree: YamlTree, yaml: string, id: string): PromptFields {
  const findings: Finding[] = [];
  let title: string | undefined;
  let description = '';
  let tags: readonly string[] = [];
  let read: ReturnType<typeof readArguments> = { arguments: [], places: new Map() };
  for (const entry of tree.entries) {
    const { key, value } = entry;
    if (key === 'name') findings.push(...checkName(value, id));
    else if (key === 'title') {
      if (typeof value.json === 'string' && value.json.trim() !== '') title = value.json;
      else findings.push(notText('PROMPT_TITLE_INVALID', '"title"', value));
    } else if (key === 'description') {
      if (typeof value.json === 'string') description = value.json;
      findings.push(...checkDescription(entry, tree, yaml));
    } else if (key === 'tags') tags = readTags(value, findings);
    else if (key === 'arguments') read = readArguments(value, findings);
    else findings.push(unknownKey(entry, KEYS, tree.entries));
  }
  return { ...(title !== undefined && { title }), description, tags, ...read, findings };
}

function checkName(value: YamlNode, id: string): Finding[] {
  if (value.json === id) return [];
  const scalar = value.source !== undefined && value.style !== 'literal' && value.style !== 'folded';
  return [
    {
      code: 'PROMPT_NAME_MISMATCH',
      message: `"name" is ${kindOf(value)}; the file makes it "${id}"`,
      ...placeOf(value),
      hint: `write "name: ${id}", remove it, or rename the file`,
      ...(scalar &&
        value.source !== '' && { fix: { ...placeOf(value), text: id, title: `Write the name as "${id}"` } }),
    },
  ];
}

function checkDescription(entry: YamlEntry, tree: YamlTree, yaml: string): readonly Finding[] {
  return checkFields({ ...tree, entries: [entry] }, yaml).filter(
    ({ code }) => code !== 'DESCRIPTION_TOO_LONG_FOR_WELL_KNOWN',
  );
}

function readTags(value: YamlNode, findings: Finding[]): readonly string[] {
  if (value.items === undefined) {
    const words = typeof value.json === 'string' ? value.json.split(',').map((word) => word.trim()) : [];
    const text =
      words.length > 0 && words.every((word) => /^[a-z][\w-]*$/i.test(word)) ? words.join(', ') : '';
    const fixable = text !== '' && value.style === 'plain';
    findings.push({
      code: 'PROMPT_TAGS_INVALID',
      message: `"tags" is ${kindOf(value)}; it must be a list of texts`,
      ...placeOf(value),
      hint: text === '' ? 'write "tags: [one, two]", or remove it' : `write "tags: [${text}]"`,
      ...(fixable && { fix: { ...placeOf(value), text: `[${text}]`, title: 'Write the tags as a list' } }),
    });
    return [];
  }
  const tags = new Set<string>();
  for (const item of value.items) {
    if (typeof item.json !== 'string' || item.json.trim() === '') {
      findings.push(notText('PROMPT_TAGS_INVALID', 'a tag', item));
    } else if (tags.has(item.json)) {
      findings.push({
        code: 'PROMPT_TAG_REPEATED',
        message: `the tag ${quote(item.json)} stands twice`,
        ...placeOf(item),
        hint: 'remove one of the two',
      });
    } else tags.add(item.json);
  }
  return [...tags].sort(compareCodePoints);
}
