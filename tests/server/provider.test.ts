import type { Server } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import { createProvider, type SkillProvider, skillsCapability } from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, linkServer, REVISIONS } from './link.ts';
import { recordingLogger, skillText } from './support.ts';

const LIST_CHANGED = 'notifications/resources/list_changed';
const FILES = { 'pdf/SKILL.md': skillText('pdf'), 'pdf/a.md': 'a', 'csv/SKILL.md': skillText('csv') };

async function open(
  options: Partial<Parameters<typeof createProvider>[0]> = {},
): Promise<{ source: MemorySource; provider: SkillProvider }> {
  const source = memorySource(FILES);
  return { source, provider: await createProvider({ source, ...options }) };
}

describe('making a provider', () => {
  it.each([
    ['no source', {}, 'PROVIDER_MISSING_FS'],
    ['null', { source: null }, 'PROVIDER_MISSING_FS'],
    [
      'a source that is a skill',
      { source: memorySource({ 'SKILL.md': skillText('pdf') }) },
      'MANIFEST_NOT_IN_ROOT',
    ],
    ['a negative ttl', { source: memorySource({}), ttlMs: -1 }, 'USAGE'],
    ['half an entry a page', { source: memorySource({}), pageSize: 0.5 }, 'USAGE'],
    ['a page of less than none', { source: memorySource({}), pageSize: -2 }, 'USAGE'],
    ['half a millisecond', { source: memorySource({}), ttlMs: 0.5 }, 'USAGE'],
    [
      'a refused skill, strictly',
      { source: memorySource({ 'pdf/SKILL.md': skillText('other') }), strict: true },
      'SKILL_NAME_MISMATCH',
    ],
  ])('refuses %s', async (_name, options, code) => {
    await expect(createProvider(options as never)).rejects.toMatchObject({ code });
  });

  it('starts at version 0 and has the revision of its content', async () => {
    const { provider } = await open();
    const { provider: same } = await open();
    expect(provider.version).toBe(0);
    expect(provider.revision).toBe(same.revision);
    expect(provider.cacheScope).toBe('private');
    await provider.close();
    await same.close();
  });
});

describe('the version', () => {
  it('grows by one for each refresh, at once, and also when nothing changed or all is closed', async () => {
    const { source, provider } = await open();
    const pending = provider.refresh();
    expect(provider.version).toBe(1);
    await pending;
    expect(provider.version).toBe(1);
    source.set('pdf/a.md', 'other');
    await provider.refresh();
    expect(provider.version).toBe(2);
    await provider.close();
    await expect(provider.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    expect(provider.version).toBe(3);
  });

  it('grows by one for a change that a read finds', async () => {
    const { source, provider } = await open();
    const revision = provider.revision;
    source.set('pdf/a.md', 'other');
    expect((await provider.catalog.read('skill://pdf/a.md')).bytes.toString()).toBe('other');
    expect(provider.version).toBe(1);
    expect(provider.revision).not.toBe(revision);
    await provider.close();
  });
});

describe('a listener', () => {
  it('hears of every change and every refresh, until it is taken back', async () => {
    const { source, provider } = await open();
    const heard: string[][] = [];
    const end = provider.onChange((changes) => heard.push([...changes.changed]));
    await provider.refresh();
    source.set('pdf/a.md', 'b');
    await provider.refresh();
    source.set('pdf/a.md', 'c');
    await provider.catalog.read('skill://pdf/a.md');
    end();
    await provider.refresh();
    expect(heard).toEqual([[], ['skill://pdf/SKILL.md'], ['skill://pdf/SKILL.md']]);
    await provider.close();
  });

  it('that throws keeps nobody from hearing', async () => {
    const { logger, lines } = recordingLogger();
    const { provider } = await open({ logger });
    const heard = vi.fn();
    provider.onChange(() => {
      throw new Error('mine');
    });
    provider.onChange(heard);
    await provider.refresh();
    expect(heard).toHaveBeenCalledTimes(1);
    expect(lines.filter((line) => line.level === 'error').map((line) => line.message)).toEqual([
      'a change listener threw',
    ]);
    await provider.close();
  });
});

describe('its resources', () => {
  it('are all files in order of their URI, the SKILL.md of each skill described as the skill', async () => {
    const provider = await createProvider({
      source: memorySource({
        'outer/SKILL.md': skillText('outer'),
        'outer/x y.txt': 'x',
        'outer/inner/SKILL.md': skillText('inner', 'license: MIT\n'),
        'outer/folder/SKILL.md': skillText('named'),
      }),
      metaPrefix: 'dev.example/',
    });
    expect(
      provider.resources().map(({ uri, name, description, _meta }) => [uri, name, description, _meta]),
    ).toEqual([
      ['skill://outer/SKILL.md', 'outer', 'About outer', undefined],
      ['skill://outer/folder/SKILL.md', 'SKILL.md', undefined, undefined],
      ['skill://outer/inner/SKILL.md', 'inner', 'About inner', { 'dev.example/license': 'MIT' }],
      ['skill://outer/named/SKILL.md', 'named', 'About named', undefined],
      ['skill://outer/x%20y.txt', 'x y.txt', undefined, undefined],
    ]);
    await provider.close();
  });

  it('have no _meta when the prefix is empty', async () => {
    const source = memorySource({ 'a/SKILL.md': skillText('a', 'license: MIT\n') });
    const provider = await createProvider({ source, metaPrefix: '' });
    expect(provider.resources()[0]).not.toHaveProperty('_meta');
    await provider.close();
  });
});

describe('its warnings', () => {
  it('are none for an ordinary catalog', async () => {
    const { provider } = await open();
    expect(provider.warnings()).toEqual([]);
    await provider.close();
  });

  it('name lists that the official client gives up on', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 65 }, (_, at) => [`s${at}/SKILL.md`, skillText(`s${at}`)]),
    );
    const provider = await createProvider({ source: memorySource(files), pageSize: 1, index: false });
    expect(provider.warnings().map(({ code, message }) => [code, message])).toEqual([
      ['TOO_MANY_PAGES', expect.stringMatching(/^skills\/list takes 65 pages; .* after 64/)],
      ['TOO_MANY_PAGES', expect.stringMatching(/^resources\/list takes 130 pages; .* after 64/)],
      ['TOO_MANY_PAGES', expect.stringMatching(/^resources\/templates\/list takes 66 pages; .* after 64/)],
    ]);
    await provider.close();
  });
});

describe('a server of the provider', () => {
  it.each([
    [{ transport: 'stdio' }, { listChanged: true, subscribe: true }],
    [{ transport: 'http' }, {}],
    [
      { transport: 'http', listChanged: true },
      { listChanged: true, subscribe: true },
    ],
    [{ transport: 'stdio', listChanged: false }, {}],
  ] as const)('%j advertises %j', async (options, resources) => {
    const { provider } = await open();
    expect(provider.createServer(options).getCapabilities().resources).toEqual(resources);
    await provider.close();
  });

  it('has no directory/read when that is switched off, and does not declare it', async () => {
    const { provider } = await open({ directoryRead: false });
    for (const revision of REVISIONS) {
      const link = await linkProvider(provider, revision);
      expect(link.client.getServerCapabilities()?.extensions).toEqual({
        'io.modelcontextprotocol/skills': {},
      });
      const { error } = await link.ask('resources/directory/read', { uri: 'skill://pdf' });
      expect(error?.code).toBe(-32601);
      await link.close();
    }
    await provider.close();
  });

  it('holds the provider only while it is connected', async () => {
    const { provider } = await open();
    let server: Server | undefined;
    const sent = vi.fn();
    const connect = (): Promise<Link> =>
      linkServer(() => {
        server ??= provider.createServer({ transport: 'http', listChanged: true });
        server.notification = async ({ method }) => void sent(method);
        return server;
      }, '2025-11-25');
    await provider.refresh();
    expect(sent).toHaveBeenCalledTimes(0);
    for (const round of [1, 2]) {
      const link = await connect();
      await provider.refresh();
      expect(sent).toHaveBeenCalledTimes(round);
      await link.close();
      await provider.refresh();
      expect(sent).toHaveBeenCalledTimes(round);
    }
    await provider.close();
  });

  it('says that it is closed when its provider is', async () => {
    const { provider } = await open();
    const link = await linkProvider(provider, '2025-11-25');
    await provider.close();
    const { error } = await link.ask('resources/read', { uri: 'skill://pdf/a.md' });
    expect(error).toMatchObject({ code: -32603, data: { code: 'PROVIDER_CLOSED' } });
    await link.close();
  });
});

describe.each(REVISIONS)('list_changed, %s', (revision) => {
  async function listening(provider: SkillProvider): Promise<{ link: Link; count: () => number }> {
    const link = await linkProvider(provider, revision);
    if (revision === '2026-07-28') await link.client.listen({ resourcesListChanged: true });
    else await link.ask('ping');
    return {
      link,
      count: () =>
        link.heard.filter((message) => 'method' in message && message.method === LIST_CHANGED).length,
    };
  }

  it('arrives once for each change, and the new list is there then', async () => {
    const { source, provider } = await open();
    const { link, count } = await listening(provider);
    source.set('new/SKILL.md', skillText('new'));
    await provider.refresh();
    const [page] = await link.pages<{ uri: string }>('skills/list', 'skills');
    expect(page?.map((each) => each.uri)).toEqual([
      'skill://csv/SKILL.md',
      'skill://new/SKILL.md',
      'skill://pdf/SKILL.md',
    ]);
    expect(count()).toBe(1);
    await provider.refresh();
    await link.ask('skills/list');
    expect(count()).toBe(2);
    await link.close();
    await provider.close();
  });

  it('arrives when a read finds the change, and what is read is what the entry says', async () => {
    const { source, provider } = await open();
    const { link, count } = await listening(provider);
    source.set('pdf/a.md', 'other');
    const { result } = await link.ask('resources/read', { uri: 'skill://pdf/a.md' });
    expect(result?.contents).toMatchObject([{ text: 'other' }]);
    expect(count()).toBe(1);
    const entry = await link.ask('skills/get', { uri: 'skill://pdf/SKILL.md' });
    expect(entry.result?.skill).toMatchObject({
      resources: [
        {},
        { size: 5, digest: 'sha256:d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa' },
      ],
    });
    await link.close();
    await provider.close();
  });
});

describe('the capability', () => {
  it.each([
    [undefined, { 'io.modelcontextprotocol/skills': {} }],
    [{ directoryRead: false }, { 'io.modelcontextprotocol/skills': {} }],
    [{ directoryRead: true }, { 'io.modelcontextprotocol/skills': { directoryRead: true } }],
  ])('%j', (options, expected) => {
    expect(skillsCapability(options)).toEqual(expected);
  });
});
