/**
 * What a command is called in messages and records.
 *
 * @module
 */
import { printableUrl } from '../net/index.ts';
import { shellWord } from './shell-word.ts';

const CREDENTIAL = /token|secret|passw|auth|cookie|api[-_]?key|credential|header|bearer|-key$|_key$/i;
/** What no person writes: keys and tokens are long, of one piece, and mix letters with digits. */
const OPAQUE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_+=.-]{24,}$/;
const HIDDEN = '…';

/**
 * `stdio:` and the words of a command, with a dash of caution: the values of flags and variables whose name speaks of a
 * credential, bearer tokens, the queries of URLs, and long words of letters and digits are shown as `…`. The label stays
 * the same when a token changes, so it also tells whether two commands are the same server.
 *
 * @example
 * commandLabel(['npx', 'server', '--token', 'abc']) // 'stdio:npx server --token …'
 */
export function commandLabel(words: readonly string[]): string {
  const shown: string[] = [];
  let hideNext = false;
  for (const word of words) {
    const isFlag = word.startsWith('-');
    shown.push(hideNext && !isFlag ? HIDDEN : shownWord(word));
    hideNext = isFlag && !word.includes('=') && (CREDENTIAL.test(word) || word === '-H');
  }
  return `stdio:${shown.map((word) => (word.includes(HIDDEN) ? word : shellWord(word, 'linux'))).join(' ')}`;
}

function shownWord(word: string): string {
  if (/^https?:\/\//i.test(word)) return printableUrl(word);
  if (/\bbearer\s|\bbasic\s/i.test(word) || OPAQUE.test(word)) return HIDDEN;
  const equals = word.indexOf('=');
  if (equals === -1) return word;
  const name = word.slice(0, equals);
  const value = word.slice(equals + 1);
  return `${name}=${CREDENTIAL.test(name) ? HIDDEN : shownWord(value)}`;
}
