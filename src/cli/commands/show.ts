/**
 * `skillwire show`: looks into a source or a server.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addSourceFlags, type SourceFlags } from '../source-flags.ts';
import { parseTarget } from '../target.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { targetWords } from '../target-words.ts';
import { usageError } from '../usage.ts';

/** The flags of `show`. */
export interface ShowFlags extends SourceFlags, TargetFlags {
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `show`. */
export function defineShow(command: Command, context: CliContext): void {
  command
    .usage('[options] TARGET [SKILL [FILE]] | [SKILL [FILE]] -- COMMAND ARGS…')
    .argument(
      '[target...]',
      'a folder, an archive, github:OWNER/REPO or the URL of a server; then a skill, by name, folder or URI; then a file of it',
    )
    .option('--json', 'print one JSON document');
  addSourceFlags(command);
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (words: string[], flags: ShowFlags) => {
    const { target, rest } = targetWords(words, context, 'skillwire show ./skills');
    const [skill, file, ...more] = rest;
    if (more.length > 0)
      throw usageError('show takes a target, a skill and a file', 'skillwire show ./skills pdf SKILL.md');
    if (skill === '' || file === '') {
      throw usageError('an argument is empty', 'skillwire show ./skills pdf SKILL.md');
    }
    const { text } = target;
    // A source is looked into as such, which shows more than a client sees of it; --dialect asks for what a client sees.
    const isSource = text !== undefined && parseTarget(text, flags.as, context.cwd).kind === 'source';
    if (isSource && flags.dialect === undefined && flags.plain !== true) {
      const { show } = await import('../show.ts');
      await show(text, skill, file, flags, context);
    } else {
      const { showTarget } = await import('../show-target.ts');
      await showTarget(target, skill, file, flags, context);
    }
  });
}

const EXAMPLES = `
Of a source it shows what serve would serve: its files, digests, and what it leaves out. Of a server, what it lists; what is
printed of a skill was verified.

Examples:
  skillwire show ./skills                       every skill
  skillwire show pdf.tar.gz                     what an archive holds, without unpacking it
  skillwire show github:acme/skills pdf         one skill, its frontmatter and files
  skillwire show ./skills pdf scripts/run.py    a file, to read or to pipe on
  skillwire show https://skills.example/mcp pdf a skill of a server, with its SKILL.md`;
