/** What the tests of commands that read targets share. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CliContext } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { memoryContext } from './in-process.ts';
import { skillText } from './program.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process. */
export async function runWith(args: readonly string[], facts: Partial<CliContext> = {}): Promise<Ran> {
  const { context, text } = memoryContext(facts);
  const code = await runProgram(args, context);
  return { code, ...text };
}

/** A server of ours over HTTP. */
export interface OurServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Partial<ProviderOptions> & { readonly token?: string; readonly publicWellKnown?: boolean } = {},
): Promise<OurServer> {
  const { token, publicWellKnown = false, ...rest } = options;
  const provider = await createProvider({ source: memorySource({ ...files }), ...rest });
  const app = createHttpApp({ provider, publicWellKnown, ...(token === undefined ? {} : { token }) });
  const { url } = await app.listen({ port: 0 });
  return {
    url,
    close: async () => {
      await app.close({ drainMs: 0 });
      await provider.close();
    },
  };
}

/** Two skills of which one has files of every kind. */
export const TWO: Readonly<Record<string, string | Uint8Array>> = {
  'pdf/SKILL.md': skillText('pdf', 'Reads PDF files. Use when there is one.'),
  'pdf/scripts/run.sh': '#!/bin/sh\necho hi\n',
  'pdf/data.bin': Uint8Array.of(0, 255, 1, 254),
  'acme/notes/SKILL.md': skillText('notes', 'Keeps notes. Use when something is to be kept.'),
};

const folders: string[] = [];

/** A new folder of the test. */
export function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'skillwire-target-'));
  folders.push(path);
  return path;
}

export function removeFolders(): void {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
}

/** Every file below a folder, by its path; what is ours is left out. */
export function filesIn(folder: string, withRecord = false): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const below = path.slice(folder.length + 1).replaceAll('\\', '/');
    if (withRecord || !below.startsWith('.skillwire/')) found[below] = readFileSync(path, 'latin1');
  }
  return found;
}
