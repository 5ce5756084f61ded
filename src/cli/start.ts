/**
 * The start of every command.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import { keepCompiledCode } from '../store/compiled-code.ts';
import { VERSION } from '../version.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { createOutput } from './output.ts';
import { reportError } from './report-error.ts';
import { holdYoungGeneration } from './server-heap.ts';

/**
 * The exit code after running the command line `args` of the program at the URL `program` in this process. Never rejects.
 *
 * @example
 * process.exitCode = await start(process.argv.slice(2), import.meta.url)
 */
export async function start(args: readonly string[], program: string): Promise<number> {
  // Before most modules are loaded, since that alone makes it grow.
  if (args[0] === 'serve') {
    holdYoungGeneration();
    if (!args.includes('--no-cache')) await keepCompiledCode();
  }
  // The YAML library prints its tokens to stdout when one of these is set, and stdout belongs to the protocol.
  delete process.env.LOG_TOKENS;
  delete process.env.LOG_STREAM;
  const context: CliContext = {
    output: createOutput(process.stdout, process.stderr, process.env),
    env: process.env,
    cwd: process.cwd(),
    version: VERSION,
    program: { command: process.execPath, args: [fileURLToPath(program)] },
    exitCode: EXIT.ok,
  };
  // What nobody caught is a fault of ours, and still no reason for a stack trace.
  process.on('uncaughtException', (error) => process.exit(reportError(error, context, false)));
  const { runProgram } = await import('./program.ts');
  return runProgram(args, context);
}
