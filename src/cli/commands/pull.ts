/**
 * `skillwire pull`: puts skills of a server into a folder.
 *
 * @module
 */
import type { Command } from 'commander';
import { maxBytesOf } from '../caps.ts';
import type { CliContext } from '../context.ts';
import { addMinSkills, type MinSkillsFlags } from '../min-skills.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { targetWords } from '../target-words.ts';

/** The flags of `pull`. */
export interface PullFlags extends TargetFlags, MinSkillsFlags {
  readonly to?: string;
  readonly flat?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly allowUnverified?: boolean;
  readonly maxBytes?: number;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `pull`. */
export function definePull(command: Command, context: CliContext): void {
  command
    .usage('[options] TARGET [SKILL…] --to DIR | [SKILL…] --to DIR -- COMMAND ARGS…')
    .argument('[target...]', 'a target as in list, and skills by name, path or URI (default: all of them)')
    .option('--to <dir>', 'the folder to put them into, each below its own path')
    .option('--flat', 'each below its own name alone, as most agents look for skills')
    .option('--prune', 'remove what was pulled from this target, is no longer there and unchanged here')
    .option('--force', 'replace pulled folders that were changed here, or were pulled from another target')
    .option('--dry-run', 'say what would be done and write nothing')
    .option('--allow-unverified', 'also take skills for which the server states no digests')
    .option('--max-bytes <n>', 'bytes of one skill; 0: 100 MiB, -1: no cap', maxBytesOf)
    .option('--json', 'print one JSON document');
  addMinSkills(command);
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (words: string[], flags: PullFlags) => {
    const { target, rest } = targetWords(words, context, 'skillwire pull https://host/mcp --to skills');
    const { pull } = await import('../pull.ts');
    await pull(target, rest, flags, context);
  });
}

const EXAMPLES = `
Every file is verified before the first byte is written; a skill appears whole or not at all. Run it again to update: what
is unchanged is left alone, what you edited is never lost. DIR/.skillwire/pull.json records what came from where.

Exit code: 0 fine, 1 something was left alone, 3 not reached or written, 4 something failed a check, 5 a cap ended it.

Examples:
  skillwire pull https://skills.example/mcp --to .claude/skills --flat
  skillwire pull https://skills.example/mcp pdf --to skills        one skill
  skillwire pull --to skills --prune -- npx -y some-server         and remove what is gone
  skillwire pull github:acme/skills --to skills --dry-run          what would be done`;
