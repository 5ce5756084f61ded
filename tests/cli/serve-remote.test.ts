import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ServeFlags } from '../../src/cli/commands/serve.ts';
import { openProvider } from '../../src/cli/serve-provider.ts';
import { silentLogger } from '../../src/logger.ts';
import { openSource } from '../../src/source/index.ts';
import { type ArchiveServer, archiveServer } from '../source/archive-server.ts';
import { packTarGz } from '../source/pack-files.ts';
import { skillText } from './program.ts';

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

test.each<[string, Partial<ServeFlags>, number]>([
  ['by default', { watch: true }, 1],
  ['with --poll', { watch: true, poll: true }, 1],
  ['not with --no-watch', { watch: false }, 0],
])('an archive of a server is asked for every five minutes: %s', async (_, flags, times) => {
  const url = server.put('/pack.tar.gz', packTarGz({ 'pdf/SKILL.md': skillText('pdf') }));
  const source = await openSource(`team=${url}`, { allowPrivate: true });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await using provider = await openProvider(flags as ServeFlags, {
    source,
    logger: silentLogger,
    onProgress: () => undefined,
  });
  expect(provider.catalog.snapshot.skills.map(({ path }) => path)).toEqual(['team/pdf']);
  expect(timers.mock.calls.filter(([, ms]) => ms === 300_000)).toHaveLength(times);
});
