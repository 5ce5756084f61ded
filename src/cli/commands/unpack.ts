/**
 * `skillwire unpack`: unpacks an archive.
 *
 * @module
 */
import type { Command } from 'commander';
import { maxBytesOf } from '../caps.ts';
import type { CliContext } from '../context.ts';

/** The flags of `unpack`. */
export interface UnpackFlags {
  readonly to?: string;
  readonly force?: boolean;
  /** Undefined: the folder around everything is taken off if there is one. */
  readonly strip?: boolean;
  readonly maxBytes?: number;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `unpack`. */
export function defineUnpack(command: Command, context: CliContext): void {
  command
    .argument('<archive>', 'a tar.gz, zip or tar.bz2; - is stdin')
    .option('--to <dir>', 'the folder to make (default: the name of the skill, else of the archive)')
    .option('--force', 'replace a folder that is there, with all in it')
    .option('--strip', 'insist that one folder holds everything, and take it off')
    .option('--no-strip', 'keep that folder (default: it is taken off if there is one)')
    .option('--max-bytes <n>', 'bytes of all files; 0: 100 MiB, -1: no cap', maxBytesOf)
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action(async (archive: string, flags: UnpackFlags) => {
      const { unpack } = await import('../unpack.ts');
      await unpack(archive, flags, context);
    });
}

const EXAMPLES = `
Everything is checked before the first byte is written: one entry against a rule refuses the archive. What is there
stays as it was until the new folder is complete.

Examples:
  skillwire unpack pdf.tar.gz                       into ./pdf
  skillwire unpack pdf.zip --to .claude/skills/pdf  into a folder of that name
  skillwire unpack pdf.tar.gz --force               in place of the ./pdf that is there
  curl -L https://host/pdf.zip | skillwire unpack -`;
