/**
 * `skillwire list`: lists the skills of a server.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addMinSkills, type MinSkillsFlags } from '../min-skills.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { targetWords, twoTargets } from '../target-words.ts';

/** The flags of `list`. */
export interface ListFlags extends TargetFlags, MinSkillsFlags {
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `list`. */
export function defineList(command: Command, context: CliContext): void {
  command
    .usage('[options] TARGET | -- COMMAND ARGS…')
    .argument('[target]', "the URL of an MCP server, a source, or 'stdio:COMMAND ARGS…'")
    .option('--json', 'print one JSON document');
  addMinSkills(command);
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (first: string | undefined, flags: ListFlags) => {
    if (first !== undefined && context.stdioCommand !== undefined) {
      throw twoTargets(first, 'skillwire list -- npx some-server');
    }
    const { target } = targetWords(
      first === undefined ? [] : [first],
      context,
      'skillwire list https://host/mcp',
    );
    const { list } = await import('../list.ts');
    await list(target, flags, context);
  });
}

const EXAMPLES = `
Exit code: 0 fine, 1 fewer than --min-skills, 3 not reached, 5 a cap ended the listing.

Examples:
  skillwire list https://skills.example/mcp       over HTTP, with SKILLWIRE_TOKEN if it is set
  skillwire list -- npx -y some-server ./skills   a server that is started for it
  skillwire list ./skills                         what clients would see of a folder
  skillwire list https://skills.example --dialect well-known`;
