/** Skills whose content is made anew, content that cannot be read, and skills that are large, over HTTP in both eras. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource, type Source } from '../../src/source/index.ts';

const SKILL = '---\nname: demo\ndescription: Shows.\n---\n';
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(options: ProviderOptions, mode: 'legacy' | { pin: string }): Promise<Client> {
  const provider = await createProvider(options);
  open.push(() => provider.close());
  const app = createHttpApp({ provider });
  open.push(() => app.close({ drainMs: 0 }));
  const { url } = await app.listen({ port: 0 });
  const client = new Client({ name: 'requirements', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  open.push(() => client.close());
  return client;
}

/** A source whose file fails to be read once `broken` says so, with the message of a foreign library. */
function failing(inner: Source, broken: () => boolean): Source {
  return {
    label: inner.label,
    list: (path) => inner.list(path),
    contains: (ancestor, id) => inner.contains(ancestor, id),
    close: () => inner.close(),
    read(path, options) {
      if (broken() && path.endsWith('data.txt'))
        throw new Error('EIO: i/o error, read /secret/place/data.txt');
      return inner.read(path, options);
    },
    stat(path, options) {
      if (broken() && path.endsWith('data.txt'))
        throw new Error('EIO: i/o error, stat /secret/place/data.txt');
      return inner.stat(path, options);
    },
  };
}

describe.each([
  ['2026-07-28', { pin: '2026-07-28' }],
  ['2025-11-25', 'legacy'],
] as const)('%s', (_, mode) => {
  it('a skill with content made anew is "dynamic", and each read makes it', async () => {
    let count = 0;
    const source = memorySource({ 'demo/SKILL.md': SKILL, 'demo/now.txt': () => `call ${++count}` });
    const client = await serve({ source }, mode);
    const skills = new SkillsClient(client);
    const { skills: listed } = await skills.list();
    expect(listed.map(({ uri, resources }) => [uri, resources])).toEqual([
      ['skill://demo/SKILL.md', 'dynamic'],
    ]);
    const texts = [];
    for (let at = 0; at < 2; at++) {
      const { text, verified } = await skills.read(listed[0]!, 'now.txt', { cacheMode: 'bypass' });
      expect(verified).toBe(false);
      texts.push(text);
    }
    expect(texts[0]).toMatch(/^call \d+$/);
    expect(texts[1]).not.toBe(texts[0]);
  });

  it('a failure inside is -32603 and tells nothing of this machine', async () => {
    let broken = false;
    const source = failing(memorySource({ 'demo/SKILL.md': SKILL, 'demo/data.txt': 'fine' }), () => broken);
    const client = await serve({ source }, mode);
    expect(
      (await client.readResource({ uri: 'skill://demo/data.txt' }, { cacheMode: 'bypass' })).contents,
    ).toHaveLength(1);
    broken = true;
    const failure = await client.readResource({ uri: 'skill://demo/data.txt' }, { cacheMode: 'bypass' }).then(
      () => undefined,
      (error: { code?: number; message?: string }) => error,
    );
    expect(failure?.code).toBe(-32603);
    expect(failure?.message).not.toMatch(/EIO|secret/);
    expect(failure?.message).toContain('data.txt');
  });

  it('an empty catalog has an empty listing', async () => {
    const client = await serve({ source: memorySource({}) }, mode);
    expect((await new SkillsClient(client).list()).skills).toEqual([]);
  });
});

it('a skill of more than 512 files, or more than 16 MiB, is served with a warning that names the limit', async () => {
  const many: Record<string, string | Uint8Array> = { 'many/SKILL.md': SKILL.replace('demo', 'many') };
  for (let at = 0; at < 512; at++) many[`many/file-${at}.txt`] = 'x';
  for (let at = 0; at < 2; at++) many[`large/part-${at}.bin`] = new Uint8Array(8_388_608);
  many['large/SKILL.md'] = SKILL.replace('demo', 'large');
  const provider = await createProvider({ source: memorySource(many) });
  open.push(() => provider.close());
  const { skills, diagnostics } = provider.catalog.snapshot;
  expect(skills.map((skill) => [skill.name, skill.listed])).toEqual([
    ['large', true],
    ['many', true],
  ]);
  const warned = diagnostics
    .filter((each) => each.severity === 'warning')
    .map((each) => [each.path, /512|16 MiB|16,777,216|16777216/.exec(each.message)?.[0]]);
  expect(warned.map(([path]) => path?.split('/')[0]).sort()).toEqual(['large', 'many']);
  expect(warned.every(([, limit]) => limit !== undefined)).toBe(true);
});
