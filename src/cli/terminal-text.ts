/**
 * The text of a file for a terminal.
 *
 * @module
 */
import { printable } from './printable.ts';

/**
 * Line by line, tabs kept; whatever else could steer a terminal is written out. It ends with a line end.
 *
 * @example
 * terminalText('a\tb\r\n') // 'a\tb\n'
 */
export function terminalText(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.split('\t').map(printable).join('\t'));
  const shown = lines.join('\n');
  return shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`;
}
