#!/usr/bin/env node
/**
 * The program `skillwire`.
 *
 * @module
 */
import { fileURLToPath } from 'node:url';
import { VERSION } from '../version.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { createOutput } from './output.ts';
import { reportError } from './report-error.ts';

async function main(args: readonly string[]): Promise<void> {
  // The YAML library prints its tokens to stdout when one of these is set, and stdout belongs to the protocol.
  delete process.env.LOG_TOKENS;
  delete process.env.LOG_STREAM;
  const output = createOutput(process.stdout, process.stderr, process.env);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    output.line(VERSION);
    return;
  }
  const context: CliContext = {
    output,
    env: process.env,
    cwd: process.cwd(),
    version: VERSION,
    program: { command: process.execPath, args: [fileURLToPath(import.meta.url)] },
    exitCode: EXIT.ok,
  };
  // What nobody caught is a fault of ours, and still no reason for a stack trace.
  process.on('uncaughtException', (error) => process.exit(reportError(error, context, false)));
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(args, context);
}

await main(process.argv.slice(2));
