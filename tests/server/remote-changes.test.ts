import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProvider } from '../../src/server/index.ts';
import type { Broadcast } from '../../src/server/notify.ts';
import { fetchArchive } from '../../src/source/index.ts';
import { type ArchiveServer, archiveServer } from '../source/archive-server.ts';
import { packTarGz, packZip } from '../source/pack-files.ts';

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());

const files = (text: string): Record<string, string> => ({
  'pdf/SKILL.md': '---\nname: pdf\ndescription: d\n---\n',
  'pdf/a.txt': text,
});

test.each([
  ['tar.gz', packTarGz],
  ['zip', packZip],
] as const)(
  'a new %s on the server is told, and what is read always has the digest of its entry',
  async (format, pack) => {
    let body = pack(files('one'));
    let etag = '"1"';
    const url = server.put(`/pack.${format}`, (request, response) => {
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { etag }).end(body);
    });
    const errors: string[] = [];
    await using provider = await createProvider({
      source: await fetchArchive(url, { allowPrivate: true }),
      watch: { pollRemoteMs: 5, onError: ({ code }) => errors.push(code) },
    });
    const { revision } = provider;
    const told = new Promise<Broadcast>((resolve) => provider.onBroadcast(resolve));
    body = pack({ ...files('two and more'), 'csv/SKILL.md': '---\nname: csv\ndescription: d\n---\n' });
    etag = '"2"';
    let broadcast: Broadcast | undefined;
    void told.then((got) => {
      broadcast = got;
    });
    const seen = new Set<string>();
    while (broadcast === undefined) {
      const { file, bytes } = await provider.catalog.read('skill://pdf/a.txt');
      expect(file.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
      seen.add(bytes.toString());
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    seen.add((await provider.catalog.read('skill://pdf/a.txt')).bytes.toString());
    expect([...seen]).toEqual(['one', 'two and more']);
    expect(provider.catalog.snapshot.skills.map(({ path }) => path)).toEqual(['csv', 'pdf']);
    expect(provider.revision).not.toBe(revision);
    expect(provider.version).toBeGreaterThan(0);
    expect(JSON.stringify(broadcast.params)).toContain('a.txt');
    expect(errors).toEqual([]);
  },
);
