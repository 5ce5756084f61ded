/**
 * What is wrong with the value of one key.
 *
 * @module
 */
import type { Fault } from './fault.ts';
import { closingBracket, closingQuote } from './yaml-brackets.ts';
import { checkedFix, type FaultContext, quoteFix, yamlFault } from './yaml-fault.ts';
import { findColon, type LooseEntry, lineEndOf, lineStartOf, skipBlanks } from './yaml-lines.ts';

const SPEC_KEYS = new Set(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']);
const RESERVED_START = new Set(['@', '`', '%', ',', ']', '}', '*', '&', '!']);

/** The fault that the value of `entry` has by itself, or undefined. */
export function explainValue(context: FaultContext, entry: LooseEntry): Fault | undefined {
  const { text } = context;
  const value = text.slice(entry.valueStart, entry.valueEnd);
  const first = value[0] ?? '';
  if (first === '' || first === '\n') return undefined;
  if (first === '"' || first === "'") return explainQuoted(context, entry, first);
  if (first === '[' || first === '{') return explainFlow(context, entry, first);
  if (first === '|' || first === '>') {
    const header = value.split('\n', 1)[0] ?? '';
    if (/^[|>][-+\d]*[ \t]*(?:#.*)?$/.test(header)) return undefined;
    return yamlFault(
      context,
      `"${first}" begins a block of text in YAML, and the text must start on the next line`,
      `put the text on the lines below "${first}", indented by two spaces, or put the whole value in quotes`,
      entry.valueStart,
      entry.valueStart + header.length,
    );
  }
  if (/^[-?](?:\s|$)/.test(value)) {
    return yamlFault(
      context,
      `"${first} " cannot begin a value on the line of its key`,
      first === '-'
        ? `begin the list on the line below "${entry.key}:", or put the value in quotes`
        : 'put the value in quotes',
      entry.valueStart,
      entry.valueStart + 1,
      quoteFix(context, entry),
    );
  }
  if (RESERVED_START.has(first)) {
    return yamlFault(
      context,
      `an unquoted value cannot begin with "${first}"`,
      'put the value in quotes',
      entry.valueStart,
      entry.valueStart + 1,
      quoteFix(context, entry),
    );
  }
  return explainColon(context, entry);
}

function explainColon(context: FaultContext, entry: LooseEntry): Fault | undefined {
  const { text } = context;
  const colon = findColon(text, entry.valueStart, entry.valueEnd);
  if (colon === -1) return undefined;
  const line = lineStartOf(text, colon);
  const word = text.slice(Math.max(line, entry.valueStart), colon).trim();
  if (line > entry.valueStart && SPEC_KEYS.has(word)) {
    const key = skipBlanks(text, line);
    return yamlFault(
      context,
      `the key "${word}" is indented, so YAML takes it for a part of "${entry.key}"`,
      `remove the spaces before "${word}:"`,
      line,
      colon,
      checkedFix(context, {
        start: line,
        end: key - entry.indent,
        text: '',
        title: `Remove the spaces before ${word}`,
      }),
    );
  }
  // A word with a colon on the very next line may be a key that is indented wrongly: nobody can tell.
  const maybeKey =
    line > entry.valueStart && /^[\w.-]+$/.test(word) && text.slice(0, line).trimEnd().length === line - 1;
  const shown = word.length > 24 ? `…${word.slice(-24)}` : word;
  return yamlFault(
    context,
    `the unquoted value of "${entry.key}" holds a colon followed by a space (after "${shown}"), which YAML reads as a new key`,
    maybeKey
      ? `align "${word}:" with the other keys if it is a key; otherwise put the value in quotes or write it as a ">-" block`
      : 'put the value in quotes, or write it as a ">-" block: ">-" after the key, the text indented on the lines below',
    colon,
    colon + 1,
    maybeKey ? undefined : quoteFix(context, entry),
  );
}

function explainQuoted(context: FaultContext, entry: LooseEntry, quote: string): Fault | undefined {
  const { text } = context;
  const close = closingQuote(text, entry.valueStart, entry.valueEnd, quote);
  if (close === -1) {
    return yamlFault(
      context,
      `the quote that opens the value of "${entry.key}" is never closed`,
      `put ${quote} at the end of the value; lines that go on with it must be indented`,
      entry.valueStart,
      lineEndOf(text, entry.valueStart),
    );
  }
  const rest = skipBlanks(text, close + 1);
  if (rest >= entry.valueEnd || text[rest] === '#' || text[rest] === '\n') return undefined;
  const value = text.slice(entry.valueStart, entry.valueEnd).trimEnd();
  if (value.endsWith(quote) && !value.includes('\n')) {
    const inner = value.slice(1, -1);
    return yamlFault(
      context,
      `a ${quote} inside the value of "${entry.key}" ends the value`,
      quote === "'"
        ? "write ' inside single quotes twice, or put the value in double quotes"
        : 'write \\" inside double quotes, or put the value in single quotes',
      close,
      close + 1,
      quoteFix(
        context,
        entry,
        quote === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, '$1'),
      ),
    );
  }
  return yamlFault(
    context,
    `text follows the closing quote of "${entry.key}"`,
    'put the whole value in quotes, and write quotes inside single quotes twice',
    rest,
    lineEndOf(text, rest),
    quoteFix(context, entry),
  );
}

function explainFlow(context: FaultContext, entry: LooseEntry, open: string): Fault | undefined {
  const { text, start } = context;
  const close = open === '[' ? ']' : '}';
  const what = open === '[' ? 'list' : 'mapping';
  const lineEnd = lineEndOf(text, entry.valueStart);
  const end = closingBracket(text, entry.valueStart, entry.valueEnd);
  if (end === -1) {
    return yamlFault(
      context,
      `the ${what} of "${entry.key}" has no closing "${close}"`,
      `put "${close}" at the end of the ${what}, or put the whole value in quotes if "${open}" belongs to its text`,
      entry.valueStart,
      lineEnd,
    );
  }
  const rest = skipBlanks(text, end + 1);
  if (rest < entry.valueEnd && text[rest] !== '#' && text[rest] !== '\n') {
    return yamlFault(
      context,
      `"${open}" begins a ${what} in YAML, and text follows the end of that ${what} in "${entry.key}"`,
      'put the whole value in quotes if the brackets belong to its text',
      rest,
      Math.max(rest + 1, Math.min(lineEndOf(text, rest), entry.valueEnd)),
      quoteFix(context, entry),
    );
  }
  return yamlFault(
    context,
    `an item of the ${what} in "${entry.key}" holds a character that needs quotes`,
    `put each item that holds any of [ ] { } , : # in quotes: ["a[b]", c]`,
    start,
    context.end,
  );
}
