/**
 * An error that ended a command, as the user reads it.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import type { CliContext } from './context.ts';
import { exitCodeOf } from './exit.ts';
import { printable } from './printable.ts';
import { hintOf } from './usage.ts';

/**
 * Writes `skillwire: error[CODE]: message` and a hint to stderr, and with `json` an `error` document to stdout;
 * returns the exit code. Never a stack trace, unless the log level is `debug` and the fault is ours.
 */
export function reportError(error: unknown, context: CliContext, json: boolean): number {
  const { output } = context;
  const known = isSkillError(error) ? error : fault(error);
  const hint = hintOf(known, context.cwd);
  if (json) {
    const { code, message } = known;
    output.json({ error: { code, message, ...(hint === undefined ? {} : { hint }) } });
  }
  const style = output.errorStyle;
  output.status('');
  output.note(`skillwire: ${style.red(`error[${known.code}]`)}: ${printable(known.message)}`);
  if (hint !== undefined) output.note(`  ${style.cyan('hint:')} ${printable(hint)}`);
  if (known.code === 'INTERNAL' && context.logLevel === 'debug') {
    const shown = known.cause ?? known;
    if (shown instanceof Error && shown.stack !== undefined) output.note(shown.stack);
  }
  return exitCodeOf(known);
}

function fault(error: unknown): SkillError {
  const what = error instanceof Error ? error.message : `a ${typeof error} was thrown`;
  return new SkillError('INTERNAL', `a fault in Skillwire: ${what}`, { cause: error });
}
