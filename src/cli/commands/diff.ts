/**
 * `skillwire diff`: compares the skills of two targets.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addMinSkills, type MinSkillsFlags } from '../min-skills.ts';
import type { TargetWords } from '../open-target.ts';
import { collect } from '../source-flags.ts';
import { TARGET_FORMS } from '../target.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { usageError } from '../usage.ts';

/** The flags of `diff`. */
export interface DiffFlags extends TargetFlags, MinSkillsFlags {
  readonly headerB?: readonly string[];
  readonly tokenFileB?: string;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `diff`. */
export function defineDiff(command: Command, context: CliContext): void {
  command
    .usage('[options] BEFORE AFTER | BEFORE -- COMMAND ARGS…')
    .argument('[targets...]', "two targets as in list; a command as 'stdio:COMMAND ARGS…'")
    .option('--header-b <header>', 'as --header, for the second target', collect)
    .option('--token-file-b <file>', 'as --token-file, for the second target')
    .option('--json', 'print one JSON document');
  addMinSkills(command);
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (words: string[], flags: DiffFlags) => {
    const [before, after] = twoTargets(words, context);
    const { diff } = await import('../diff.ts');
    await diff(before, after, flags, context);
  });
}

function twoTargets(
  words: readonly string[],
  { stdioCommand }: CliContext,
): readonly [TargetWords, TargetWords] {
  const targets: TargetWords[] = words.map((text) => ({ text }));
  if (stdioCommand !== undefined) targets.push({ command: stdioCommand });
  const [before, after, ...more] = targets;
  if (before === undefined || after === undefined || more.length > 0) {
    throw usageError(`diff takes two targets; ${TARGET_FORMS}`, 'skillwire diff ./skills https://host/mcp');
  }
  return [before, after];
}

const EXAMPLES = `
Skills and files are the same by their URI. One that is gone or renamed is breaking: what names the old URI leads nowhere.

Exit code: 0 no differences, 1 differences, 3 not reached, 4 something failed a check, 5 a cap ended it.

Examples:
  skillwire diff https://skills.example/mcp ./skills             what a release would change
  skillwire diff github:acme/skills@v1 github:acme/skills@v2     between two versions
  skillwire diff ./skills 'stdio:npx -y some-server' --json`;
