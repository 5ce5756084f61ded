/**
 * `skillwire pack`: makes archives of skills.
 *
 * @module
 */
import type { Command } from 'commander';
import { maxBytesOf } from '../caps.ts';
import type { CliContext } from '../context.ts';
import { addSourceFlags, type SourceFlags } from '../source-flags.ts';

/** The flags of `pack`. */
export interface PackFlags extends SourceFlags {
  readonly output?: string;
  readonly to?: string;
  readonly format?: string;
  readonly maxBytes?: number;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `pack`. */
export function definePack(command: Command, context: CliContext): void {
  command
    .usage('[options] SOURCE [SKILL…]')
    .argument('<source>', 'a skill, a folder of skills, an archive, a URL, github:OWNER/REPO or vendor:NAME')
    .argument('[skill...]', 'which skills, by name, folder or URI (default: all of them)')
    .option('-o, --output <file>', 'the archive of one skill; - is stdout (default: NAME.tar.gz)')
    .option('--to <dir>', 'the folder for the archives, one a skill')
    .option('--format <format>', 'tar.gz or zip (default: by the name of --output, else tar.gz)')
    .option('--max-bytes <n>', 'bytes of the files of a skill; 0: 100 MiB, -1: no cap', maxBytesOf)
    .option('--force', 'replace archives that are there')
    .option('--json', 'print one JSON document');
  addSourceFlags(command);
  command
    .addHelpText('after', EXAMPLES)
    .action(async (source: string, skills: string[], flags: PackFlags) => {
      const { pack } = await import('../pack.ts');
      await pack(source, skills, flags, context);
    });
}

const EXAMPLES = `
The bytes depend on the files alone: packed again, anywhere, the archive has the same digest.

Examples:
  skillwire pack ./skills/pdf                     makes pdf.tar.gz
  skillwire pack ./skills pdf -o dist/pdf.zip     one skill of several, as zip
  skillwire pack ./skills --to dist               every skill, one archive each
  skillwire pack ./skills/pdf -o - | ssh host …   to stdout`;
