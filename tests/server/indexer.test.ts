import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createIndexer,
  createProvider,
  type ProviderOptions,
  type SkillProvider,
} from '../../src/server/index.ts';
import { type MemorySource, memorySource, type Source } from '../../src/source/index.ts';
import { lookup, META_KEY_VERSION } from '../../src/wire/index.ts';
import { fakeClock } from './fake-clock.ts';
import { linkServer, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

const URL_A = 'skill://a/SKILL.md';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A provider over a source whose calls are counted. */
async function open(options: Partial<ProviderOptions> = {}): Promise<{
  readonly provider: SkillProvider;
  readonly source: MemorySource;
  readonly calls: { list: number; stat: number };
}> {
  const source = memorySource({ 'a/SKILL.md': skillText('a'), 'a/x': '1', 'b/SKILL.md': skillText('b') });
  const calls = { list: 0, stat: 0 };
  const counted: Source = {
    label: source.label,
    list: (path) => {
      calls.list += 1;
      return source.list(path);
    },
    read: (path, how) => source.read(path, how),
    stat: (path, how) => {
      calls.stat += 1;
      return source.stat(path, how);
    },
    contains: (ancestor, id) => source.contains(ancestor, id),
    close: () => source.close(),
  };
  const provider = await createProvider({ source: counted, ...options });
  ends.push(() => provider.close());
  calls.list = 0;
  calls.stat = 0;
  return { provider, source, calls };
}

describe('an index that is not kept', () => {
  it('is made anew by each call: edits, new and removed skills', async () => {
    const { provider, source, calls } = await open();
    const indexer = createIndexer(provider);
    const first = await indexer.index();
    expect(first.skills.map(({ name }) => name)).toEqual(['a', 'b']);
    source.set('a/x', '2');
    const second = await indexer.index();
    expect(lookup(second, URL_A)?._meta).not.toEqual(lookup(first, URL_A)?._meta);
    source.set('c/SKILL.md', skillText('c'));
    source.delete('b');
    const third = await indexer.index();
    expect(third.skills.map(({ name }) => name)).toEqual(['a', 'c']);
    expect([first, second, third].map(({ _meta }) => _meta?.[META_KEY_VERSION])).toEqual([0, 1, 2]);
    expect(calls.list).toBeGreaterThan(0);
  });

  it('fails as the source does, and works again with it', async () => {
    const { provider, source } = await open();
    const indexer = createIndexer(provider);
    const list = source.list.bind(source);
    source.list = () => {
      throw new Error('no disk');
    };
    await expect(indexer.index()).rejects.toThrow();
    source.list = list;
    expect((await indexer.index()).skills).toHaveLength(2);
  });
});

describe('an index that is kept', () => {
  it('is the same until its time is over', async () => {
    const clock = fakeClock();
    const { provider, source, calls } = await open({ clock });
    const indexer = createIndexer(provider, { ttlMs: 1_000, mtimeChecks: false });
    const first = await indexer.index();
    Object.assign(calls, { list: 0, stat: 0 });
    source.set(URL_A.slice(8), skillText('a', '', 'Other.\n'));
    clock.pass(1_000);
    expect(await indexer.index()).toBe(first);
    expect(calls).toEqual({ list: 0, stat: 0 });
    clock.pass(1);
    expect(lookup(await indexer.index(), URL_A)?.digest).not.toBe(lookup(first, URL_A)?.digest);
  });

  it('ends when a SKILL.md was modified, which is looked at each time', async () => {
    const { provider, source, calls } = await open({ clock: fakeClock() });
    const indexer = createIndexer(provider, { ttlMs: 1_000 });
    const first = await indexer.index();
    calls.stat = 0;
    expect(await indexer.index()).toBe(first);
    expect(calls.stat).toBe(2);
    source.set('a/x', 'a supporting file');
    expect(await indexer.index()).toBe(first);
    source.set('a/SKILL.md', skillText('a', '', 'Other.\n'));
    const second = await indexer.index();
    expect(lookup(second, URL_A)?.digest).not.toBe(lookup(first, URL_A)?.digest);
    expect(lookup(second, URL_A)?._meta).not.toEqual(lookup(first, URL_A)?._meta);
    source.delete('b');
    expect((await indexer.index()).skills).toHaveLength(1);
  });

  it.each([
    ['a report', (provider: SkillProvider) => provider.notifyChanged('a/x')],
    ['a refresh', (provider: SkillProvider) => provider.refresh()],
    ['a read that finds a change', (provider: SkillProvider) => provider.catalog.read('skill://a/x')],
  ])('ends with %s', async (_name, change) => {
    const { provider, source } = await open({ clock: fakeClock() });
    const indexer = createIndexer(provider, { ttlMs: 1_000, mtimeChecks: false });
    const first = await indexer.index();
    source.set('a/x', '2');
    await change(provider);
    const second = await indexer.index();
    expect(second._meta?.[META_KEY_VERSION]).toBe(1);
    expect(lookup(second, URL_A)?._meta).not.toEqual(lookup(first, URL_A)?._meta);
  });

  it('ends with invalidate, also while it is being made', async () => {
    const { provider, source } = await open({ clock: fakeClock() });
    const indexer = createIndexer(provider, { ttlMs: 1_000, mtimeChecks: false });
    indexer.invalidate();
    const first = await indexer.index();
    source.set('a/x', '2');
    indexer.invalidate();
    const making = indexer.index();
    indexer.invalidate();
    const second = await making;
    expect(second).not.toBe(first);
    expect(await indexer.index()).not.toBe(first);
  });

  it('never states a version whose scan is still under way', async () => {
    const { provider, source } = await open();
    const indexer = createIndexer(provider, { ttlMs: 1_000, mtimeChecks: false });
    source.set('a/x', '2');
    const told = provider.notifyChanged('a/x');
    const index = await indexer.index();
    expect(index._meta?.[META_KEY_VERSION]).toBe(1);
    await told;
    expect(await indexer.index()).toBe(index);
  });
});

describe('the index of a provider', () => {
  it('is kept as long as indexCacheTtlMs says', async () => {
    const clock = fakeClock();
    const { provider, source, calls } = await open({ clock, indexCacheTtlMs: 1_000 });
    const server = provider.createServer({ transport: 'stdio' });
    const link = await linkServer(() => server, '2025-11-25');
    ends.push(() => link.close());
    const read = async (): Promise<unknown> =>
      (await link.ask('resources/read', { uri: 'skill://index.json' })).result?.contents;
    const first = await read();
    calls.list = 0;
    source.set('c/SKILL.md', skillText('c'));
    expect(await read()).toEqual(first);
    expect(calls.list).toBe(0);
    clock.pass(1_001);
    expect(await read()).not.toEqual(first);
  });

  it.each(REVISIONS)('can be one of the caller’s on its own server, %s', async (revision) => {
    const { provider, source } = await open({ index: false });
    const link = await linkServer(() => {
      const server = new McpServer({ name: 'mine', version: '1.0.0' });
      createIndexer(provider).registerWith(server);
      provider.attach(server);
      return server;
    }, revision);
    ends.push(() => link.close());
    const names = async (): Promise<string[]> => {
      const { result } = await link.ask('resources/read', { uri: 'skill://index.json' });
      const [content] = (result?.contents ?? []) as { text: string }[];
      const { skills } = JSON.parse(content?.text ?? '') as { skills: { name: string }[] };
      return skills.map(({ name }) => name);
    };
    expect(await names()).toEqual(['a', 'b']);
    source.set('c/SKILL.md', skillText('c'));
    expect(await names()).toEqual(['a', 'b', 'c']);
    const { resources } = await link.client.listResources();
    expect(resources.find(({ uri }) => uri === 'skill://index.json')).toMatchObject({
      name: 'Skill discovery index',
      description: 'JSON catalog of skills served by this server per SEP-2640.',
      mimeType: 'application/json',
    });
  });
});

describe('making an indexer', () => {
  it.each([-1, 0.5, Number.NaN])('refuses the time %s', async (ttlMs) => {
    const { provider } = await open();
    expect(() => createIndexer(provider, { ttlMs })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('refuses what is no provider of createProvider', async () => {
    const { provider } = await open();
    expect(() => createIndexer({ ...provider })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});
