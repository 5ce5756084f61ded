import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { withSection } from './section.ts';

/** A file beside this one. */
export function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Writes a section of `RESULTS.md`. */
export function saveSection(name: string, lines: readonly string[]): void {
  const page = beside('RESULTS.md');
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), name, lines.join('\n')));
}

/** The machine of this run, in a line. */
export function machine(): string {
  return `Node ${process.version}, ${cpus().length} cores, ${process.platform} ${process.arch}`;
}

/** Today, as `2026-01-31`. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
