/** Skills on a server of the caller's: every order, every revision. */

import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { completable, McpServer, ResourceTemplate, Server } from '@modelcontextprotocol/server';
import {
  memorySkillFiles,
  type SkillCatalog,
  SkillsExtension,
} from '@modelcontextprotocol/server/ext/skills';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { ANY_PARAMS, storedHandler } from '../../src/server/sdk-access.ts';
import { memorySource } from '../../src/source/index.ts';
import { type Link, linkServer, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

const INFO = { name: 'caller', version: '1.0.0' };
const METHODS = [
  'skills/list',
  'skills/get',
  'resources/directory/read',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
];

let provider: SkillProvider;
const links: Link[] = [];
beforeAll(async () => {
  provider = await createProvider({
    source: memorySource({
      'pdf/SKILL.md': skillText('pdf'),
      'pdf/a.md': 'a',
      'csv/SKILL.md': skillText('csv'),
      'xls/SKILL.md': skillText('xls'),
    }),
    pageSize: 2,
    dialects: ['released', 'draft-index'],
  });
});
afterAll(() => provider.close());
afterEach(async () => {
  for (const link of links.splice(0)) await link.close();
});

async function open(...args: Parameters<typeof linkServer>): Promise<Link> {
  const link = await linkServer(...args);
  links.push(link);
  return link;
}

function registerAll(mcp: McpServer): void {
  mcp.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  mcp.registerResource('note', 'note://one', { description: 'A note' }, (uri) => ({
    contents: [{ uri: uri.href, text: 'one' }],
  }));
  mcp.registerResource(
    'notes',
    new ResourceTemplate('note://by/{name}', {
      list: async () => ({ resources: [{ uri: 'note://by/two', name: 'two' }] }),
      complete: { name: (value) => ['two', 'three'].filter((each) => each.startsWith(value)) },
    }),
    {},
    (uri, { name }) => ({ contents: [{ uri: uri.href, text: String(name) }] }),
  );
  mcp.registerPrompt(
    'greet',
    { argsSchema: z.object({ who: completable(z.string(), (value) => [`${value}!`]) }) },
    ({ who }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }] }),
  );
}

const ORDERS: readonly (readonly [string, (mcp: McpServer) => void])[] = [
  [
    'everything before us',
    (mcp) => {
      registerAll(mcp);
      provider.attach(mcp);
    },
  ],
  [
    'everything after us',
    (mcp) => {
      provider.attach(mcp);
      registerAll(mcp);
    },
  ],
  [
    'some before, the rest after',
    (mcp) => {
      mcp
        .registerResource('first', 'note://one', { description: 'A note' }, (uri) => ({
          contents: [{ uri: uri.href, text: 'one' }],
        }))
        .remove();
      provider.attach(mcp);
      registerAll(mcp);
    },
  ],
];

describe.each(REVISIONS)('%s', (revision) => {
  describe.each(ORDERS)('%s', (_name, register) => {
    async function connect(): Promise<Link> {
      return open(() => {
        const mcp = new McpServer(INFO);
        register(mcp);
        return mcp;
      }, revision);
    }

    it('declares both', async () => {
      const { client } = await connect();
      expect(client.getServerCapabilities()).toMatchObject({
        tools: {},
        prompts: {},
        resources: { listChanged: true, subscribe: true },
        completions: {},
        extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      });
    });

    it('lists our pages first, then the caller’s resources, across the border', async () => {
      const link = await connect();
      const pages = await link.pages<{ uri: string }>('resources/list', 'resources');
      expect(pages.map((page) => page.map((each) => each.uri))).toEqual([
        ['skill://csv/SKILL.md', 'skill://index.json'],
        ['skill://pdf/SKILL.md', 'skill://xls/SKILL.md', 'note://one', 'note://by/two'],
      ]);
      expect((await link.client.listResources()).resources).toHaveLength(6);
    });

    it('lists our template first, then the caller’s', async () => {
      const link = await connect();
      const [page] = await link.pages<{ uriTemplate: string }>(
        'resources/templates/list',
        'resourceTemplates',
      );
      expect(page?.map((each) => each.uriTemplate)).toEqual(['skill://{+path}', 'note://by/{name}']);
    });

    it.each([
      ['skill://pdf/a.md', 'a'],
      ['skill://pdf/%61.md', 'a'],
      ['note://one', 'one'],
      ['note://by/two', 'two'],
    ])('reads %s', async (uri, text) => {
      const { result } = await (await connect()).ask('resources/read', { uri });
      expect(result?.contents).toMatchObject([{ text }]);
    });

    it.each([
      ['skill://pdf/%2e%2e/csv/SKILL.md', { uri: 'skill://pdf/%2e%2e/csv/SKILL.md', code: 'PATH_TRAVERSAL' }],
      ['skill://pdf/none.md', { uri: 'skill://pdf/none.md' }],
      ['other://x', { uri: 'other://x' }],
    ])('refuses %s', async (uri, data) => {
      const { error } = await (await connect()).ask('resources/read', { uri });
      expect([error?.code, error?.data]).toEqual([-32602, data]);
    });

    it('completes ours and the caller’s', async () => {
      const link = await connect();
      const complete = async (ref: object, name: string, value: string): Promise<unknown> => {
        const { result } = await link.ask('completion/complete', { ref, argument: { name, value } });
        return (result?.completion as { values?: unknown } | undefined)?.values;
      };
      expect(await complete({ type: 'ref/resource', uri: 'skill://{+path}' }, 'path', 'pdf/')).toEqual([
        'pdf/SKILL.md',
        'pdf/a.md',
      ]);
      expect(await complete({ type: 'ref/resource', uri: 'note://by/{name}' }, 'name', 'th')).toEqual([
        'three',
      ]);
      expect(await complete({ type: 'ref/prompt', name: 'greet' }, 'who', 'Ann')).toEqual(['Ann!']);
    });

    it('leaves tools and prompts to the caller', async () => {
      const { client } = await connect();
      expect(await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).toMatchObject({
        content: [{ type: 'text', text: '3' }],
      });
      expect(await client.getPrompt({ name: 'greet', arguments: { who: 'Ann' } })).toMatchObject({
        messages: [{ content: { text: 'Hello Ann' } }],
      });
    });

    it('serves the official skills client, verified', async () => {
      const { client } = await connect();
      const skills = new SkillsClient(client);
      const { skills: listed } = await skills.list();
      expect(listed.map((skill) => skill.frontmatter.name)).toEqual(['csv', 'pdf', 'xls']);
      expect(await skills.read(listed[1]!, 'a.md')).toMatchObject({ verified: true, text: 'a' });
      expect((await skills.readDirectory('skill://pdf')).resources).toHaveLength(2);
    });
  });

  it('walks into a raw handler of the caller that has pages of its own', async () => {
    const raw: Readonly<Record<string, { uris: readonly string[]; next?: string }>> = {
      start: { uris: ['raw://1', 'raw://2'], next: '' },
      '': { uris: ['raw://3'], next: 'skill://zzz' },
      'skill://zzz': { uris: ['raw://4'] },
    };
    const link = await open(() => {
      const server = new Server(INFO, { capabilities: { resources: {} } });
      server.setRequestHandler('resources/list', (request) => {
        const { uris, next } = raw[request.params?.cursor ?? 'start']!;
        return {
          resources: uris.map((uri) => ({ uri, name: uri })),
          ...(next !== undefined && { nextCursor: next }),
        };
      });
      provider.attach(server);
      return server;
    }, revision);
    const pages = await link.pages<{ uri: string }>('resources/list', 'resources');
    expect(pages.map((page) => page.map((each) => each.uri))).toEqual([
      ['skill://csv/SKILL.md', 'skill://index.json'],
      ['skill://pdf/SKILL.md', 'skill://xls/SKILL.md', 'raw://1', 'raw://2'],
      ['raw://3'],
      ['raw://4'],
    ]);
    for (const garbled of ['bogus', 'raw']) {
      expect((await link.ask('resources/list', { cursor: garbled })).error?.code).toBe(-32602);
    }
  });

  it('gives the caller a page of its own where both do not fit', async () => {
    const big = 'x'.repeat(8_400_000);
    const link = await open(() => {
      const mcp = new McpServer(INFO);
      provider.attach(mcp);
      mcp.registerResource('big', 'note://big', { description: big }, () => ({ contents: [] }));
      return mcp;
    }, revision);
    const pages = await link.pages('resources/list', 'resources');
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
  });

  it('lets the caller keep skill: resources that no skill has, and hides those that one has', async () => {
    const link = await open(() => {
      const mcp = new McpServer(INFO);
      mcp.registerResource('own', 'skill://own/thing', {}, () => ({
        contents: [{ uri: 'skill://own/thing', text: 'own' }],
      }));
      mcp.registerResource('stolen', 'skill://pdf/a.md', {}, () => ({
        contents: [{ uri: 'skill://pdf/a.md', text: 'stolen' }],
      }));
      provider.attach(mcp);
      return mcp;
    }, revision);
    expect((await link.ask('resources/read', { uri: 'skill://own/thing' })).result?.contents).toMatchObject([
      { text: 'own' },
    ]);
    expect((await link.ask('resources/read', { uri: 'skill://pdf/a.md' })).result?.contents).toMatchObject([
      { text: 'a' },
    ]);
    const { resources } = await link.client.listResources();
    expect(resources.map((each) => each.uri)).toEqual([
      'skill://csv/SKILL.md',
      'skill://index.json',
      'skill://pdf/SKILL.md',
      'skill://xls/SKILL.md',
      'skill://own/thing',
    ]);
  });

  it('passes on what the caller’s handler throws, as without us', async () => {
    const link = await open(() => {
      const server = new Server(INFO, { capabilities: { resources: {} } });
      server.setRequestHandler('resources/read', () => {
        throw new Error('mine');
      });
      provider.attach(server);
      return server;
    }, revision);
    expect((await link.ask('resources/read', { uri: 'x://y' })).error?.message).toBe('mine');
    expect((await link.ask('resources/read', { uri: 'skill://pdf/none' })).error?.message).toBe('mine');
    expect((await link.ask('resources/read', { uri: 'skill://pdf/a.md' })).result?.contents).toHaveLength(1);
  });

  it('shows resources that the caller registers while connected', async () => {
    let mcp: McpServer | undefined;
    const link = await open(() => {
      mcp = new McpServer(INFO);
      provider.attach(mcp);
      return mcp;
    }, revision);
    await link.client.listResources();
    mcp?.registerResource('late', 'note://late', {}, () => ({
      contents: [{ uri: 'note://late', text: 'late' }],
    }));
    expect((await link.ask('resources/read', { uri: 'note://late' })).result?.contents).toMatchObject([
      { text: 'late' },
    ]);
    const { resources } = await link.client.listResources(undefined, { cacheMode: 'bypass' });
    expect(resources.map((each) => each.uri)).toContain('note://late');
  });
});

describe('what cannot be attached to', () => {
  /** Everything that an attempt could have changed. */
  function stateOf(target: McpServer | Server): unknown {
    const server = target instanceof McpServer ? target.server : target;
    return {
      handlers: METHODS.map((method) => storedHandler(server, method)),
      capabilities: structuredClone(server.getCapabilities()),
      methods: ['setRequestHandler', 'assertCanSetRequestHandler', 'removeRequestHandler', 'connect'].map(
        (name) => Object.hasOwn(server, name),
      ),
    };
  }

  it.each<[string, string, () => Promise<McpServer | Server>]>([
    [
      'a server that has a provider',
      'ALREADY_ATTACHED',
      async () => {
        const mcp = new McpServer(INFO);
        provider.attach(mcp);
        return mcp;
      },
    ],
    [
      'a server with the SDK’s skills extension',
      'HANDLER_TAKEN',
      async () => {
        const mcp = new McpServer(INFO);
        (await SkillsExtension.load(memorySkillFiles({ 'a/SKILL.md': skillText('a') }))).attach(mcp);
        return mcp;
      },
    ],
    ...['skills/list', 'skills/get', 'resources/directory/read'].map(
      (method): [string, string, () => Promise<Server>] => [
        `a server with its own ${method}`,
        'HANDLER_TAKEN',
        async () => {
          const server = new Server(INFO);
          server.setRequestHandler(method, { params: ANY_PARAMS }, () => ({}));
          return server;
        },
      ],
    ),
    ['one of our own servers', 'HANDLER_TAKEN', async () => provider.createServer({ transport: 'stdio' })],
  ])('%s: %s, and the server stays as it was', async (_name, code, make) => {
    const target = await make();
    const before = stateOf(target);
    expect(() => provider.attach(target)).toThrow(expect.objectContaining({ code }));
    expect(stateOf(target)).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'server'],
    ['an empty object', {}],
    ['a client', new Client(INFO)],
    // Looks like a low-level server in all that is public, and takes a schema where ours takes the name of a method.
    [
      'a server of the SDK’s first version',
      {
        setRequestHandler: () => undefined,
        assertCanSetRequestHandler: () => undefined,
        registerCapabilities: () => undefined,
        getClientCapabilities: () => undefined,
        _requestHandlers: new Map(),
      },
    ],
    ['a McpServer of another copy', { server: new Server(INFO), registerTool: () => undefined }],
  ])('%s: USAGE', (_name, target) => {
    expect(() => provider.attach(target as Server)).toThrow(
      expect.objectContaining({
        code: 'USAGE',
        message: expect.stringContaining('@modelcontextprotocol/server'),
      }),
    );
  });

  it('a connected server: SERVER_CONNECTED, and the server stays as it was', async () => {
    let mcp: McpServer | undefined;
    const link = await linkServer(() => {
      mcp = new McpServer(INFO);
      registerAll(mcp);
      return mcp;
    }, '2025-11-25');
    const before = stateOf(mcp!);
    expect(() => provider.attach(mcp!)).toThrow(expect.objectContaining({ code: 'SERVER_CONNECTED' }));
    expect(stateOf(mcp!)).toEqual(before);
    await link.close();
  });

  it('keeps the SDK’s skills extension away afterwards', async () => {
    const mcp = new McpServer(INFO);
    provider.attach(mcp);
    const extension: SkillCatalog = await SkillsExtension.load(
      memorySkillFiles({ 'a/SKILL.md': skillText('a') }),
    );
    expect(() => extension.attach(mcp)).toThrow(/skills\/list/);
  });

  it('still refuses what the caller may not register twice', () => {
    const mcp = new McpServer(INFO);
    mcp.server.registerCapabilities({ resources: {} });
    mcp.server.setRequestHandler('resources/list', () => ({ resources: [] }));
    provider.attach(mcp);
    expect(() => mcp.registerResource('a', 'note://a', {}, () => ({ contents: [] }))).toThrow(
      /already exists/,
    );
  });
});
