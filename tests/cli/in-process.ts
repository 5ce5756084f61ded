/** Runs a command line in this process: as the program does, without the time that a process takes to start. */
import type { CliContext } from '../../src/cli/context.ts';
import { createOutput, type OutputStream } from '../../src/cli/output.ts';
import { runProgram } from '../../src/cli/program.ts';
import { VERSION } from '../../src/version.ts';
import { ROOT } from './program.ts';

/** A context that keeps what is written to it. */
export function memoryContext(facts: Partial<CliContext> = {}): {
  context: CliContext;
  text: { stdout: string; stderr: string };
} {
  const text = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr'): OutputStream => ({
    write(chunk) {
      text[name] += Buffer.from(chunk).toString('utf8');
      return true;
    },
    on: () => undefined,
  });
  const context: CliContext = {
    output: createOutput(stream('stdout'), stream('stderr'), {}),
    env: {},
    cwd: ROOT,
    version: VERSION,
    program: { command: 'node', args: ['main.js'] },
    exitCode: 0,
    ...facts,
  };
  return { context, text };
}

export async function runHere(
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, text } = memoryContext();
  const code = await runProgram(args, context);
  return { code, ...text };
}
