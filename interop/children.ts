import type { ChildProcess } from 'node:child_process';

/** What is to be done with each program that runs, when the run ends. */
const running = new Map<ChildProcess, () => void>();

process.on('exit', () => {
  for (const end of running.values()) end();
});
// A run that is broken off ends as others do, and takes with it what it started.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(130));
}

/** Has a program ended with the run, unless it ends before. Gives the program. */
export function endingWithRun<T extends ChildProcess>(
  child: T,
  end: () => void = () => child.kill('SIGKILL'),
): T {
  running.set(child, end);
  child.once('error', () => running.delete(child));
  child.once('close', () => running.delete(child));
  return child;
}
