/**
 * The words of a command line that name a target, and those that do not.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import type { CliContext } from './context.ts';
import type { TargetWords } from './open-target.ts';
import { TARGET_FORMS } from './target.ts';
import { usageError } from './usage.ts';

/** What no skill is called. */
const TARGET = /^(?:\.{1,2}(?:$|[/\\])|[/\\]|(?:https?|stdio|github|vendor):)/i;

/**
 * The target and the words after it: what stands after `--` is a command and the target, otherwise the first word is.
 *
 * Errors: `USAGE` when there is neither, and when there are both.
 *
 * @example
 * targetWords(['https://host/mcp', 'pdf'], context, '…') // { target: { text: 'https://host/mcp' }, rest: ['pdf'] }
 */
export function targetWords(
  words: readonly string[],
  { stdioCommand }: Pick<CliContext, 'stdioCommand'>,
  example: string,
): { readonly target: TargetWords; readonly rest: readonly string[] } {
  if (stdioCommand !== undefined) {
    const second = words.find((word) => TARGET.test(word));
    if (second !== undefined) throw twoTargets(second, example);
    return { target: { command: stdioCommand }, rest: words };
  }
  const [first, ...rest] = words;
  if (first === undefined) throw usageError(`no target given; ${TARGET_FORMS}`, example);
  return { target: { text: first }, rest };
}

/** The error for a target beside the command of another. */
export function twoTargets(word: string, example: string): SkillError {
  return usageError(
    `${JSON.stringify(word)} is a target and so is the command after --; this command takes one`,
    example,
  );
}
