import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { SkillsClient, type SkillsClientOptions, type WalkDirectoryOptions } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { linked, SKILLS, scripted } from './link.ts';
import { entryOf, manifestText, PDF } from './skill-server.ts';

const DIR = 'inode/directory';
const file = (uri: string): JsonRecord => ({
  uri,
  name: uri.slice(uri.lastIndexOf('/') + 1),
  mimeType: 'text/markdown',
});
const folder = (uri: string): JsonRecord => ({ ...file(uri), mimeType: DIR });

/** A server whose directories hold what `tree` says. */
async function start(
  tree: Readonly<Record<string, JsonRecord | ((cursor: unknown) => JsonRecord)>>,
  options: SkillsClientOptions = {},
  capabilities: JsonRecord = SKILLS,
) {
  const { client, seen } = await scripted({
    capabilities,
    answer(method, params) {
      if (method === 'skills/get') return { skill: entryOf('pdf', PDF) };
      if (method !== 'resources/directory/read') return undefined;
      const page = tree[String(params.uri)];
      if (page === undefined) return { error: { code: -32602, message: 'not found' } };
      return typeof page === 'function' ? page(params.cursor) : page;
    },
  });
  return { client: new SkillsClient(client, options), seen };
}

async function walk(client: SkillsClient, uri: string, options?: WalkDirectoryOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const child of client.walkDirectory(uri, options)) found.push(child.uri);
  return found;
}

const tree = {
  'skill://pdf': {
    resources: [
      file('skill://pdf/SKILL.md'),
      folder('skill://pdf/references'),
      folder('skill://pdf/empty'),
      file('skill://pdf/extra.md'),
    ],
  },
  'skill://pdf/references': {
    resources: [file('skill://pdf/references/a.md'), file('skill://pdf/references/b.md')],
  },
  'skill://pdf/empty': { resources: [] },
};

describe('readDirectory', () => {
  it('gives one page of children', async () => {
    const { client, seen } = await start({
      'skill://pdf': (cursor) =>
        cursor === undefined
          ? { resources: [file('skill://pdf/SKILL.md')], nextCursor: 'x', ttlMs: 7 }
          : { resources: [{ uri: 'skill://pdf/how%20to.md' }] },
    });
    expect(await client.readDirectory('skill://pdf')).toEqual({
      resources: [file('skill://pdf/SKILL.md')],
      nextCursor: 'x',
      ttlMs: 7,
    });
    expect(await client.readDirectory('skill://pdf', { cursor: 'x' })).toEqual({
      resources: [{ uri: 'skill://pdf/how%20to.md', name: 'how to.md' }],
    });
    expect(seen.map(({ params }) => params)).toEqual([
      { uri: 'skill://pdf' },
      { uri: 'skill://pdf', cursor: 'x' },
    ]);
  });

  it.each([
    { resources: {} },
    { ...SKILLS, extensions: { 'io.modelcontextprotocol/skills': {} } },
    { ...SKILLS, extensions: { 'io.modelcontextprotocol/skills': { directoryRead: 1 } } },
  ])('is never asked of a server that declares %j (H1)', async (capabilities) => {
    const { client, seen } = await start(tree, {}, capabilities);
    await expect(client.readDirectory('skill://pdf')).rejects.toMatchObject({
      code: 'DIRECTORY_READ_NOT_SUPPORTED',
    });
    await expect(walk(client, 'skill://pdf')).rejects.toMatchObject({ code: 'DIRECTORY_READ_NOT_SUPPORTED' });
    expect(seen).toEqual([]);
  });

  it.each([
    ['outside', 'skill://other/a.md'],
    ['above', 'skill://pdf'],
    ['deeper', 'skill://pdf/references/a.md'],
    ['of another scheme', 'file://pdf/a.md'],
  ])('refuses a page with a child %s (T5c)', async (_, uri) => {
    const { client } = await start({
      'skill://pdf': { resources: [file('skill://pdf/SKILL.md'), file(uri)] },
    });
    await expect(client.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  it.each([
    ['no list', { resources: 'x' }],
    ['a child that is text', { resources: ['x'] }],
    ['a cursor that is a number', { resources: [], nextCursor: 1 }],
  ])('refuses %s', async (_, page) => {
    const { client } = await start({ 'skill://pdf': page });
    await expect(client.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  it('passes on that it is no directory', async () => {
    const { client } = await start({});
    await expect(client.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('leaves out what the held entry lacks, and never reads it (H38, H40)', async () => {
    const { client, seen } = await start(tree);
    const skill = await client.getSkill('skill://pdf/SKILL.md');
    const { resources } = await client.readDirectory('skill://pdf', { skill });
    expect(resources.map(({ uri }) => uri)).toEqual(['skill://pdf/SKILL.md', 'skill://pdf/references']);
    await expect(client.read(skill, 'extra.md')).rejects.toMatchObject({ code: 'UNLISTED_FILE' });
    expect(await walk(client, 'skill://pdf', { skill })).toEqual([
      'skill://pdf/SKILL.md',
      'skill://pdf/references',
      'skill://pdf/references/a.md',
    ]);
    expect(seen.some(({ method }) => method === 'resources/read')).toBe(false);
  });
});

describe('walkDirectory', () => {
  it('gives everything below, folders first', async () => {
    const { client } = await start(tree);
    expect(await walk(client, 'skill://pdf/')).toEqual([
      'skill://pdf/SKILL.md',
      'skill://pdf/references',
      'skill://pdf/empty',
      'skill://pdf/extra.md',
      'skill://pdf/references/a.md',
      'skill://pdf/references/b.md',
    ]);
  });

  it('ends where folders never do', async () => {
    const { client: mcp, seen } = await scripted({
      answer: (_, { uri }) => ({ resources: [folder(`${String(uri)}/x`)] }),
    });
    const found: string[] = [];
    const walking = async (): Promise<void> => {
      for await (const { uri } of new SkillsClient(mcp).walkDirectory('skill://pdf')) found.push(uri);
    };
    await expect(walking()).rejects.toMatchObject({ code: 'LISTING_INCOMPLETE' });
    expect(found).toHaveLength(33);
    expect(seen).toHaveLength(33);
  });

  it.each<[string, SkillsClientOptions, number]>([
    ['pages', { maxPages: 3 }, 3],
    ['entries', { maxEntries: 4 }, 4],
  ])('ends at the cap of %s, after what came before', async (_, options, count) => {
    let page = 0;
    const { client } = await start(
      { 'skill://pdf': () => ({ resources: [file(`skill://pdf/f${page++}`)], nextCursor: 'x' }) },
      options,
    );
    const found: string[] = [];
    const walking = async (): Promise<void> => {
      for await (const { uri } of client.walkDirectory('skill://pdf')) found.push(uri);
    };
    await expect(walking()).rejects.toMatchObject({ code: 'LISTING_INCOMPLETE' });
    expect(found).toHaveLength(count);
  });

  it('walks a real server', async () => {
    const provider = await createProvider({
      source: memorySource({ 'pdf/SKILL.md': manifestText('pdf'), 'pdf/a/b/c.md': 'c', 'pdf/a/d.md': 'd' }),
    });
    const server = new McpServer({ name: 'own', version: '1' });
    provider.attach(server);
    const client = new SkillsClient(await linked(server));
    expect((await walk(client, 'skill://pdf')).sort()).toEqual([
      'skill://pdf/SKILL.md',
      'skill://pdf/a',
      'skill://pdf/a/b',
      'skill://pdf/a/b/c.md',
      'skill://pdf/a/d.md',
    ]);
  });
});
