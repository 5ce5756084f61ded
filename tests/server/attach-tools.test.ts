/** Tools for skills beside a caller's own tools, for official clients of each revision. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer, Server } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { clientOptions, type Link, linkServer, READS_SKILLS, REVISIONS } from './link.ts';
import { recordingLogger, skillText } from './support.ts';

const OURS = ['list_skills', 'load_skill', 'read_skill_file', 'read_resource'];
const { logger, lines } = recordingLogger();

let provider: SkillProvider;
const links: Link[] = [];
beforeEach(async () => {
  lines.length = 0;
  provider = await createProvider({
    source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
    expose: ['tools'],
    cacheScope: 'public',
    logger,
  });
});
afterEach(async () => {
  for (const link of links.splice(0)) await link.close();
  await provider.close();
});

function toolsOf(mcp: McpServer, ...names: string[]): void {
  for (const name of names) {
    mcp.registerTool(name, { inputSchema: z.object({ x: z.string().optional() }) }, ({ x }) => ({
      content: [{ type: 'text', text: `${name} of the caller ${x ?? ''}` }],
    }));
  }
}
async function names({ client }: Link): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
async function said(link: Link, name: string, given: Record<string, unknown> = {}): Promise<string> {
  const { result, error } = await link.ask('tools/call', { name, arguments: given });
  const content = (result?.content ?? []) as { text: string }[];
  return error?.message ?? content[0]?.text ?? '';
}

describe.each(REVISIONS)('%s', (revision) => {
  async function connect(make: () => McpServer | Server, declared = {}): Promise<Link> {
    const link = await linkServer(make, revision, declared);
    links.push(link);
    return link;
  }

  it.each([
    ['before', true],
    ['after', false],
  ])('judges arguments of ours by itself, where the caller registered %s attaching', async (_, early) => {
    const link = await connect(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      if (early) toolsOf(mcp, 'a');
      provider.attach(mcp);
      if (!early) toolsOf(mcp, 'a');
      return mcp;
    });
    expect(await said(link, 'list_skills', 'x' as never)).toBe('arguments of list_skills must be an object');
    expect(await said(link, 'a', { x: 'y' })).toBe('a of the caller y');
    // What is wrong with a call of the caller's, the caller's server says.
    expect(await said(link, 'a', 'x' as never)).toContain('Invalid tools/call request');
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('ours first, then what the caller registered %s attaching', async (_, early) => {
    const link = await connect(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      if (early) toolsOf(mcp, 'a', 'b');
      provider.attach(mcp);
      if (!early) toolsOf(mcp, 'a', 'b');
      return mcp;
    });
    expect(await names(link)).toEqual([...OURS, 'a', 'b']);
    expect(await said(link, 'load_skill', { name: 'pdf' })).toContain('Skill pdf, from skill://pdf/SKILL.md');
    expect(await said(link, 'a', { x: '1' })).toBe('a of the caller 1');
    expect(await said(link, 'c')).toMatch(/c not found/);
    expect(lines).toEqual([]);
  });

  it('a first tool of the caller may come while clients are connected', async () => {
    let mcp: McpServer | undefined;
    const link = await connect(() => {
      mcp = new McpServer({ name: 'mine', version: '1' });
      provider.attach(mcp);
      return mcp;
    });
    expect(await names(link)).toEqual(OURS);
    if (mcp === undefined) throw new Error('no server');
    toolsOf(mcp, 'late');
    expect((await link.ask('tools/list')).result?.tools).toMatchObject(
      [...OURS, 'late'].map((name) => ({ name })),
    );
    expect(await said(link, 'late')).toBe('late of the caller ');
  });

  it("the caller's tool of the same name counts, and it is said once", async () => {
    const link = await connect(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      provider.attach(mcp);
      toolsOf(mcp, 'read_resource', 'z');
      return mcp;
    });
    expect(await names(link)).toEqual(['list_skills', 'load_skill', 'read_skill_file', 'read_resource', 'z']);
    expect((await link.ask('tools/list')).result?.tools).toHaveLength(5);
    expect(await said(link, 'read_resource')).toBe('read_resource of the caller ');
    expect(await said(link, 'load_skill', { name: 'pdf' })).toContain('Skill pdf');
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      {
        level: 'warn',
        message: 'the server has a tool of its own of this name, so that of the skills is left out',
        fields: { name: 'read_resource' },
      },
    ]);
  });

  it('a client that declares the extension sees the tools of the caller alone', async () => {
    const link = await connect(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      toolsOf(mcp, 'a', 'load_skill');
      provider.attach(mcp);
      return mcp;
    }, READS_SKILLS);
    expect(await names(link)).toEqual(['a', 'load_skill']);
    expect(await said(link, 'load_skill')).toBe('load_skill of the caller ');
    expect(await said(link, 'list_skills')).toMatch(/list_skills not found/);
    if (revision === '2026-07-28') {
      expect((await link.ask('tools/list')).result).toMatchObject({ cacheScope: 'private' });
    }
  });

  it('a low-level server that pages keeps its pages, and a name on its last page counts', async () => {
    const link = await connect(() => {
      const server = new Server({ name: 'mine', version: '1' }, { capabilities: { tools: {} } });
      const tool = (name: string) => ({ name, inputSchema: { type: 'object' as const } });
      server.setRequestHandler('tools/list', ({ params }) =>
        params?.cursor === '2'
          ? { tools: [tool('b'), tool('load_skill')] }
          : { tools: [tool('a')], nextCursor: '2' },
      );
      server.setRequestHandler('tools/call', ({ params }) => ({
        content: [{ type: 'text', text: `${params.name} of the caller` }],
      }));
      provider.attach(server);
      return server;
    });
    expect(await names(link)).toEqual([
      'list_skills',
      'read_skill_file',
      'read_resource',
      'a',
      'b',
      'load_skill',
    ]);
    expect(await said(link, 'load_skill')).toBe('load_skill of the caller');
    expect(await said(link, 'list_skills')).toContain('"name":"pdf"');
  });

  it('without expose nothing of the kind is declared', async () => {
    const plain = await createProvider({ source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }) });
    const link = await connect(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      plain.attach(mcp);
      return mcp;
    });
    expect(link.client.getServerCapabilities()?.tools).toBeUndefined();
    await plain.close();
  });
});

describe('a server for each request', () => {
  it.each(['2026-07-28', '2025-11-25'] as const)('of %s', async (revision) => {
    const handler = createMcpHandler(() => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      toolsOf(mcp, 'a');
      provider.attach(mcp, { transport: 'http' });
      return mcp;
    });
    const connect = async (declared = {}): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1' }, { ...clientOptions(revision), ...declared });
      await client.connect(
        new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
          fetch: (url, init) => handler.fetch(new Request(url, init)),
        }),
      );
      return client;
    };
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([...OURS, 'a']);
    const loaded = await client.callTool({ name: 'load_skill', arguments: { name: 'pdf' } });
    expect(JSON.stringify(loaded.content)).toContain('Skill pdf, from skill://pdf/SKILL.md');
    expect(await client.callTool({ name: 'a', arguments: { x: '1' } })).toMatchObject({
      content: [{ text: 'a of the caller 1' }],
    });
    // A 2025-era client has said nothing of itself by the time it asks such a server.
    const reader = await connect(READS_SKILLS);
    const shown = (await reader.listTools()).tools.map(({ name }) => name);
    expect(shown).toEqual(revision === '2026-07-28' ? ['a'] : [...OURS, 'a']);
    await client.close();
    await reader.close();
    await handler.close();
  });
});
