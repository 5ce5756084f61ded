/**
 * Unquoted values that do not survive, or that other readers type differently.
 *
 * @module
 */
import type { Finding } from './fields.ts';
import { quoteScalar } from './quote.ts';
import type { YamlNode, YamlTree } from './yaml-node.ts';

/** What YAML 1.1 readers take for a boolean and YAML 1.2 for text; `y` and `n` stand in that list only on paper. */
const BOOLEAN_1_1 = /^(?:yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$/;
/** What YAML 1.1 takes for a number and YAML 1.2 for text: `12:30`, `1_000`, `0b11`. */
const NUMBER_1_1 = /^[-+]?(?:[1-9][\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?|0b[01_]+|\d[\d_]*_[\d_]*(?:\.[\d_]*)?)$/;

/** What YAML 1.1 readers take an unquoted scalar for that is text in YAML 1.2; undefined where both read text. */
export function typeInYaml11(source: string): 'a boolean' | 'a number' | undefined {
  if (BOOLEAN_1_1.test(source)) return 'a boolean';
  return NUMBER_1_1.test(source) ? 'a number' : undefined;
}

/**
 * A finding for each unquoted number whose spelling JSON does not keep (`1.10`, `007`), and for each unquoted key or
 * value that YAML 1.1 readers type differently (`yes`, `12:30`). Dates are text for every reader that emits JSON.
 *
 * Direct values of `metadata` that are numbers are left to the rule that wants strings there, and so are `name`,
 * `description` and `compatibility`.
 *
 * @example
 * ambiguousScalars(tree)
 */
export function ambiguousScalars(tree: YamlTree): readonly Finding[] {
  const findings: Finding[] = [];
  for (const entry of tree.entries) {
    checkKey(entry.key, entry.keyStyle, entry.keyStart, entry.keyEnd, findings);
    const strings = ['name', 'description', 'compatibility', 'license'].includes(entry.key);
    if (entry.key === 'metadata' && entry.value.entries && entry.value.style !== 'alias') {
      for (const field of entry.value.entries) {
        checkKey(field.key, field.keyStyle, field.keyStart, field.keyEnd, findings);
        walk(field.value, `metadata.${field.key}`, true, findings);
      }
    } else walk(entry.value, entry.key, strings, findings);
  }
  return findings;
}

function walk(node: YamlNode, label: string, wantsString: boolean, findings: Finding[]): void {
  // What an alias repeats is reported where it is written.
  if (node.style === 'alias') return;
  if (node.items) for (const item of node.items) walk(item, label, false, findings);
  else if (node.entries) {
    for (const entry of node.entries) {
      checkKey(entry.key, entry.keyStyle, entry.keyStart, entry.keyEnd, findings);
      walk(entry.value, `${label}.${entry.key}`, false, findings);
    }
  } else checkScalar(node, label, wantsString, findings);
}

function checkScalar(node: YamlNode, label: string, wantsString: boolean, findings: Finding[]): void {
  const { source, json, style, start, end } = node;
  if (style !== 'plain' || source === undefined) return;
  const text = quoteScalar(source);
  const fix = { start, end, text, title: `Put the value of ${label} in quotes` };
  if (typeof json === 'number') {
    if (wantsString || String(json) === source) return;
    findings.push({
      code: 'NUMBER_RESPELLED',
      message: `"${label}" is the number ${json}; its spelling ${source} is lost`,
      start,
      end,
      hint: `quote it if the spelling matters: ${text}`,
      fix,
    });
  } else if (typeof json === 'string') {
    const taken = typeInYaml11(source);
    if (taken === undefined) return;
    // Where a string is wanted the author can have meant nothing else.
    const isText = wantsString || taken === 'a number';
    findings.push({
      code: 'AMBIGUOUS_SCALAR',
      message: `"${label}" is the text ${source}, and YAML 1.1 readers take it for ${taken}`,
      start,
      end,
      hint: isText ? `quote it: ${text}` : `write true or false for a boolean, ${text} for a text`,
      ...(isText && { fix }),
    });
  }
}

function checkKey(key: string, style: string, start: number, end: number, findings: Finding[]): void {
  if (style !== 'plain' || !BOOLEAN_1_1.test(key)) return;
  const text = quoteScalar(key);
  findings.push({
    code: 'AMBIGUOUS_SCALAR',
    message: `the key ${key} is text, and YAML 1.1 readers take it for a boolean`,
    start,
    end,
    hint: `quote it: ${text}`,
    fix: { start, end, text, title: `Put the key ${key} in quotes` },
  });
}
