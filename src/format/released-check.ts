/**
 * Whether released clients read a frontmatter, and read the same.
 *
 * @module
 */

import type { OffsetFix } from './fault.ts';
import type { Finding } from './fields.ts';
import type { Head } from './head.ts';
import { quoteScalar } from './quote.ts';
import { readReleased } from './released-reader.ts';
import { sameJson } from './same-json.ts';
import type { YamlNode, YamlTree } from './yaml-node.ts';

const CODE = 'OUTSIDE_RELEASED_READER';
const LEAD = 'released clients cannot read this frontmatter';

/**
 * The finding for a frontmatter that released clients refuse or read differently, or undefined.
 *
 * Such a client lists the skill and then fails to read it. Offsets count from the start of the YAML text.
 *
 * @example
 * checkReleased(readHead('---\nname: "a\n  b"\ndescription: c\n---\n'))?.code // 'OUTSIDE_RELEASED_READER'
 */
export function checkReleased(head: Head): Finding | undefined {
  const odd = checkFences(head);
  if (odd !== undefined || head.simple) return odd;
  const yaml = head.text.slice(head.yamlStart);
  const { tree } = head;
  const reading = readReleased(yaml);
  if (reading.json === undefined) {
    const { offset, reason, hint } = reading;
    const node = scalarAt(tree, yaml, offset);
    const fix = node && requoteFix(tree, yaml, node);
    const lineEnd = yaml.indexOf('\n', offset);
    return {
      code: CODE,
      message: `${LEAD}: ${reason}`,
      start: offset,
      end: lineEnd === -1 ? yaml.length : lineEnd,
      hint,
      ...(fix && { fix }),
    };
  }
  if (sameJson(reading.json, tree.json)) return undefined;
  const { json } = reading;
  const entry = tree.entries.find(
    ({ key, value }) => !Object.hasOwn(json, key) || !sameJson(json[key] ?? null, value.json),
  );
  const node = entry?.value ?? tree;
  const fix = entry && requoteFix(tree, yaml, node);
  return {
    code: CODE,
    message: `released clients read the value of "${entry?.key ?? ''}" differently`,
    start: node.start,
    end: Math.max(node.start, node.end),
    hint: 'write the value in quotes on one line',
    ...(fix && { fix }),
  };
}

function checkFences(head: Head): Finding | undefined {
  const start = -head.yamlStart;
  switch (head.oddity) {
    case 'padded-fence':
      return {
        code: CODE,
        message: `${LEAD}: spaces follow the opening "---"`,
        start: start + 3,
        end: -1,
        hint: 'remove the spaces after the opening "---"',
        fix: { start: start + 3, end: -1, text: '', title: 'Remove the spaces after the opening "---"' },
      };
    case 'lone-cr':
      return {
        code: CODE,
        message: `${LEAD}: a line ends with CR alone`,
        start,
        end: start + 3,
        hint: 'save the file with LF or CRLF line ends',
      };
    case 'separator-fence':
      return {
        code: CODE,
        message: `${LEAD}: "---" follows a Unicode line separator, and they take it for the closing fence`,
        start,
        end: start + 3,
        hint: 'replace the Unicode line separator (U+2028 or U+2029) by a space',
      };
    case undefined:
      return undefined;
  }
}

/** The scalar that stands on the line of `offset`, or spans it. */
function scalarAt(tree: YamlTree, yaml: string, offset: number): YamlNode | undefined {
  const lineStart = offset === 0 ? 0 : yaml.lastIndexOf('\n', offset - 1) + 1;
  const found = yaml.indexOf('\n', offset);
  const lineEnd = found === -1 ? yaml.length : found;
  let best: YamlNode | undefined;
  const open: YamlNode[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.style === 'alias' || node.start > lineEnd || node.end < lineStart) continue;
    if (node.entries) open.push(...node.entries.map((entry) => entry.value));
    else if (node.items) open.push(...node.items);
    else if (node.start <= offset && offset < node.end) return node;
    else if (node.source && node.start >= lineStart) best = node;
  }
  return best;
}

/** A string as a quoted scalar on one line, if released readers then get the values that YAML has now. */
function requoteFix(tree: YamlTree, yaml: string, node: YamlNode): OffsetFix | undefined {
  if (node.source === undefined || typeof node.json !== 'string') return undefined;
  const block = node.style === 'literal' || node.style === 'folded';
  const text = quoteScalar(node.json) + (block && yaml[node.end - 1] === '\n' ? '\n' : '');
  const fixed = readReleased(yaml.slice(0, node.start) + text + yaml.slice(node.end));
  if (fixed.json === undefined || !sameJson(fixed.json, tree.json)) return undefined;
  return { start: node.start, end: node.end, text, title: 'Write the value in quotes on one line' };
}
