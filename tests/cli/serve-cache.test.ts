import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServeFlags } from '../../src/cli/commands/serve.ts';
import type { CliContext } from '../../src/cli/context.ts';
import { stdioCommand } from '../../src/cli/serve-config.ts';
import { openProvider } from '../../src/cli/serve-provider.ts';
import { silentLogger } from '../../src/logger.ts';
import { directorySource } from '../../src/source/index.ts';
import { skillText } from './program.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-serve-cache-'));
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** A folder of one skill with so many files of long ago. */
function skillOf(files: number): string {
  const skill = join(folder, 'skills', 'pdf');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), skillText('pdf'));
  for (let at = 0; at < files; at += 1) writeFileSync(join(skill, `file-${at}.md`), `${at}`);
  for (const name of readdirSync(skill)) utimesSync(join(skill, name), 1_700_000_000, 1_700_000_000);
  return join(folder, 'skills');
}

/** Starts and ends a server's provider; gives how many files it read. */
async function serveOnce(root: string, flags: Partial<ServeFlags>): Promise<number> {
  const source = directorySource(root);
  const facts = vi.spyOn(source, 'facts');
  const provider = await openProvider({ watch: false, ...flags } as ServeFlags, {
    source,
    logger: silentLogger,
    onProgress: () => undefined,
  });
  await provider.close();
  return facts.mock.calls.length;
}

describe.skipIf(process.platform !== 'linux')('the start of serve', () => {
  it('reads no file that the last one read', async () => {
    const root = skillOf(900);
    expect(await serveOnce(root, { cache: true })).toBe(900);
    expect(await serveOnce(root, { cache: true })).toBe(0);
    writeFileSync(join(root, 'pdf', 'file-7.md'), 'other');
    expect(await serveOnce(root, { cache: true })).toBe(1);
    expect(readdirSync(join(folder, 'cache', 'skillwire', 'digests')).length).toBe(1);
  });

  it('reads everything and keeps nothing with --no-cache', async () => {
    const root = skillOf(900);
    for (let time = 0; time < 2; time += 1) expect(await serveOnce(root, { cache: false })).toBe(900);
    expect(readdirSync(folder)).toEqual(['skills']);
  });

  it('keeps nothing of a few files', async () => {
    const root = skillOf(20);
    await serveOnce(root, { cache: true });
    expect(readdirSync(folder)).toEqual(['skills']);
  });
});

it('--no-cache stands in the configuration of clients', () => {
  const context = { cwd: '/home/me', program: { command: 'skillwire', args: [] } } as unknown as CliContext;
  const args = (cache: boolean): readonly string[] =>
    stdioCommand(['/skills'], { watch: true, cache } as ServeFlags, context).args;
  expect(args(false)).toContain('--no-cache');
  expect(args(true)).not.toContain('--no-cache');
});
