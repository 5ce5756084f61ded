/**
 * `skillwire show`: looks into a source.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addSourceFlags, type SourceFlags } from '../source-flags.ts';

/** The flags of `show`. */
export interface ShowFlags extends SourceFlags {
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `show`. */
export function defineShow(command: Command, context: CliContext): void {
  command
    .usage('[options] SOURCE [SKILL [FILE]]')
    .argument('<source>', 'a folder, an archive, a folder of archives, a URL or github:OWNER/REPO')
    .argument('[skill]', 'show this skill, by name, folder or URI: its frontmatter and files')
    .argument('[file]', 'print this file of the skill, byte for byte')
    .option('--json', 'print one JSON document');
  addSourceFlags(command);
  command
    .addHelpText('after', EXAMPLES)
    .action(async (source: string, skill: string | undefined, file: string | undefined, flags: ShowFlags) => {
      const { show } = await import('../show.ts');
      await show(source, skill, file, flags, context);
    });
}

const EXAMPLES = `
What is shown is what serve would serve: its files, digests, and what it leaves out.

Examples:
  skillwire show ./skills                       every skill
  skillwire show pdf.tar.gz                     what an archive holds, without unpacking it
  skillwire show github:acme/skills pdf         one skill, its frontmatter and files
  skillwire show ./skills pdf scripts/run.py    a file, to read or to pipe on`;
