/** Nothing of this machine crosses the wire, and nothing hangs. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCatalog, type Snapshot } from '../../src/catalog/index.ts';
import { createProvider, getSkill, listSkills, type SurfaceContext } from '../../src/server/index.ts';
import { wireHandlers } from '../../src/server/register.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { createTelemetry } from '../../src/telemetry/index.ts';
import { type Link, linkProvider, REVISIONS } from './link.ts';
import { recordingLogger, skillText } from './support.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-leak-'));
  mkdirSync(join(root, 'pdf', 'references'), { recursive: true });
  writeFileSync(join(root, 'pdf', 'SKILL.md'), skillText('pdf'));
  writeFileSync(join(root, 'pdf', 'references', 'a.md'), 'a');
  writeFileSync(join(root, 'secret.txt'), 'TOP SECRET');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const HOSTILE = [
  '',
  '/',
  'skill:',
  'skill://',
  'skill:///',
  'skill://.',
  'skill://..',
  'skill://../secret.txt',
  'skill://pdf/../../secret.txt',
  'skill://pdf/%2e%2e/secret.txt',
  'skill://pdf/%2E%2E%2Fsecret.txt',
  'skill://pdf/..%2fsecret.txt',
  'skill://pdf/..%5c..%5csecret.txt',
  'skill://pdf/..\\secret.txt',
  'skill://pdf/%252e%252e/secret.txt',
  'skill://pdf/%00',
  'skill://pdf/SKILL.md%00.png',
  'skill://pdf/SKILL.md\u0000',
  'skill://pdf/SKILL.md\n',
  'skill://pdf/SKILL.md ',
  ' skill://pdf/SKILL.md',
  'skill://pdf/SKILL.md/',
  'skill://pdf/SKILL.md/x',
  'skill://pdf/skill.md',
  'skill://PDF/SKILL.md',
  'skill://pdf//SKILL.md',
  'skill://pdf/SKILL.md?x=1',
  'skill://pdf/SKILL.md#x',
  'skill://user@pdf/SKILL.md',
  'skill://pdf:80/SKILL.md',
  'skill://pdf/%',
  'skill://pdf/%zz',
  'skill://pdf/%c0%ae%c0%ae/x',
  'skill://pdf/%ed%a0%80',
  'skill://{+path}',
  `skill://pdf/${'a/'.repeat(4000)}`,
  `skill://pdf/${'x'.repeat(100_000)}`,
  `skill://pdf/${','.repeat(8000)}`,
  'file:///etc/passwd',
  'http://localhost/',
  'C:\\Windows',
  'javascript:alert(1)',
  'secret.txt',
];

describe.each(REVISIONS)('%s', (revision) => {
  async function withLink(use: (link: Link) => Promise<void>): Promise<void> {
    const provider = await createProvider({ source: directorySource(root) });
    const link = await linkProvider(provider, revision);
    try {
      await use(link);
      const all = JSON.stringify(link.heard);
      expect(all).not.toContain(root);
      expect(all).not.toContain(tmpdir());
      expect(all).not.toContain('TOP SECRET');
      expect(all).not.toMatch(/ENOENT|EISDIR|ENOTDIR|EACCES|node:/);
    } finally {
      await link.close();
      await provider.close();
    }
  }

  it.each(['resources/read', 'resources/directory/read', 'skills/get'])(
    '%s of every hostile URI',
    async (method) => {
      await withLink(async (link) => {
        for (const uri of HOSTILE) {
          const { error, result } = await link.ask(method, { uri });
          expect([uri, result]).toEqual([uri, undefined]);
          expect([uri, error?.code]).toEqual([uri, -32602]);
          expect(error?.message.length).toBeLessThan(600);
        }
      });
    },
  );

  it('a file that vanishes, and a folder in its place', async () => {
    await withLink(async (link) => {
      rmSync(join(root, 'pdf', 'references', 'a.md'));
      const gone = await link.ask('resources/read', { uri: 'skill://pdf/references/a.md' });
      expect([gone.error?.code, gone.error?.data]).toEqual([-32602, { uri: 'skill://pdf/references/a.md' }]);
      rmSync(join(root, 'pdf', 'SKILL.md'));
      mkdirSync(join(root, 'pdf', 'SKILL.md'));
      const folder = await link.ask('resources/read', { uri: 'skill://pdf/SKILL.md' });
      expect(folder.error?.code).toBe(-32602);
    });
  });

  it('a disk that fails', async () => {
    const { logger, lines } = recordingLogger();
    const source = directorySource(root);
    const provider = await createProvider({ source, logger });
    const link = await linkProvider(provider, revision);
    source.read = () => {
      throw Object.assign(new Error(`EIO: i/o error, read '${root}/pdf/references/a.md'`), { code: 'EIO' });
    };
    const { error } = await link.ask('resources/read', { uri: 'skill://pdf/references/a.md' });
    expect(error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('skill://pdf/references/a.md'),
    });
    expect(JSON.stringify(link.heard)).not.toContain(root);
    expect(JSON.stringify(lines)).toContain('EIO');
    await link.close();
    await provider.close();
  });
});

describe('a handler', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a string', 'boom'],
    [
      'an error with a foreign code',
      Object.assign(new Error('/etc/passwd'), { code: -32002, data: '/etc/passwd' }),
    ],
  ])('that throws %s answers with -32603 and says nothing', async (_name, thrown) => {
    const { logger, lines } = recordingLogger();
    const handlers = wireHandlers({
      handlers: {
        'skills/list': () => {
          throw thrown;
        },
      },
      contextOf: (era) => ({ era }) as SurfaceContext,
      logger,
      telemetry: createTelemetry(),
    });
    const context = { mcpReq: {} } as never;
    await expect(handlers.get('skills/list')?.({}, context)).rejects.toMatchObject({
      code: -32603,
      message: 'a fault in Skillwire',
      data: { code: 'INTERNAL' },
    });
    expect(lines).toHaveLength(1);
  });

  it('leaves out an entry that has no JSON form, and refuses it alone', async () => {
    const catalog = await openCatalog(
      memorySource({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') }),
    );
    const [a, b] = catalog.snapshot.skills;
    const odd = { ...a!, frontmatter: { name: 'a', description: 'A', big: 1n } as never };
    const snapshot: Snapshot = {
      revision: '',
      skills: [odd, b!],
      refused: [],
      diagnostics: [],
      skill: (uri) => (uri === odd.uri ? odd : undefined),
      locate: () => undefined,
      children: () => undefined,
    };
    const context: SurfaceContext = {
      era: 'modern',
      ttlMs: 0,
      cacheScope: 'private',
      pageBytes: 1_000_000,
      responseBytes: 1_000_000,
      metaPrefix: '',
    };
    expect(listSkills(snapshot, {}, context).skills.map((each) => each.uri)).toEqual(['skill://b/SKILL.md']);
    expect(() => getSkill(snapshot, { uri: odd.uri }, context)).toThrow(
      expect.objectContaining({ code: 'INTERNAL' }),
    );
    await catalog.close();
  });
});

describe('over HTTP, a server for each request', () => {
  it('serves attached skills beside the caller’s resources, and is let go after each', async () => {
    const provider = await createProvider({
      source: directorySource(root),
      dialects: ['released', 'draft-index'],
    });
    let made = 0;
    const handler = createMcpHandler(() => {
      made += 1;
      const mcp = new McpServer({ name: 'caller', version: '1.0.0' });
      mcp.registerResource('note', 'note://one', {}, () => ({
        contents: [{ uri: 'note://one', text: 'one' }],
      }));
      provider.attach(mcp, { transport: 'http', listChanged: false });
      return mcp;
    });
    const client = new Client(
      { name: 't', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
        fetch: (url, init) => handler.fetch(new Request(url, init)),
      }),
    );
    const { resources } = await client.listResources();
    expect(resources.map((each) => each.uri)).toEqual([
      'skill://index.json',
      'skill://pdf/SKILL.md',
      'note://one',
    ]);
    const { contents } = await client.readResource({ uri: 'skill://pdf/references/a.md' });
    expect(contents).toMatchObject([{ text: 'a' }]);
    expect(made).toBeGreaterThan(1);
    await client.close();
    await handler.close();
    await provider.close();
  });
});
