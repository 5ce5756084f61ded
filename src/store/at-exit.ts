/**
 * Folders that go when the process ends.
 *
 * @module
 */
import { rmSync } from 'node:fs';

const folders = new Set<string>();

/** Nothing asynchronous runs any more when a process exits; what is left then goes here. */
function removeAll(): void {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next start finds it.
    }
  }
}

/** The folder is removed with all in it should the process end before {@link keepAtExit}. */
export function removeAtExit(folder: string): void {
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(folder);
}

/** The end of the process does not concern this folder any more. */
export function keepAtExit(folder: string): void {
  folders.delete(folder);
  if (folders.size === 0) process.off('exit', removeAll);
}
