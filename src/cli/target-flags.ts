/**
 * The flags of every command that reads a target.
 *
 * @module
 */
import { type Command, Option } from 'commander';
import type { ClientDialect } from '../client/skill.ts';
import { collect } from './source-flags.ts';
import type { TargetForm } from './target.ts';
import { usageError } from './usage.ts';

/** The dialects that `--dialect` may name. */
export const DIALECTS: readonly ClientDialect[] = [
  'released',
  'draft-index',
  'fastmcp',
  'well-known',
  'plain',
];

/** What {@link addTargetFlags} makes of a command line. */
export interface TargetFlags {
  readonly dialect?: ClientDialect;
  readonly plain?: boolean;
  readonly header?: readonly string[];
  readonly tokenFile?: string;
  readonly as?: TargetForm;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Adds the flags that say how a target is reached and read. */
export function addTargetFlags(command: Command): void {
  command
    .addOption(
      new Option('--dialect <dialect>', 'read this dialect and look for no other').choices([...DIALECTS]),
    )
    .option('--plain', 'also take bare skill:// resources for skills; nothing of them can be verified')
    .option('--header <header>', "send this header to the server, as 'Name: value'; repeatable", collect)
    .option('--token-file <file>', 'send the bearer token in this file; SKILLWIRE_TOKEN does the same')
    .addOption(
      new Option('--as <form>', 'what a URL is: a server or an archive (default: by its ending)').choices([
        'mcp',
        'source',
      ]),
    )
    .option('--timeout <s>', 'seconds that a request, or the connecting, may take (default 60)', secondsOf);
}

/** The value of `--timeout` in ms. Errors: `USAGE`. */
export function secondsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d{1,5}(?:\.\d{1,3})?$/.test(text) && seconds > 0) return Math.ceil(seconds * 1_000);
  throw usageError(`--timeout is ${JSON.stringify(text)}`, 'give a number of seconds, such as 30');
}
