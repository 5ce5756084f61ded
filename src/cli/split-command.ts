/**
 * A command line in one text, taken apart into its words.
 *
 * @module
 */
import { usageError } from './usage.ts';

/**
 * The words of `text` as a shell would see them, with nothing expanded: quotes hold a word together, and a backslash takes
 * the next character as it is, except on Windows, where it stands in paths. No shell is ever asked.
 *
 * Errors: `USAGE` for a quote that is never closed, and when there is no word.
 *
 * @example
 * splitCommand("npx 'my server' --flag") // ['npx', 'my server', '--flag']
 */
export function splitCommand(text: string, platform: NodeJS.Platform = process.platform): string[] {
  const words: string[] = [];
  const escapes = platform !== 'win32';
  let word: string | undefined;
  let quote: string | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    const next = text.charAt(index + 1);
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === undefined && (character === '"' || (character === "'" && escapes))) {
      quote = character;
      word ??= '';
    } else if (character === quote) {
      quote = undefined;
    } else if (
      escapes &&
      character === '\\' &&
      next !== '' &&
      (quote === undefined || isEscaped(quote, next))
    ) {
      word = (word ?? '') + next;
      index += 1;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) {
    throw usageError(
      `the command has a ${quote} that is never closed`,
      "write it as 'stdio:node server.js --flag'",
    );
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0)
    throw usageError('stdio: has no command', "write it as 'stdio:node server.js --flag'");
  return words;
}

/** Within double quotes a backslash stands for itself before most characters; within single ones before all. */
function isEscaped(quote: string, next: string): boolean {
  return quote === '"' && (next === '"' || next === '\\');
}
