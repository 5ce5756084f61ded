/**
 * What is wrong with a text that is no YAML, in words an author can act on.
 *
 * @module
 */
import type { ErrorCode } from 'yaml';
import type { Fault } from './fault.ts';
import { closingBracket, closingQuote } from './yaml-brackets.ts';
import { checkedFix, type FaultContext, type Recheck, yamlFault } from './yaml-fault.ts';
import { entriesOf, entryAt, findColon, lineEndOf, lineStartOf } from './yaml-lines.ts';
import { explainValue } from './yaml-value-faults.ts';

const BY_CODE: Readonly<Partial<Record<ErrorCode, readonly [message: string, hint: string]>>> = {
  BAD_INDENT: [
    'the line does not line up with the lines around it',
    'give all keys of one level the same indentation',
  ],
  BAD_DQ_ESCAPE: [
    'the double-quoted value holds a backslash that begins no known escape',
    'write the backslash twice, or use single quotes, where a backslash is plain text',
  ],
  BAD_DIRECTIVE: ['"%" begins a YAML directive, which a frontmatter cannot have', 'remove the line'],
  BAD_ALIAS: ['"*" begins an alias in YAML', 'put the value in quotes if the "*" belongs to its text'],
  MULTIPLE_ANCHORS: [
    'the value has two anchors ("&")',
    'put the value in quotes if the "&" belongs to its text',
  ],
  MULTIPLE_TAGS: ['the value has two tags ("!")', 'put the value in quotes if the "!" belongs to its text'],
  KEY_OVER_1024_CHARS: [
    'a key is longer than 1,024 characters',
    'put a line end or a quote where the key should end',
  ],
};

/**
 * The fault for the first error of the YAML library, by looking at the lines it stands in.
 *
 * A fix is proposed only when the text reads further with it than without.
 *
 * @example
 * explainYamlError('a: b: c\n', 'BLOCK_AS_IMPLICIT_KEY', 3, 4, recheck).message
 */
export function explainYamlError(
  text: string,
  code: ErrorCode,
  start: number,
  end: number,
  recheck: Recheck,
): Fault {
  const context: FaultContext = { text, start, end: Math.max(start, end), recheck };
  if (code === 'TAB_AS_INDENT') {
    return yamlFault(
      context,
      'a tab stands where YAML wants spaces as indentation',
      'remove the tab, or replace it by spaces where the line belongs to the value above',
    );
  }
  const found = explainUnclosed(context, code) ?? explainLine(context);
  if (found !== undefined) return found;
  const entry = entryAt(text, start);
  const value = entry && explainValue(context, entry);
  if (value !== undefined) return value;
  const [message, hint] = BY_CODE[code] ?? [
    'the text is not valid YAML here',
    'write one "key: value" a line, and put a value with special characters in quotes',
  ];
  return yamlFault(context, message, hint);
}

/** A quote or bracket that is never closed shows only lines later, where it swallowed what follows. */
function explainUnclosed(context: FaultContext, code: ErrorCode): Fault | undefined {
  if (code !== 'MISSING_CHAR' && code !== 'BAD_INDENT') return undefined;
  const { text, start } = context;
  for (const entry of entriesOf(text)) {
    if (entry.keyStart > start) return undefined;
    const first = text[entry.valueStart] ?? '';
    const open =
      first === '"' || first === "'"
        ? closingQuote(text, entry.valueStart, entry.valueEnd, first) === -1
        : (first === '[' || first === '{') && closingBracket(text, entry.valueStart, entry.valueEnd) === -1;
    if (open) return explainValue(context, entry);
  }
  return undefined;
}

/** Lines that are wrong by themselves, whatever stands around them. */
function explainLine(context: FaultContext): Fault | undefined {
  const { text } = context;
  const start = lineStartOf(text, context.start);
  const end = lineEndOf(text, context.start);
  const line = text.slice(start, end);
  if (/^(?:---|\.\.\.)/.test(line)) {
    return yamlFault(
      context,
      `the line ${JSON.stringify(line.trim().slice(0, 40))} is no closing fence and no "key: value" line`,
      'the closing fence is a line of exactly three dashes',
      start,
      end,
    );
  }
  const glued = /^[ ]*([A-Za-z][\w-]*):(?=[^\s/:])/.exec(line);
  if (glued !== null && findColon(text, start, end) === -1) {
    const at = start + glued[0].length;
    return yamlFault(
      context,
      `"${glued[1]}:" needs a space after its colon`,
      `write "${glued[1]}: …"`,
      at - 1,
      at,
      checkedFix(context, { start: at, end: at, text: ' ', title: 'Put a space after the colon' }),
    );
  }
  const colon = findColon(text, start, end);
  if (colon === -1 && /^[A-Za-z]/.test(line)) {
    return yamlFault(
      context,
      start === 0
        ? 'the line has no "key:"'
        : 'the line has no "key:", and it is not indented as part of the value above',
      start === 0
        ? 'write one "key: value" a line'
        : 'indent the line by two spaces if it goes on with the value above, or give it a key',
      start,
      end,
    );
  }
  if (line.startsWith('%') || (start > 0 && text.startsWith('%'))) {
    return yamlFault(
      context,
      '"%" begins a YAML directive, which a frontmatter cannot have',
      'remove the line',
      0,
      1,
    );
  }
  if (/^-(?:\s|$)/.test(line)) {
    return yamlFault(
      context,
      'a list item ("- ") stands where YAML wants a key',
      'put the list below a key that has no value on its own line, or indent the line if it goes on with the text above',
      start,
      start + 1,
    );
  }
  const base = text.length - text.trimStart().length;
  if (colon !== -1 && start > 0 && /^[A-Za-z]/.test(line) && base > 0 && text[base - 1] === ' ') {
    return yamlFault(
      context,
      'the key is indented less than the first key',
      'give all keys of one level the same indentation',
      start,
      colon,
    );
  }
  return undefined;
}
