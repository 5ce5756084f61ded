/**
 * `skillwire list`: lists the skills of a server.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { targetWords } from '../target-words.ts';

/** The flags of `list`. */
export interface ListFlags extends TargetFlags {
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `list`. */
export function defineList(command: Command, context: CliContext): void {
  command
    .usage('[options] TARGET | -- COMMAND ARGS…')
    .argument('[target]', "the URL of an MCP server, a source, or 'stdio:COMMAND ARGS…'")
    .option('--json', 'print one JSON document');
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (first: string | undefined, flags: ListFlags) => {
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
Exit code: 0 fine, 3 not reached, 5 a cap ended the listing.

Examples:
  skillwire list https://skills.example/mcp       over HTTP, with SKILLWIRE_TOKEN if it is set
  skillwire list -- npx -y some-server ./skills   a server that is started for it
  skillwire list ./skills                         what clients would see of a folder
  skillwire list https://skills.example --dialect well-known`;
