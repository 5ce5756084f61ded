/**
 * What a command is given.
 *
 * @module
 */
import type { LogLevel } from './log.ts';
import type { Output } from './output.ts';

/** What a command is given: where to write, and facts of the process that tests can set. */
export interface CliContext {
  readonly output: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly version: string;
  /** How this program is started again: the interpreter and the script. */
  readonly program: { readonly command: string; readonly args: readonly string[] };
  /** The words after `--`, of a command whose target they may be. */
  stdioCommand?: readonly string[];
  /** Set by a command that takes `--log-level`; `debug` makes a fault show where it happened. */
  logLevel?: LogLevel;
  /** The exit code, when it is not 0 and no error was thrown. */
  exitCode: number;
}
