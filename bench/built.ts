import { fileURLToPath } from 'node:url';

/** The command line as it is shipped: what is measured is `dist`, not its source under a loader. */
export const CLI: string = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** A program of `programs/`. They are plain JavaScript, so that no loader counts in their time and memory. */
export function program(name: string): string {
  return fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url));
}
