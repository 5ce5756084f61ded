/** Prompts and documents on a server of the caller's, beside its own. */
import { completable, McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openDocs, openPrompts, type PromptRegistry } from '../../src/prompts/index.ts';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { type Link, linkServer, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const INFO = { name: 'caller', version: '1.0.0' };
const INDEX = 'resource://catalog/prompts_index';
const prompt = (description: string, body = 'x'): string =>
  `---\ndescription: ${description}\narguments:\n  - name: diff\n    values: [ours]\n---\n${body} {{diff}}\n`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function provide(
  options: Partial<ProviderOptions> = {},
): Promise<{ provider: SkillProvider; prompts: PromptRegistry; files: MemorySource }> {
  const files = memorySource({
    'code-review.md': prompt('Ours'),
    'm.md': prompt('M'),
    'n.md': prompt('N'),
  });
  const prompts = await openPrompts(files);
  const docs = await openDocs(memorySource({ 'index.md': '# Ours\n' }), { listed: true });
  const provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    dialects: ['released'],
    prompts,
    docs,
    ...options,
  });
  ends.push(() => provider.close());
  return { provider, prompts, files };
}

async function open(factory: () => McpServer | Server, revision: Revision): Promise<Link> {
  const link = await linkServer(factory, revision);
  ends.push(() => link.close());
  return link;
}

function text(value: string): { messages: { role: 'user'; content: { type: 'text'; text: string } }[] } {
  return { messages: [{ role: 'user', content: { type: 'text', text: value } }] };
}

/** What the caller has: some of it under our names. */
function registerAll(mcp: McpServer): void {
  const who = completable(z.string(), (value) => [`${value}!`]);
  mcp.registerPrompt('greet', { argsSchema: z.object({ who }) }, (given) => text(`Hello ${given.who}`));
  mcp.registerPrompt('code-review', { description: 'Theirs' }, () => text('theirs'));
  mcp.registerResource('mine', 'resource://mine/x', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'mine' }],
  }));
  mcp.registerResource('theirs', 'resource://docs/index.md', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'theirs' }],
  }));
  mcp.registerResource('beyond', 'resource://docs/theirs.md', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'beyond' }],
  }));
  mcp.registerResource(
    'by',
    new ResourceTemplate('resource://by/{name}', {
      list: undefined,
      complete: { name: (value) => [`${value}?`] },
    }),
    {},
    (uri) => ({ contents: [{ uri: uri.href, text: 'by' }] }),
  );
}

describe.each(REVISIONS)('%s', (revision) => {
  describe.each(['before us', 'after us'] as const)('a caller that registers its own %s', (order) => {
    async function connect(options: Partial<ProviderOptions> = {}): Promise<Link> {
      const { provider } = await provide(options);
      return open(() => {
        const mcp = new McpServer(INFO);
        if (order === 'before us') registerAll(mcp);
        provider.attach(mcp);
        if (order === 'after us') registerAll(mcp);
        return mcp;
      }, revision);
    }

    test('has its prompts listed after ours, each name once', async () => {
      const { client, pages } = await connect({ pageSize: 2 });
      expect(client.getServerCapabilities()?.prompts).toEqual({ listChanged: true });
      const listed = await pages<{ name: string; description?: string }>('prompts/list', 'prompts');
      expect(listed.map((page) => page.map(({ name }) => name))).toEqual([
        ['code-review', 'm'],
        ['n', 'greet'],
      ]);
      expect(listed[0]?.[0]?.description).toBe('Ours');
    });

    test('answers for its own prompts', async () => {
      const { client, ask } = await connect();
      const got = await client.getPrompt({ name: 'code-review', arguments: { diff: 'D' } });
      expect(got.messages[0]?.content).toEqual({ type: 'text', text: 'x D\n' });
      const theirs = await client.getPrompt({ name: 'greet', arguments: { who: 'you' } });
      expect(theirs.messages[0]?.content).toEqual({ type: 'text', text: 'Hello you' });
      const completion = async (name: string, argument: string): Promise<readonly string[]> =>
        (
          await client.complete({
            ref: { type: 'ref/prompt', name },
            argument: { name: argument, value: 'o' },
          })
        ).completion.values;
      expect(await completion('code-review', 'diff')).toEqual(['ours']);
      expect(await completion('greet', 'who')).toEqual(['o!']);
      expect((await ask('prompts/get', { name: 'nope' })).error?.code).toBe(-32602);
    });

    test('answers for resources that are not ours, whatever their scheme', async () => {
      const { client, ask } = await connect();
      const read = async (uri: string): Promise<unknown> =>
        (await client.readResource({ uri })).contents[0] as { text: string };
      expect(await read('resource://docs/index.md')).toMatchObject({ text: '# Ours\n' });
      expect(await read('resource://docs/theirs.md')).toMatchObject({ text: 'beyond' });
      expect(await read('resource://mine/x')).toMatchObject({ text: 'mine' });
      expect(await read('resource://by/x')).toMatchObject({ text: 'by' });
      expect(await read(INDEX)).toMatchObject({ mimeType: 'application/json' });
      for (const uri of ['resource://docs/../none.md', 'resource://docs/none.md', 'resource://none']) {
        expect((await ask('resources/read', { uri })).error?.code).toBe(-32602);
      }
      const { resources } = await client.listResources();
      expect(resources.map(({ uri, name }) => `${uri} ${name}`)).toEqual([
        `${INDEX} prompts_index`,
        'resource://docs/index.md index.md',
        'skill://pdf/SKILL.md pdf',
        'resource://mine/x mine',
        'resource://docs/theirs.md beyond',
      ]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'skill://{+path}',
        `${INDEX}{?q,tag,cursor,limit}`,
        'resource://catalog/prompts/{prompt_id}',
        'resource://prompts/{prompt_id}/document',
        'resource://docs/{path*}',
        'resource://by/{name}',
      ]);
      const values = async (uri: string, name: string): Promise<readonly string[]> =>
        (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value: 'm' } }))
          .completion.values;
      expect(await values('resource://prompts/{prompt_id}/document', 'prompt_id')).toEqual(['m']);
      expect(await values('resource://by/{name}', 'name')).toEqual(['m?']);
    });
  });

  test('hears of our prompts', async () => {
    const { provider, prompts, files } = await provide();
    const link = await open(() => {
      const mcp = new McpServer(INFO);
      registerAll(mcp);
      provider.attach(mcp);
      return mcp;
    }, revision);
    const uri = 'resource://prompts/m/document';
    if (revision === '2026-07-28') {
      await link.client.listen({ promptsListChanged: true, resourceSubscriptions: [uri] });
    } else {
      expect(await link.ask('resources/subscribe', { uri })).toMatchObject({ result: {} });
    }
    files.set('m.md', prompt('New'));
    await prompts.reload();
    await link.ask('prompts/list');
    const methods = link.heard.flatMap((message) =>
      'method' in message && message.method.startsWith('notifications/') ? [message.method] : [],
    );
    expect(methods.filter((method) => !method.includes('acknowledged'))).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/updated',
    ]);
  });
});

test('a caller without prompts of its own gets ours, and may register its first while connected', async () => {
  const { provider } = await provide();
  let mcp: McpServer | undefined;
  const { client } = await open(() => {
    mcp = new McpServer(INFO);
    provider.attach(mcp);
    return mcp;
  }, '2025-11-25');
  expect((await client.listPrompts()).prompts).toHaveLength(3);
  mcp?.registerPrompt('late', {}, () => text('late'));
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'code-review',
    'm',
    'n',
    'late',
  ]);
});

test('raw handlers of a low-level server answer for what is not ours', async () => {
  const { provider } = await provide();
  const { client, ask } = await open(() => {
    const server = new Server(INFO, { capabilities: { prompts: {} } });
    server.setRequestHandler('prompts/list', ({ params }) =>
      params?.cursor === 'two'
        ? { prompts: [{ name: 'two' }] }
        : { prompts: [{ name: 'one' }, { name: 'm' }], nextCursor: 'two' },
    );
    server.setRequestHandler('prompts/get', ({ params }) => text(params.name));
    provider.attach(server);
    return server;
  }, '2025-11-25');
  const first = await client.listPrompts();
  expect(first.prompts.map(({ name }) => name)).toContain('two');
  expect(first.prompts.filter(({ name }) => name === 'm')).toHaveLength(1);
  expect((await client.getPrompt({ name: 'one' })).messages[0]?.content).toMatchObject({ text: 'one' });
  expect((await client.getPrompt({ name: 'm' })).messages[0]?.content).toMatchObject({ text: 'x \n' });
  expect((await ask('prompts/list', { cursor: 'x' })).error?.code).toBe(-32602);
});

test('a provider without prompts leaves the prompt methods to the caller', async () => {
  const provider = await createProvider({ source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }) });
  ends.push(() => provider.close());
  const { client, ask } = await open(() => {
    const mcp = new McpServer(INFO);
    provider.attach(mcp);
    return mcp;
  }, '2025-11-25');
  expect(client.getServerCapabilities()?.prompts).toBeUndefined();
  expect((await ask('prompts/list')).error?.code).toBe(-32601);
});
