/**
 * `skillwire serve`: serves skills to MCP clients.
 *
 * @module
 */
import { type Command, Option } from 'commander';
import type { SupportingFiles } from '../../server/index.ts';
import type { CliContext } from '../context.ts';
import type { ExposureFlags } from '../exposure-flags.ts';
import { LOG_LEVELS, type LogLevel } from '../log.ts';
import { addPromptFlags, type PromptFlags } from '../prompt-flags.ts';
import { addSourceFlags, collect, type SourceFlags } from '../source-flags.ts';
import { usageError } from '../usage.ts';

/** The flags of `serve`. */
export interface ServeFlags extends SourceFlags, ExposureFlags, PromptFlags {
  readonly http?: string | true;
  readonly printConfig?: string | true;
  readonly pageSize?: number;
  readonly ttl?: number;
  /** False with `--no-watch`. */
  readonly watch: boolean;
  readonly poll?: boolean;
  /** False with `--no-cache`. */
  readonly cache: boolean;
  readonly dialects?: string;
  readonly supportingFiles?: SupportingFiles;
  readonly archive?: 'tar.gz' | 'zip';
  readonly tokenFile?: string;
  readonly allowAnonymous?: boolean;
  readonly allowedHost?: readonly string[];
  readonly publicWellKnown?: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: 'text' | 'json';
}

/** Adds the arguments, options and action of `serve`. */
export function defineServe(command: Command, context: CliContext): void {
  command
    .usage('[options] SOURCE…\n       skillwire serve [options] [SOURCE…] --prompts DIR --docs DIR')
    .argument(
      '[source...]',
      'a folder, an archive, https://…, github:owner/repo@ref#folder or vendor:name; PREFIX=SOURCE puts its skills below PREFIX',
    )
    .option(
      '--http [address]',
      'serve over HTTP at PORT or HOST:PORT (default 127.0.0.1:8750; port 0 picks one)',
    )
    .option('--print-config [client]', 'print the configuration for a client, or for all of them, and exit')
    .option(
      '--strict',
      'the last choice of --symlinks, --nested and --name-mismatch; and a skill that breaks a rule ends the start',
    );
  addSourceFlags(command);
  addPromptFlags(command);
  command
    .option('--no-watch', 'do not follow what changes in folders and on servers; SIGHUP still scans again')
    .option('--poll', 'look at the folders every 2 s instead of having the system tell, as on network drives')
    .option('--no-cache', 'read and hash every file at the start, and keep nothing for the next one')
    .option(
      '--dialects <list>',
      'what to serve, with commas between: released, draft-index, fastmcp, well-known; default all',
    )
    .addOption(
      new Option(
        '--supporting-files <how>',
        'how clients learn of files beside SKILL.md: a template for each skill, which is the default, or all of them as resources',
      ).choices(['template', 'resources']),
    )
    .addOption(
      new Option('--archive <format>', 'let skill://index.json name an archive for each skill').choices([
        'tar.gz',
        'zip',
      ]),
    )
    .option(
      '--expose <list>',
      'for clients that cannot read resources: tools, prompts, with commas between; repeatable',
      collect,
    )
    .addOption(
      new Option(
        '--expose-to <who>',
        'who is shown that: clients that do not read skills, which is the default, or all',
      ).choices(['clients-without-skills', 'all']),
    )
    .option(
      '--instructions <text>',
      'what clients are told when they connect: a text, skills (names them; the default with --expose) or none',
    )
    .option('--page-size <n>', 'entries on a page of any list', wholeNumber('--page-size', 1))
    .option('--ttl <ms>', 'how long clients may keep a result, in ms (default 5000)', wholeNumber('--ttl', 0))
    .option('--token-file <file>', 'want the bearer token in this file; SKILLWIRE_TOKEN does the same')
    .option('--allow-anonymous', 'serve without a token beyond this machine; wants --allowed-host')
    .option('--allowed-host <name>', 'a further name in Host and Origin; repeatable', collect)
    .option(
      '--public-well-known',
      'let everybody read the well-known indexes and their skills: no token, any Host, pages of any origin',
    )
    .addOption(new Option('--log-level <level>', 'what goes to stderr').choices(LOG_LEVELS).default('info'))
    .addOption(new Option('--log-format <format>', 'how').choices(['text', 'json']).default('text'))
    .addHelpText('after', EXAMPLES)
    .action(async (sources: readonly string[], flags: ServeFlags) => {
      context.logLevel = flags.logLevel;
      const { serve } = await import('../serve.ts');
      await serve(sources, flags, context);
    });
}

const EXAMPLES = `
Examples:
  skillwire serve ./skills                             over stdio, for a client that starts it
  skillwire serve ./skills --http                      at http://127.0.0.1:8750/mcp
  skillwire serve team=./skills notes=../notes/skills  two sources, each below a prefix
  skillwire serve skills.zip https://host/pack.tar.gz  archives, here and on a server
  skillwire serve github:owner/repo@v2#skills          a folder of a repository
  skillwire serve vendor:claude                        what Claude has on this machine
  skillwire serve ./skills --prompts ./prompts --docs ./docs
                                                       prompts and documents beside the skills
  skillwire serve ./skills --print-config cursor       what to put into Cursor's file`;

function wholeNumber(flag: string, least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= least) return value;
    throw usageError(`${flag} is ${JSON.stringify(text)}`, `give a whole number from ${least}`);
  };
}
