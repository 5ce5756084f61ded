/**
 * What is wrong with a text that is no YAML, in words an author can act on.
 *
 * @module
 */
import type { ErrorCode } from 'yaml';
import type { Fault, OffsetFix } from './fault.ts';
import { foldScalar, quoteScalar } from './quote.ts';
import {
  entriesOf,
  entryAt,
  findColon,
  joinPlain,
  type LooseEntry,
  lineEndOf,
  lineStartOf,
  skipBlanks,
} from './yaml-lines.ts';

/** Reads a corrected text and says where its first fault is, if there is one. */
type Recheck = (text: string) => number | undefined;

interface Context {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly recheck: Recheck;
}

const SPEC_KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
const RESERVED_START = new Set(['@', '`', '%', ',', ']', '}', '*', '&', '!']);

const BY_CODE: Readonly<Partial<Record<ErrorCode, readonly [message: string, hint: string]>>> = {
  BAD_INDENT: [
    'the line does not line up with the lines around it',
    'Give all keys of one level the same indentation.',
  ],
  BAD_DQ_ESCAPE: [
    'the double-quoted value holds a backslash that begins no known escape',
    'Write the backslash twice, or use single quotes, where a backslash is plain text.',
  ],
  BAD_DIRECTIVE: ['"%" begins a YAML directive, which a frontmatter cannot have', 'Remove the line.'],
  BAD_ALIAS: ['"*" begins an alias in YAML', 'Put the value in quotes if the "*" belongs to its text.'],
  MULTIPLE_ANCHORS: [
    'the value has two anchors ("&")',
    'Put the value in quotes if the "&" belongs to its text.',
  ],
  MULTIPLE_TAGS: ['the value has two tags ("!")', 'Put the value in quotes if the "!" belongs to its text.'],
  KEY_OVER_1024_CHARS: [
    'a key is longer than 1,024 characters',
    'Put a line end or a quote where the key should end.',
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
  const context: Context = { text, start, end: Math.max(start, end), recheck };
  if (code === 'TAB_AS_INDENT') {
    return fault(
      context,
      'a tab stands where YAML wants spaces as indentation',
      'Replace the tab by spaces.',
    );
  }
  const found = explainUnclosed(context, code) ?? explainLine(context);
  if (found !== undefined) return found;
  const entry = entryAt(text, start);
  const value = entry && explainValue(context, entry);
  if (value !== undefined) return value;
  const [message, hint] = BY_CODE[code] ?? [
    'the text is not valid YAML here',
    'Write one "key: value" a line, and put a value with special characters in quotes.',
  ];
  return fault(context, message, hint);
}

function fault(
  context: Context,
  message: string,
  hint: string,
  start: number = context.start,
  end: number = context.end,
  fix?: OffsetFix,
): Fault {
  return { code: 'INVALID_YAML', message, start, end, hint, ...(fix && { fix }) };
}

/** A quote or bracket that is never closed shows only lines later, where it swallowed what follows. */
function explainUnclosed(context: Context, code: ErrorCode): Fault | undefined {
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
function explainLine(context: Context): Fault | undefined {
  const { text } = context;
  const start = lineStartOf(text, context.start);
  const end = lineEndOf(text, context.start);
  const line = text.slice(start, end);
  if (/^(?:---|\.\.\.)/.test(line)) {
    return fault(
      context,
      `the line ${JSON.stringify(line.trim().slice(0, 40))} is no closing fence and no "key: value" line`,
      'The closing fence is a line of exactly three dashes.',
      start,
      end,
    );
  }
  const glued = /^[ ]*([A-Za-z][\w-]*):(?=[^\s/:])/.exec(line);
  if (glued !== null && findColon(text, start, end) === -1) {
    const at = start + glued[0].length;
    return fault(
      context,
      `"${glued[1]}:" needs a space after its colon`,
      `Write "${glued[1]}: …".`,
      at - 1,
      at,
      checked(context, { start: at, end: at, text: ' ', title: 'Put a space after the colon' }),
    );
  }
  const colon = findColon(text, start, end);
  if (colon === -1 && /^[A-Za-z]/.test(line)) {
    return fault(
      context,
      start === 0
        ? 'the line has no "key:"'
        : 'the line has no "key:", and it is not indented as part of the value above',
      start === 0
        ? 'Write one "key: value" a line.'
        : 'Indent the line by two spaces if it goes on with the value above, or give it a key.',
      start,
      end,
    );
  }
  if (line.startsWith('%') || (start > 0 && text.startsWith('%'))) {
    return fault(
      context,
      '"%" begins a YAML directive, which a frontmatter cannot have',
      'Remove the line.',
      0,
      1,
    );
  }
  if (/^-(?:\s|$)/.test(line)) {
    return fault(
      context,
      'a list item ("- ") stands where YAML wants a key',
      'Put the list below a key that has no value on its own line, or indent the line if it goes on with the text above.',
      start,
      start + 1,
    );
  }
  const base = text.length - text.trimStart().length;
  if (colon !== -1 && start > 0 && /^[A-Za-z]/.test(line) && base > 0 && text[base - 1] === ' ') {
    return fault(
      context,
      'the key is indented less than the first key',
      'Give all keys of one level the same indentation.',
      start,
      colon,
    );
  }
  return undefined;
}

function explainValue(context: Context, entry: LooseEntry): Fault | undefined {
  const { text } = context;
  const value = text.slice(entry.valueStart, entry.valueEnd);
  const first = value[0] ?? '';
  if (first === '' || first === '\n') return undefined;
  if (first === '"' || first === "'") return explainQuoted(context, entry, first);
  if (first === '[' || first === '{') return explainFlow(context, entry, first);
  if (first === '|' || first === '>') {
    const header = value.split('\n', 1)[0] ?? '';
    if (/^[|>][-+\d]*[ \t]*(?:#.*)?$/.test(header)) return undefined;
    return fault(
      context,
      `"${first}" begins a block of text in YAML, and the text must start on the next line`,
      `Put the text on the lines below "${first}", indented by two spaces, or put the whole value in quotes.`,
      entry.valueStart,
      entry.valueStart + header.length,
    );
  }
  if (/^[-?](?:\s|$)/.test(value)) {
    return fault(
      context,
      `"${first} " cannot begin a value on the line of its key`,
      first === '-'
        ? `Begin the list on the line below "${entry.key}:", or put the value in quotes.`
        : 'Put the value in quotes.',
      entry.valueStart,
      entry.valueStart + 1,
      quoteFix(context, entry),
    );
  }
  if (RESERVED_START.has(first)) {
    return fault(
      context,
      `an unquoted value cannot begin with "${first}"`,
      'Put the value in quotes.',
      entry.valueStart,
      entry.valueStart + 1,
      quoteFix(context, entry),
    );
  }
  return explainColon(context, entry);
}

function explainColon(context: Context, entry: LooseEntry): Fault | undefined {
  const { text } = context;
  const colon = findColon(text, entry.valueStart, entry.valueEnd);
  if (colon === -1) return undefined;
  const line = lineStartOf(text, colon);
  const word = text.slice(Math.max(line, entry.valueStart), colon).trim();
  if (line > entry.valueStart && SPEC_KEYS.has(word)) {
    const key = skipBlanks(text, line);
    return fault(
      context,
      `the key "${word}" is indented, so YAML takes it for a part of "${entry.key}"`,
      `Remove the spaces before "${word}:".`,
      line,
      colon,
      checked(context, {
        start: line,
        end: key - entry.indent,
        text: '',
        title: `Remove the spaces before ${word}`,
      }),
    );
  }
  const shown = word.length > 24 ? `…${word.slice(-24)}` : word;
  return fault(
    context,
    `the unquoted value of "${entry.key}" holds a colon followed by a space (after "${shown}"), which YAML reads as a new key`,
    'Put the value in quotes, or write it as a ">-" block: ">-" after the key, the text indented on the lines below.',
    colon,
    colon + 1,
    quoteFix(context, entry),
  );
}

function explainQuoted(context: Context, entry: LooseEntry, quote: string): Fault | undefined {
  const { text } = context;
  const close = closingQuote(text, entry.valueStart, entry.valueEnd, quote);
  if (close === -1) {
    return fault(
      context,
      `the quote that opens the value of "${entry.key}" is never closed`,
      `Put ${quote} at the end of the value; lines that go on with it must be indented.`,
      entry.valueStart,
      lineEndOf(text, entry.valueStart),
    );
  }
  const rest = skipBlanks(text, close + 1);
  if (rest >= entry.valueEnd || text[rest] === '#' || text[rest] === '\n') return undefined;
  return fault(
    context,
    `text follows the closing quote of "${entry.key}"`,
    'Put the whole value in quotes, and write quotes inside single quotes twice.',
    rest,
    lineEndOf(text, rest),
    quoteFix(context, entry),
  );
}

function explainFlow(context: Context, entry: LooseEntry, open: string): Fault | undefined {
  const { text, start } = context;
  const close = open === '[' ? ']' : '}';
  const what = open === '[' ? 'list' : 'mapping';
  const lineEnd = lineEndOf(text, entry.valueStart);
  const end = closingBracket(text, entry.valueStart, entry.valueEnd);
  if (end === -1) {
    return fault(
      context,
      `the ${what} of "${entry.key}" has no closing "${close}"`,
      `Put "${close}" at the end of the ${what}, or put the whole value in quotes if "${open}" belongs to its text.`,
      entry.valueStart,
      lineEnd,
    );
  }
  const rest = skipBlanks(text, end + 1);
  if (rest < entry.valueEnd && text[rest] !== '#' && text[rest] !== '\n') {
    return fault(
      context,
      `"${open}" begins a ${what} in YAML, and text follows the end of that ${what} in "${entry.key}"`,
      'Put the whole value in quotes if the brackets belong to its text.',
      rest,
      Math.max(rest + 1, Math.min(lineEndOf(text, rest), entry.valueEnd)),
      quoteFix(context, entry),
    );
  }
  return fault(
    context,
    `an item of the ${what} in "${entry.key}" holds a character that needs quotes`,
    `Put each item that holds any of [ ] { } , : # in quotes: ["a[b]", c].`,
    start,
    context.end,
  );
}

function closingQuote(text: string, from: number, to: number, quote: string): number {
  for (let at = from + 1; at < to; at++) {
    const char = text[at];
    if (quote === '"' && char === '\\') at++;
    else if (char === quote) {
      if (quote === "'" && text[at + 1] === "'") at++;
      else return at;
    }
  }
  return -1;
}

function closingBracket(text: string, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const char = text[at];
    const before = text[at - 1];
    if (
      (char === '"' || char === "'") &&
      (before === '[' || before === '{' || before === ',' || before === ' ')
    ) {
      const close = closingQuote(text, at, to, char);
      if (close === -1) return -1;
      at = close;
    } else if (char === '[' || char === '{') depth++;
    else if ((char === ']' || char === '}') && --depth === 0) return at;
  }
  return -1;
}

/** The whole value as one quoted scalar, or as a block when it has several lines. */
function quoteFix(context: Context, entry: LooseEntry): OffsetFix | undefined {
  const raw = context.text.slice(entry.valueStart, entry.valueEnd);
  // What follows " #" may be meant as a comment or as text.
  if (/[ \t\n]#/.test(raw)) return undefined;
  const joined = joinPlain(raw);
  const single = !raw.trimEnd().includes('\n');
  return checked(context, {
    start: entry.valueStart,
    end: entry.valueEnd,
    text: single ? quoteScalar(joined) : foldScalar(joined, entry.indent),
    title: single ? `Put the value of ${entry.key} in quotes` : `Write ${entry.key} as a ">-" block`,
  });
}

function checked(context: Context, fix: OffsetFix): OffsetFix | undefined {
  const { text, recheck } = context;
  const fixed = text.slice(0, fix.start) + fix.text + text.slice(fix.end);
  const next = recheck(fixed);
  return next === undefined || next >= fix.start + fix.text.length ? fix : undefined;
}
