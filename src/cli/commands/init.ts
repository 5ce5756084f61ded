/**
 * `skillwire init`: makes a new skill.
 *
 * @module
 */
import { join } from 'node:path';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { newSkill } from '../new-skill.ts';
import { printable } from '../printable.ts';
import { shellWord } from '../shell-word.ts';

interface InitFlags {
  readonly description?: string;
  readonly references?: boolean;
  readonly script?: boolean;
  readonly assets?: boolean;
  readonly dir: string;
  readonly json?: boolean;
}

/** Adds the arguments, options and action of `init`. */
export function defineInit(command: Command, context: CliContext): void {
  command
    .argument('<name>', 'name of the skill: a-z, 0-9 and single hyphens, at most 64')
    .option('--description <text>', 'what it does and when to use it, at most 1,024 characters')
    .option('--references', 'with a reference file that SKILL.md links to')
    .option('--script', 'with a small script')
    .option('--assets', 'with a template in assets/')
    .option('--dir <dir>', 'the folder to make it in', '.')
    .option('--json', 'print one JSON document')
    .addHelpText('after', EXAMPLES)
    .action((name: string, flags: InitFlags) => init(name, flags, context));
}

const EXAMPLES = `
Examples:
  skillwire init pdf-forms --dir skills
  skillwire init pdf-forms --description "Fills in PDF forms. Use when the user has a form." --references`;

async function init(name: string, flags: InitFlags, context: CliContext): Promise<void> {
  const { output } = context;
  const files = newSkill(name, {
    ...(flags.description === undefined ? {} : { description: flags.description }),
    references: flags.references === true,
    script: flags.script === true,
    assets: flags.assets === true,
  });
  const folder = join(flags.dir, name);
  const { createFolder } = await import('../../store/index.ts');
  await createFolder(folder, files);
  if (flags.json === true) {
    output.json({ name, path: folder, files: files.map((file) => file.path) });
    return;
  }
  output.line(`made ${printable(folder)}`);
  for (const file of files) output.line(`  ${file.path}`);
  const edit =
    flags.description === undefined ? 'write the description and the steps in' : 'write the steps in';
  output.note(
    `next: ${edit} ${printable(join(folder, 'SKILL.md'))}, then skillwire check ${printable(shellWord(folder))}`,
  );
}
