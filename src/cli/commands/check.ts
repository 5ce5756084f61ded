/**
 * `skillwire check`: finds what is wrong with skills and prompts.
 *
 * @module
 */
import { type Command, Option } from 'commander';
import type { CliContext } from '../context.ts';
import { LOG_LEVELS, type LogLevel } from '../log.ts';
import { addSourceFlags, collect, type SourceFlags } from '../source-flags.ts';

/** The flags of `check`. */
export interface CheckFlags extends SourceFlags {
  readonly fix?: boolean;
  readonly renameFolders?: boolean;
  readonly prompts?: readonly string[];
  readonly json?: boolean;
  readonly logLevel: LogLevel;
}

/** Adds the arguments, options and action of `check`. */
export function defineCheck(command: Command, context: CliContext): void {
  command
    .usage('[options] [SOURCE…]')
    .argument(
      '[source...]',
      'a folder, an archive, https://…, github:owner/repo@ref#folder or vendor:name (default: this folder)',
    )
    .option('--strict', 'warnings count as findings too')
    .option('--fix', 'apply the fixes that cannot change a meaning, such as quoting, and check again')
    .option('--rename-folders', 'rename folders to the name of their skill')
    .option('--prompts <dir>', 'a folder of prompts to check, alone or beside sources; repeatable', collect)
    .option('--json', 'print one JSON document');
  addSourceFlags(command);
  command
    .addOption(new Option('--log-level <level>', 'what goes to stderr').choices(LOG_LEVELS).default('warn'))
    .addHelpText(
      'after',
      `${EXAMPLES}\n\nExit code: 0 fine, 1 findings, 2 wrong usage, 3 a source cannot be opened or written.`,
    )
    .action(async (sources: readonly string[], flags: CheckFlags) => {
      context.logLevel = flags.logLevel;
      const { check } = await import('../check.ts');
      const all = sources.length === 0 && flags.prompts === undefined ? ['.'] : sources;
      context.exitCode = await check(all, flags, context);
    });
}

const EXAMPLES = `
Examples:
  skillwire check                       every skill below this folder
  skillwire check ./skills --fix        and repair what is safe to repair
  skillwire check --prompts ./prompts   a folder of prompts
  skillwire check ./skills --strict     for a build: warnings end with 1 too`;
