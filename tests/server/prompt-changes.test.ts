import { afterEach, describe, expect, test } from 'vitest';
import { type Docs, openDocs, openPrompts, type PromptRegistry } from '../../src/prompts/index.ts';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import type { Broadcast } from '../../src/server/notify.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { fakeClock } from './fake-clock.ts';
import { type Link, linkProvider, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const prompt = (description: string, body = 'x', more = ''): string =>
  `---\ndescription: ${description}\n${more}---\n${body}\n`;
const INDEX = 'resource://catalog/prompts_index';
const RESOURCES = 'notifications/resources/list_changed';
const PROMPTS = 'notifications/prompts/list_changed';
const UPDATED = 'notifications/resources/updated';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Bench {
  readonly skills: MemorySource;
  readonly files: MemorySource;
  readonly pages: MemorySource;
  readonly prompts: PromptRegistry;
  readonly docs: Docs;
  readonly provider: SkillProvider;
}

async function open(options: Partial<ProviderOptions> = {}, listed = true): Promise<Bench> {
  const skills = memorySource({ 'pdf/SKILL.md': skillText('pdf') });
  const files = memorySource({ 'a.md': prompt('A'), 'b.md': prompt('B') });
  const pages = memorySource({ 'index.md': '# I\n', 'guide/a b.md': '# AB\n' });
  const prompts = await openPrompts(files);
  const docs = await openDocs(pages, { listed });
  const provider = await createProvider({ source: skills, prompts, docs, ...options });
  ends.push(async () => {
    await provider.close();
    await prompts.close();
    await docs.close();
  });
  return { skills, files, pages, prompts, docs, provider };
}

async function connect(provider: SkillProvider, revision: Revision): Promise<Link> {
  const link = await linkProvider(provider, revision);
  ends.push(() => link.close());
  return link;
}

async function want(link: Link, revision: Revision, uris: readonly string[]): Promise<void> {
  if (revision === '2026-07-28') {
    await link.client.listen({
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...uris],
    });
  } else {
    for (const uri of uris)
      expect(await link.ask('resources/subscribe', { uri })).toMatchObject({ result: {} });
  }
}

/** What came since it was asked last, in order: the method of a list, the URI of a resource. */
async function news(link: Link): Promise<readonly string[]> {
  await link.ask('resources/templates/list');
  const came = link.heard.splice(0) as { method?: string; params?: { uri?: string } }[];
  return came.flatMap(({ method, params }) =>
    method === undefined || !method.startsWith('notifications/') || method.includes('acknowledged')
      ? []
      : [method === UPDATED ? (params?.uri ?? '') : method],
  );
}

describe.each(REVISIONS)('over stdio, %s', (revision) => {
  test('says that lists change', async () => {
    const { provider } = await open();
    const link = await connect(provider, revision);
    expect(link.client.getServerCapabilities()).toMatchObject({
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
  });

  test('a reload tells of prompts when something changed, and of nothing else', async () => {
    const { files, prompts, provider } = await open();
    const link = await connect(provider, revision);
    await want(link, revision, [INDEX, 'resource://catalog/prompts/a', 'resource://prompts/a/document']);
    await news(link);

    await prompts.reload();
    expect(await news(link)).toEqual([]);

    files.set('a.md', prompt('A', 'another body'));
    await prompts.reload();
    expect(await news(link)).toEqual(['resource://prompts/a/document']);

    files.set('a.md', prompt('Another'));
    await prompts.reload();
    expect(await news(link)).toEqual([
      PROMPTS,
      INDEX,
      'resource://catalog/prompts/a',
      'resource://prompts/a/document',
    ]);

    // Not subscribed to, so only the lists are told of.
    files.set('b.md', prompt('B', 'x', 'tags: [t]\n'));
    await prompts.reload();
    expect(await news(link)).toEqual([INDEX]);

    // An edit that breaks a prompt withdraws that one alone.
    files.set('b.md', 'broken');
    await prompts.reload();
    expect(await news(link)).toEqual([PROMPTS, INDEX]);
    expect((await link.client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a']);
    expect(provider.version).toBe(0);
  });

  test('documents are told of by their URI, and their list when it is another one', async () => {
    const { pages, docs, provider } = await open();
    const link = await connect(provider, revision);
    await want(link, revision, ['resource://docs/guide/a%20b.md']);
    await news(link);
    pages.set('guide/a b.md', '# BA\n');
    pages.set('index.md', '# J\n');
    await docs.reload();
    expect(await news(link)).toEqual(['resource://docs/guide/a%20b.md']);
    pages.set('new.md', '# N\n');
    await docs.reload();
    expect(await news(link)).toEqual([RESOURCES]);
    const uris = (await link.client.listResources()).resources.map(({ uri }) => uri);
    expect(uris).toContain('resource://docs/new.md');
  });

  test('a change of skills is told as ever', async () => {
    const { skills, provider } = await open();
    const link = await connect(provider, revision);
    await want(link, revision, [INDEX]);
    await news(link);
    skills.set('pdf/x', '1');
    await provider.refresh();
    expect(await news(link)).toEqual([RESOURCES]);
  });
});

test('where skills are prompts too, their changes change both lists', async () => {
  const { skills, provider } = await open({ expose: ['prompts'] });
  const link = await connect(provider, '2025-11-25');
  await news(link);
  const before = provider.listRevisions;
  skills.set('docx/SKILL.md', skillText('docx'));
  await provider.refresh();
  expect(await news(link)).toEqual([RESOURCES, PROMPTS]);
  expect((await link.client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'a',
    'b',
    'docx',
    'pdf',
  ]);
  expect(provider.listRevisions.prompts).not.toBe(before.prompts);
});

describe('a subscription of a 2025-era client', () => {
  test('is compared by what the URI names', async () => {
    const { files, prompts, pages, docs, provider } = await open();
    const link = await connect(provider, '2025-11-25');
    await want(link, '2025-11-25', [
      'RESOURCE://prompts/%61/document',
      'resource://docs/guide%2Fa b.md',
      `${INDEX}?q=B&limit=5`,
    ]);
    await news(link);
    files.set('a.md', prompt('A', 'y'));
    await prompts.reload();
    expect(await news(link)).toEqual(['resource://prompts/a/document']);
    files.set('c.md', prompt('C'));
    await prompts.reload();
    // A page of the index is a resource of its own, told of by the URI that was subscribed to.
    expect(await news(link)).toEqual([PROMPTS, `${INDEX}?q=B&limit=5`]);
    pages.set('guide/a b.md', '# XY\n');
    await docs.reload();
    expect(await news(link)).toEqual(['resource://docs/guide/a%20b.md']);
    for (const uri of ['resource://prompts/a/document', `${INDEX}?q=B&limit=5`]) {
      expect(await link.ask('resources/unsubscribe', { uri })).toMatchObject({ result: {} });
    }
    files.set('a.md', prompt('A', 'z'));
    await prompts.reload();
    expect(await news(link)).toEqual([]);
  });

  test.each([
    'resource://catalog/prompts/nope',
    'resource://prompts/-x/document',
    `${INDEX}?limit=0`,
    'resource://docs/missing.md',
    'resource://docs/../index.md',
    'resource://docs/index.md?x=1',
    'resource://catalog/other',
  ])('to %s is refused', async (uri) => {
    const { provider } = await open();
    const link = await connect(provider, '2025-11-25');
    expect((await link.ask('resources/subscribe', { uri })).error).toEqual({
      code: -32602,
      message: `no such resource: "${uri}"`,
      data: { uri },
    });
  });
});

test('what changes within the window is told together, with what changed of skills', async () => {
  const clock = fakeClock();
  const { skills, files, prompts, provider } = await open({ clock, coalesceWindowMs: 200 });
  const sent: Broadcast[] = [];
  provider.onBroadcast((broadcast) => sent.push(broadcast));
  files.set('a.md', prompt('Another'));
  await prompts.reload();
  clock.pass(100);
  files.set('b.md', prompt('B', 'body'));
  await prompts.reload();
  skills.set('pdf/x', '1');
  await provider.refresh();
  expect(sent).toEqual([]);
  clock.pass(200);
  expect(sent).toHaveLength(1);
  expect(sent[0]).toMatchObject({
    promptsChanged: true,
    params: { _meta: { 'io.modelcontextprotocol.skills/paths-changed': { version: 1 } } },
  });
  expect(sent[0]?.updated).toEqual(
    expect.arrayContaining([INDEX, 'resource://prompts/b/document', 'skill://pdf/x']),
  );
  files.set('a.md', prompt('Another', 'y'));
  await prompts.reload();
  clock.pass(200);
  expect(sent[1]).toEqual({ promptsChanged: false, updated: ['resource://prompts/a/document'] });
});

test('after its end a provider hears no more of them', async () => {
  const { files, prompts, provider } = await open();
  const sent: Broadcast[] = [];
  provider.onBroadcast((broadcast) => sent.push(broadcast));
  await provider.close();
  files.set('a.md', prompt('Another'));
  expect(await prompts.reload()).toMatchObject({ changed: ['a'] });
  expect(sent).toEqual([]);
});

describe('documents in resources/list', () => {
  test('are there only when they are to be', async () => {
    const uris = async (provider: SkillProvider): Promise<readonly string[]> => {
      const link = await connect(provider, '2025-11-25');
      return (await link.client.listResources()).resources.map(({ uri }) => uri);
    };
    expect((await uris((await open({}, false)).provider)).filter((uri) => uri.includes('docs'))).toEqual([]);
    const all = await uris((await open()).provider);
    expect(all.filter((uri) => uri.startsWith('resource:'))).toEqual([
      INDEX,
      'resource://docs/guide/a%20b.md',
      'resource://docs/index.md',
    ]);
    expect(all).toEqual(all.toSorted());
  });

  test('are described, and read where they say', async () => {
    const { provider } = await open();
    const { client } = await connect(provider, '2026-07-28');
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === 'resource://docs/guide/a%20b.md')).toEqual({
      uri: 'resource://docs/guide/a%20b.md',
      name: 'guide/a b.md',
      mimeType: 'text/markdown',
      size: 5,
    });
    for (const { uri } of resources) expect((await client.readResource({ uri })).contents).toHaveLength(1);
  });
});

describe('prompts and documents alone', () => {
  test('are served without a word of skills', async () => {
    const prompts = await openPrompts(memorySource({ 'a.md': prompt('A') }));
    const docs = await openDocs(memorySource({ 'index.md': '# I\n' }));
    const provider = await createProvider({ prompts, docs });
    ends.push(() => provider.close());
    const { client, ask } = await connect(provider, '2025-11-25');
    expect(client.getServerCapabilities()).toEqual({
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
    });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([INDEX]);
    expect((await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)).toEqual([
      'prompts_index',
      'prompt',
      'prompt-document',
      'doc',
    ]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a']);
    expect((await ask('skills/list')).error?.code).toBe(-32601);
    expect((await ask('resources/read', { uri: 'skill://index.json' })).error?.code).toBe(-32602);
  });

  test('need one of the three', async () => {
    await expect(createProvider({})).rejects.toMatchObject({ code: 'PROVIDER_MISSING_FS' });
    const docs = await openDocs(memorySource({ 'index.md': '# I\n' }));
    await expect(createProvider({ docs, dialects: ['released'] })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(createProvider({ docs, archive: 'zip' })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(createProvider({ docs, expose: ['tools'] })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
