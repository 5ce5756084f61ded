/**
 * Work that has to tidy up before a signal ends the program.
 *
 * @module
 */
import type { Output } from './output.ts';

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * What `work` resolves to. A signal aborts it, and once it has tidied up the program ends by that signal, as it would have
 * without; a second one ends it at once. Work that was done all the same is done, and its report is due. `said` tells what
 * an interruption leaves behind.
 *
 * @example
 * await interruptible(output, (signal) => placeFolder(path, files, { signal }))
 */
export async function interruptible<T>(
  output: Output,
  work: (signal: AbortSignal) => Promise<T>,
  said: () => string = () => 'nothing was changed',
): Promise<T> {
  const controller = new AbortController();
  let first: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (first === undefined) {
      first = signal;
      controller.abort();
    } else {
      stopListening();
      process.kill(process.pid, signal);
    }
  };
  const stopListening = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (first !== undefined) {
      output.status('');
      output.note(`skillwire: interrupted; ${said()}`);
      stopListening();
      process.kill(process.pid, first);
    }
    throw error;
  } finally {
    stopListening();
  }
}
