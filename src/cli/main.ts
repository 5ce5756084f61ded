#!/usr/bin/env node
/**
 * The program `skillwire`. What asks for its version alone loads nothing else.
 *
 * @module
 */
import { VERSION } from '../version.ts';
import { quietWhenClosed } from './quiet-stream.ts';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  quietWhenClosed(process.stdout, ({ message }) => {
    quietWhenClosed(
      process.stderr,
      () => undefined,
    )(`skillwire: error[WRITE_FAILED]: cannot write stdout: ${message}\n`);
    process.exitCode = 3;
  })(`${VERSION}\n`);
} else {
  const { start } = await import('./start.ts');
  process.exitCode = await start(args, import.meta.url);
}
