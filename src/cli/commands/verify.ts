/**
 * `skillwire verify`: checks what a server sends against what it states.
 *
 * @module
 */
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addMinSkills, type MinSkillsFlags } from '../min-skills.ts';
import { addTargetFlags, type TargetFlags } from '../target-flags.ts';
import { targetWords } from '../target-words.ts';

/** The flags of `verify`. */
export interface VerifyFlags extends TargetFlags, MinSkillsFlags {
  readonly requireDigests?: boolean;
  readonly locked?: string;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `verify`. */
export function defineVerify(command: Command, context: CliContext): void {
  command
    .usage('[options] TARGET [SKILL…] | [SKILL…] -- COMMAND ARGS…')
    .argument('[target...]', 'a target as in list, and skills by name, path or URI (default: all of them)')
    .option('--require-digests', 'a skill that nothing can verify is a failure too')
    .option(
      '--locked <dir>',
      'the skills pulled into DIR, which must still be what was recorded, there and here',
    )
    .option('--json', 'print one JSON document');
  addMinSkills(command);
  addTargetFlags(command);
  command.addHelpText('after', EXAMPLES).action(async (words: string[], flags: VerifyFlags) => {
    const { target, rest } = targetWords(words, context, 'skillwire verify https://host/mcp');
    const { verify } = await import('../verify.ts');
    await verify(target, rest, flags, context);
  });
}

const EXAMPLES = `
Every file is read, and its size, its digest and the frontmatter of SKILL.md are compared with the entry. A digest that
matches says that the server is consistent, not that the content is safe.

Exit code: 0 all verified, 1 fewer than --min-skills, 3 not reached, 4 something is not what the server states, 5 a cap ended it.

Examples:
  skillwire verify https://skills.example/mcp                    in a build, before a release
  skillwire verify https://skills.example/mcp pdf --json         one skill, as a document
  skillwire verify --require-digests -- npx -y some-server       digests are a must
  skillwire verify https://skills.example/mcp --locked skills    nothing changed since it was pulled`;
