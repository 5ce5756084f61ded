/**
 * The commands of the program and how one of them is run.
 *
 * @module
 */
import { Command, CommanderError } from 'commander';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { reportError } from './report-error.ts';
import { usageError } from './usage.ts';

/** Adds a command's arguments, options and action. */
export type DefineCommand = (command: Command, context: CliContext) => void;

interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** What stands after `--` is the command of a server, and no operand. */
  readonly takesCommand?: true;
  readonly load: () => Promise<DefineCommand>;
}

const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'serve skills to MCP clients, over stdio or HTTP',
    load: async () => (await import('./commands/serve.ts')).defineServe,
  },
  {
    name: 'check',
    summary: 'find what is wrong with skills and fix what is safe to fix',
    load: async () => (await import('./commands/check.ts')).defineCheck,
  },
  {
    name: 'init',
    summary: 'make a new skill',
    load: async () => (await import('./commands/init.ts')).defineInit,
  },
  {
    name: 'list',
    summary: 'list the skills of an MCP server or a source',
    takesCommand: true,
    load: async () => (await import('./commands/list.ts')).defineList,
  },
  {
    name: 'show',
    summary: 'look into a source or an MCP server: skills, files, digests',
    takesCommand: true,
    load: async () => (await import('./commands/show.ts')).defineShow,
  },
  {
    name: 'verify',
    summary: 'read every file of a server and compare it with what the server states',
    takesCommand: true,
    load: async () => (await import('./commands/verify.ts')).defineVerify,
  },
  {
    name: 'pull',
    summary: 'put verified skills of a server into a folder, and keep them up to date',
    takesCommand: true,
    load: async () => (await import('./commands/pull.ts')).definePull,
  },
  {
    name: 'diff',
    summary: 'compare the skills of two servers or sources',
    takesCommand: true,
    load: async () => (await import('./commands/diff.ts')).defineDiff,
  },
  {
    name: 'pack',
    summary: 'make an archive of a skill, the same bytes on every machine',
    load: async () => (await import('./commands/pack.ts')).definePack,
  },
  {
    name: 'unpack',
    summary: 'unpack an archive into a new folder, everything checked first',
    load: async () => (await import('./commands/unpack.ts')).defineUnpack,
  },
];

/**
 * The exit code after running the command line `args`. Never rejects: an error is written to stderr, as a document
 * on stdout too when `--json` was given.
 *
 * Only the module of the command at hand is loaded, so that `--help` and small commands start fast.
 *
 * @example
 * process.exitCode = await runProgram(['check', 'skills'], context)
 */
export async function runProgram(args: readonly string[], context: CliContext): Promise<number> {
  const end = args.indexOf('--');
  const json = (end === -1 ? args : args.slice(0, end)).includes('--json');
  try {
    const takesCommand = COMMANDS.some((entry) => entry.name === args[0] && entry.takesCommand === true);
    if (takesCommand && end !== -1) context.stdioCommand = args.slice(end + 1);
    const words = takesCommand && end !== -1 ? args.slice(0, end) : wordsOf(args);
    const program = await buildProgram(words, context);
    await program.parseAsync(words, { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT.ok;
      return reportError(usageOf(error, wordsOf(args)), context, json);
    }
    return reportError(error, context, json);
  }
}

/** Help of a command that there is not is the command itself, of which it is said that there is none and what is like it. */
function wordsOf(args: readonly string[]): readonly string[] {
  const [first, second] = args;
  if (first !== 'help' || second === undefined || second.startsWith('-')) return args;
  return COMMANDS.some(({ name }) => name === second) || second === 'help' ? args : [second];
}

async function buildProgram(args: readonly string[], context: CliContext): Promise<Command> {
  const { output } = context;
  const settle = (command: Command): Command =>
    command.exitOverride().configureOutput({
      writeOut: (text) => output.raw(text),
      writeErr: () => undefined,
      getOutHasColors: () => false,
    });
  const program = settle(new Command('skillwire'))
    .description('Serve, check, read, verify, pull and pack Agent Skills.')
    .version(context.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText(
      'after',
      '\nEnvironment: SKILLWIRE_TOKEN GITHUB_TOKEN HTTPS_PROXY XDG_CACHE_HOME NO_COLOR FORCE_COLOR',
    );
  const wanted = args[0] === 'help' ? args[1] : args[0];
  for (const entry of COMMANDS) {
    const command = settle(program.command(entry.name).description(entry.summary));
    command.helpOption('-h, --help', 'print this help');
    if (entry.name === wanted) (await entry.load())(command, context);
  }
  return program;
}

function names(): string {
  return COMMANDS.map((entry) => entry.name).join(', ');
}

function usageOf(error: CommanderError, args: readonly string[]): Error {
  // What commander calls help is a command line without a command.
  if (error.code === 'commander.help') {
    return usageError('no command given', `one of: ${names()}; see skillwire --help`);
  }
  const [first = '', similar] = error.message.replace(/^error: /, '').split('\n');
  const suggestion = similar?.replace(/^\(D(.*)\)$/, 'd$1');
  if (error.code === 'commander.unknownCommand') {
    const what = `there is no command ${JSON.stringify(args[0])}`;
    return usageError(
      what,
      suggestion ?? `one of: ${names()}; to serve a folder: skillwire serve ${args[0]}`,
    );
  }
  const command = COMMANDS.find((entry) => entry.name === args[0]);
  const help = `see skillwire ${command === undefined ? '' : `${command.name} `}--help`;
  return usageError(first, suggestion === undefined ? help : `${suggestion} ${help}`);
}
