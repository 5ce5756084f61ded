/**
 * What is said about values and keys of a prompt.
 *
 * @module
 */
import type { Finding } from '../format/fields.ts';
import { quoteScalar } from '../format/quote.ts';
import { suggest } from '../format/suggest.ts';
import type { YamlEntry, YamlNode } from '../format/yaml-node.ts';
import { quote } from '../uri/quote.ts';

/** Offsets into the YAML text. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What a value is, for a message. */
export function kindOf(node: YamlNode): string {
  if (node.items) return 'a list';
  if (node.entries) return 'a mapping';
  if (node.json === null) return node.source ? `null (${node.source})` : 'empty';
  if (typeof node.json === 'string')
    return node.json.trim() === '' ? 'blank' : `the text ${quote(node.json)}`;
  return typeof node.json === 'boolean' ? `the boolean ${node.json}` : `the number ${String(node.source)}`;
}

/** The place of a value; one that is empty has none of its own. */
export function placeOf(node: YamlNode): Place {
  return { start: node.start, end: Math.max(node.start, node.end) };
}

/** The finding for a value that is no text, or a blank one. */
export function notText(code: string, what: string, value: YamlNode): Finding {
  const quotable = value.style === 'plain' && value.source !== undefined && value.source !== '';
  const text = quotable ? quoteScalar(value.source ?? '') : '';
  return {
    code,
    message: `${what} is ${kindOf(value)}; it must be text`,
    ...placeOf(value),
    hint: quotable ? `quote it: ${text}` : 'write it as text, or remove it',
    ...(quotable && { fix: { ...placeOf(value), text, title: `Put the value of ${what} in quotes` } }),
  };
}

/** The finding for a key that is not among `keys`; the one that was meant is named when it is not there already. */
export function unknownKey(
  entry: YamlEntry,
  keys: readonly string[],
  siblings: readonly YamlEntry[],
): Finding {
  const meant = suggest(
    entry.key,
    keys.filter((key) => !siblings.some((sibling) => sibling.key === key)),
  );
  return {
    code: 'PROMPT_UNKNOWN_KEY',
    message: `${quote(entry.key)} means nothing here; it stays in the document`,
    start: entry.keyStart,
    end: entry.keyEnd,
    hint: meant === undefined ? `keys are ${keys.join(', ')}` : `did you mean "${meant}"?`,
  };
}
