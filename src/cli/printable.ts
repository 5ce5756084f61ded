/**
 * Text of others made safe for a terminal.
 *
 * @module
 */

// Controls can move the cursor or rewrite the screen; bidirectional marks can reorder what is read; a lone
// surrogate has no UTF-8 form.
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * `text` with every character that could steer a terminal written as `\u{hex}`; one line stays one line.
 *
 * @example
 * printable('a\u001b[2Jb') // 'a\\u{1b}[2Jb'
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeOf);
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
