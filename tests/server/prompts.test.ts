import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Docs, openDocs, openPrompts, type PromptRegistry } from '../../src/prompts/index.ts';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

const REVIEW = `---
title: Code review
description: Review a diff
tags: [review, quality]
arguments:
  - name: diff
    description: Diff to review
    required: true
  - name: focus
    values: [speed, safety]
---
Review this:

{{diff}}

Focus: {{focus}}
`;
const INDEX = 'resource://catalog/prompts_index';

let prompts: PromptRegistry;
let docs: Docs;
let provider: SkillProvider;
const links: Link[] = [];

async function connect(revision: (typeof REVISIONS)[number]): Promise<Link> {
  const link = await linkProvider(provider, revision);
  links.push(link);
  return link;
}

beforeEach(async () => {
  prompts = await openPrompts(
    memorySource({
      'code-review.md': REVIEW,
      'release-notes.md': '---\ndescription: Draft release notes\n---\nWrite them.\n',
      'triage.md': '---\ndescription: Triage an issue\ntags: [review]\n---\nTriage.\n',
    }),
  );
  docs = await openDocs(memorySource({ 'index.md': '# I\n', 'guide/a b.md': '# AB\n', 'notes.txt': 't' }));
  provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    prompts,
    docs,
    dialects: ['released', 'draft-index'],
    pageSize: 2,
  });
});
afterEach(async () => {
  for (const link of links.splice(0)) await link.close();
  await provider.close();
  await prompts.close();
  await docs.close();
});

describe.each(REVISIONS)('a client of %s', (revision) => {
  test('finds prompts in the order of discovery: index, record, document', async () => {
    const { client } = await connect(revision);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(INDEX);
    const [index] = (await client.readResource({ uri: INDEX })).contents as {
      text: string;
      mimeType: string;
    }[];
    expect(index?.mimeType).toBe('application/json');
    const { items } = JSON.parse(index?.text ?? '') as { items: { id: string; uri: string }[] };
    expect(items.map(({ id }) => id)).toEqual(['code-review', 'release-notes', 'triage']);
    const [record] = (await client.readResource({ uri: `resource://catalog/prompts/${items[0]?.id}` }))
      .contents as { text: string }[];
    expect((JSON.parse(record?.text ?? '') as { arguments: unknown }).arguments).toEqual([
      { name: 'diff', description: 'Diff to review', required: true },
      { name: 'focus', required: false },
    ]);
    const document = await client.readResource({ uri: items[0]?.uri ?? '' });
    expect(document.contents).toEqual([
      { uri: 'resource://prompts/code-review/document', mimeType: 'text/markdown', text: REVIEW },
    ]);
  });

  test('searches by the template', async () => {
    const { client, ask } = await connect(revision);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'skill://{+path}',
      `${INDEX}{?q,tag,cursor,limit}`,
      'resource://catalog/prompts/{prompt_id}',
      'resource://prompts/{prompt_id}/document',
      'resource://docs/{path*}',
    ]);
    const [found] = (await client.readResource({ uri: `${INDEX}?q=REVIEW&tag=quality&x=1` })).contents as {
      text: string;
    }[];
    expect(JSON.parse(found?.text ?? '')).toMatchObject({ total: 1, items: [{ id: 'code-review' }] });
    expect((await ask('resources/read', { uri: `${INDEX}?limit=0` })).error).toMatchObject({
      code: -32602,
      message: 'limit is "0"; it must be a whole number from 1 to 100',
    });
    expect((await ask('resources/read', { uri: `${INDEX}?cursor=!!!` })).error?.code).toBe(-32602);
  });

  test('reads documents and nothing beside them', async () => {
    const { client, ask } = await connect(revision);
    expect((await client.readResource({ uri: 'resource://docs/guide%2Fa%20b.md' })).contents).toEqual([
      { uri: 'resource://docs/guide%2Fa%20b.md', mimeType: 'text/markdown', text: '# AB\n' },
    ]);
    for (const uri of [
      'resource://docs/../index.md',
      'resource://docs/notes.txt',
      'resource://docs/nope.md',
      'resource://catalog/prompts/nope',
      'resource://prompts/-x/document',
      'resource://other/x',
    ]) {
      expect((await ask('resources/read', { uri })).error).toEqual({
        code: -32602,
        message: `no such resource: "${uri}"`,
        data: { uri },
      });
    }
  });

  test('lists, completes and gets prompts', async () => {
    const { client, ask, pages } = await connect(revision);
    expect(client.getServerCapabilities()?.prompts).toEqual({ listChanged: true });
    const listed = await pages<{ name: string }>('prompts/list', 'prompts');
    expect(listed.map((page) => page.map(({ name }) => name))).toEqual([
      ['code-review', 'release-notes'],
      ['triage'],
    ]);
    expect(listed[0]?.[0]).toEqual({
      name: 'code-review',
      title: 'Code review',
      description: 'Review a diff',
      arguments: [
        { name: 'diff', description: 'Diff to review', required: true },
        { name: 'focus', required: false },
      ],
    });
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'code-review' },
      argument: { name: 'focus', value: 'sa' },
    });
    expect(completion.values).toEqual(['safety']);
    const got = await client.getPrompt({
      name: 'code-review',
      arguments: { diff: '{{focus}}', focus: 'speed' },
    });
    expect(got).toMatchObject({
      description: 'Review a diff',
      messages: [
        { role: 'user', content: { type: 'text', text: 'Review this:\n\n{{focus}}\n\nFocus: speed\n' } },
      ],
    });
    for (const params of [
      { name: 'nope' },
      { name: 'code-review' },
      { name: 'code-review', arguments: { diff: 1 } },
      {},
    ])
      expect((await ask('prompts/get', params)).error?.code).toBe(-32602);
    expect((await ask('prompts/list', { cursor: 'x' })).error?.code).toBe(-32602);
  });

  test('completes templates', async () => {
    const { client } = await connect(revision);
    const values = async (uri: string, name: string, value: string): Promise<readonly string[]> =>
      (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
        .values;
    expect(await values('resource://prompts/{prompt_id}/document', 'prompt_id', 't')).toEqual(['triage']);
    expect(await values(`${INDEX}{?q,tag,cursor,limit}`, 'tag', '')).toEqual(['quality', 'review']);
    expect(await values('resource://docs/{path*}', 'path', 'guide/')).toEqual(['guide/a b.md']);
    expect(await values('skill://{+path}', 'path', 'p')).toEqual(['pdf', 'pdf/SKILL.md']);
  });
});

test('a reload shows at the next request', async () => {
  let text = '---\ndescription: One\n---\nx\n';
  const memory = memorySource({ 'a.md': text });
  const registry = await openPrompts({
    ...memory,
    list: (path) => memory.list(path),
    stat: (path) => memory.stat(path),
    contains: (ancestor, id) => memory.contains(ancestor, id),
    close: () => memory.close(),
    read: () => ({ bytes: Buffer.from(text) }),
  });
  await provider.close();
  provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    prompts: registry,
  });
  const { client } = await connect('2025-11-25');
  text = text.replace('One', 'Two');
  expect((await client.listPrompts()).prompts[0]?.description).toBe('One');
  await registry.reload();
  expect((await client.listPrompts()).prompts[0]?.description).toBe('Two');
});

test('a provider without prompts declares and answers none', async () => {
  await provider.close();
  provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    dialects: ['released', 'draft-index'],
  });
  const { client, ask } = await connect('2025-11-25');
  expect(client.getServerCapabilities()?.prompts).toBeUndefined();
  expect((await ask('prompts/list')).error?.code).toBe(-32601);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).not.toContain(INDEX);
  expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  expect((await ask('resources/read', { uri: INDEX })).error).toMatchObject({
    code: -32602,
    data: { uri: INDEX },
  });
});
