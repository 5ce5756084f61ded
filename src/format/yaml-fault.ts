/**
 * The parts that every explanation of a YAML error is made of.
 *
 * @module
 */
import type { Fault, OffsetFix } from './fault.ts';
import { foldScalar, quoteScalar } from './quote.ts';
import { joinPlain, type LooseEntry } from './yaml-lines.ts';

/** Reads a corrected text and says where its first fault is, if there is one. */
export type Recheck = (text: string) => number | undefined;

/** The text with the place of the library's first error. */
export interface FaultContext {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly recheck: Recheck;
}

/** A fault of invalid YAML, by default at the place of the library's error. */
export function yamlFault(
  context: FaultContext,
  message: string,
  hint: string,
  start: number = context.start,
  end: number = context.end,
  fix?: OffsetFix,
): Fault {
  return { code: 'INVALID_YAML', message, start, end, hint, ...(fix && { fix }) };
}

/**
 * The whole value as one quoted scalar, or as a block when it has several lines; `meant` is its text where that is not
 * what stands there.
 */
export function quoteFix(context: FaultContext, entry: LooseEntry, meant?: string): OffsetFix | undefined {
  const raw = context.text.slice(entry.valueStart, entry.valueEnd);
  // What follows " #" may be meant as a comment or as text, and no name needs quotes.
  if (/[ \t\n]#/.test(raw) || (entry.key === 'name' && entry.indent === 0)) return undefined;
  const joined = meant ?? joinPlain(raw);
  const single = !raw.trimEnd().includes('\n');
  return checkedFix(context, {
    start: entry.valueStart,
    end: entry.valueEnd,
    text: single ? quoteScalar(joined) : foldScalar(joined, entry.indent),
    title: single ? `Put the value of ${entry.key} in quotes` : `Write ${entry.key} as a ">-" block`,
  });
}

/** `fix`, if the text reads further with it than without. */
export function checkedFix(context: FaultContext, fix: OffsetFix): OffsetFix | undefined {
  const { text, recheck } = context;
  const fixed = text.slice(0, fix.start) + fix.text + text.slice(fix.end);
  const next = recheck(fixed);
  return next === undefined || next >= fix.start + fix.text.length ? fix : undefined;
}
