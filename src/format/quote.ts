/**
 * Text as a YAML scalar, for fixes.
 *
 * @module
 */

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

/**
 * `text` as a quoted YAML scalar on one line: single quotes where they suffice, since they need no escapes.
 *
 * @example
 * quoteScalar('Use for: this') // "'Use for: this'"
 */
export function quoteScalar(text: string): string {
  CONTROL.lastIndex = 0;
  if (!CONTROL.test(text) && !text.includes("'")) return `'${text}'`;
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(CONTROL, escapeControl);
  return `"${escaped}"`;
}

/**
 * `text` as a folded block scalar without a final newline, one paragraph a line, for a key at column `indent`.
 *
 * @example
 * foldScalar('One.\nTwo.', 0) // '>-\n  One.\n\n  Two.'
 */
export function foldScalar(text: string, indent: number): string {
  const pad = ' '.repeat(indent + 2);
  // n line ends of the value are n blank lines of a folded block.
  const lines = text.replace(/\n+/g, (run) => `${run}\n`).split('\n');
  return `>-\n${lines.map((line) => (line === '' ? '' : `${pad}${line}`)).join('\n')}`;
}

function escapeControl(char: string): string {
  return NAMED[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
