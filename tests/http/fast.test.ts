import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMcpHandler } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { type Answer, JSON_HEADERS, send, start } from './harness.ts';

const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';
const META = { [PROTOCOL]: '2026-07-28', [INFO]: { name: 'test', version: '1.0.0' }, [CAPABILITIES]: {} };

function skill(name: string, body = 'Body.'): string {
  return `---\nname: ${name}\ndescription: The skill ${name}.\nlicense: MIT\n---\n\n${body}\n`;
}

/** A folder whose files were last written long ago, so that their digests are certain. */
function folder(files: Readonly<Record<string, string | Buffer>>): string {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-fast-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) write(root, path, content);
  return root;
}

function write(root: string, path: string, content: string | Buffer): void {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

const FILES = {
  'a/SKILL.md': skill('a'),
  'a/references/guide one.md': '# Guide\r\n\u{1f600} "quoted" \\ \u2028\n',
  'a/assets/x.bin': Buffer.from([0, 255, 1, 254]),
  'a/empty.txt': '',
  'b/SKILL.md': skill('b'),
  'c/SKILL.md': skill('c'),
  'c/inner/SKILL.md': skill('inner'),
};

async function provide(
  root: string,
  options: Partial<ProviderOptions> = {},
): Promise<{ provider: SkillProvider; made: () => number }> {
  const provider = await createProvider({ source: directorySource(root), ...options });
  onTestFinished(() => provider.close());
  let servers = 0;
  const create = provider.createServer.bind(provider);
  provider.createServer = (given) => {
    servers += 1;
    return create(given);
  };
  return { provider, made: () => servers };
}

interface Sent {
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

function sentOf(method: string, params: Record<string, unknown> = {}, id: unknown = 1): Sent {
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: META } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(method === 'resources/read' && { 'mcp-name': String(params.uri) }),
    },
  };
}

/** What the SDK's own handler answers. */
async function bySdk(provider: SkillProvider, { body, headers }: Sent): Promise<[number, string, string]> {
  const handler = createMcpHandler(() => provider.createServer({ transport: 'http', listChanged: true }), {
    legacy: 'reject',
  });
  const answer = await handler.fetch(
    new Request('http://localhost/mcp', { method: 'POST', headers: { ...JSON_HEADERS, ...headers } }),
    { parsedBody: body },
  );
  return [answer.status, answer.headers.get('content-type') ?? '', await answer.text()];
}

const URIS = [
  'skill://a/SKILL.md',
  'skill://a/references/guide%20one.md',
  'skill://a/references/guide one.md',
  'skill://a/assets/x.bin',
  'skill://a/empty.txt',
  'skill://a/SKILL%2Emd',
  'skill://c/inner/SKILL.md',
  'skill://c/inner',
  'skill://a/references',
  'skill://a/references/',
  'skill://a',
  'skill://a/none.md',
  'skill://a/%2e%2e/b/SKILL.md',
  'skill://index.json',
  'resource://docs/x.md',
  'nonsense',
  '',
  `skill://a/${'x'.repeat(3_000)}`,
];

describe.each<[string, boolean]>([
  ['by way of Node', false],
  ['in a lane', true],
])('the short way of a modern request %s', (_way, hasLane) => {
  // A request that asks for the end of its connection has no lane.
  const way: Record<string, string> = hasLane ? { connection: 'keep-alive' } : {};
  const sendRaw = (port: number, body: string, headers: Record<string, string>): Promise<Answer> =>
    send(port, { headers: { ...JSON_HEADERS, ...way, ...headers }, body });
  const post = (port: number, { body, headers }: Sent): Promise<Answer> =>
    sendRaw(port, JSON.stringify(body), headers);

  it.each([
    ['skills/list', {}],
    ['skills/get', { uri: 'skill://a/SKILL.md' }],
    ['resources/list', {}],
    ['resources/read', { uri: 'skill://a/references/guide%20one.md' }],
    ['resources/read', { uri: 'skill://a/assets/x.bin' }],
    ['resources/directory/read', { uri: 'skill://a' }],
  ])('answers %s without a server of the SDK, byte for byte as it would', async (method, params) => {
    const { provider, made } = await provide(folder(FILES));
    const { port } = await start({ provider });
    const sent = sentOf(method, params);
    const byNode = vi.spyOn(ServerResponse.prototype, 'writeHead');
    onTestFinished(() => byNode.mockRestore());
    for (let time = 0; time < 3; time += 1) {
      const before = made();
      const ours = await post(port, sent);
      expect(made()).toBe(before);
      expect(byNode).toHaveBeenCalledTimes(hasLane ? 0 : time + 1);
      const [status, type, text] = await bySdk(provider, sent);
      expect([ours.status, ours.headers['content-type'], ours.text]).toEqual([status, type, text]);
      expect(ours.headers['content-length']).toBe(String(Buffer.byteLength(text)));
      expect(ours.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('answers whatever is sent as the SDK does', async () => {
    const { provider, made } = await provide(folder(FILES), { pageSize: 2 });
    const { port } = await start({ provider });
    const cursor = (await post(port, sentOf('skills/list'))).json.result.nextCursor as string;
    const method = fc.constantFrom(
      'skills/list',
      'skills/get',
      'resources/list',
      'resources/read',
      'resources/directory/read',
      'resources/templates/list',
      'nothing/at-all',
    );
    const odd = fc.constantFrom<unknown>(null, 7, true, [], {}, ['x'], 'x');
    const fitting = fc.constantFrom<unknown>('fitting', 'fitting', 'fitting', 'any');
    const params = fc.record(
      {
        uri: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...URIS) }, odd),
        cursor: fc.oneof({ weight: 2, arbitrary: fc.constantFrom(cursor, '', 'bad') }, odd),
        extra: odd,
      },
      { requiredKeys: [] },
    );
    const meta = fc.oneof(
      { weight: 8, arbitrary: fc.constant<unknown>(META) },
      {
        weight: 3,
        arbitrary: fc.record(
          {
            [PROTOCOL]: fc.constantFrom<unknown>('2026-07-28', '2025-11-25', '2027-01-01', 3),
            [CAPABILITIES]: fc.constantFrom<unknown>({}, { roots: {} }, { sampling: 3 }, [], 'x'),
            [INFO]: fc.constantFrom<unknown>({ name: 'n', version: '1' }, { name: 3 }, 'x'),
            progressToken: fc.constantFrom<unknown>(1, 'p', {}),
            'io.modelcontextprotocol/logLevel': fc.constantFrom('info', 'loud'),
            traceparent: fc.constantFrom<unknown>('00-1-2-3', 5),
          },
          { requiredKeys: [] },
        ) as fc.Arbitrary<unknown>,
      },
      { weight: 1, arbitrary: odd },
    );
    const request = fc.record({
      method,
      fitting,
      params,
      meta,
      id: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom<unknown>(1, 0, -3, 'a"b', '', '\u2028', 2 ** 53) },
        fc.constantFrom<unknown>(null, 1.5, {}, undefined),
      ),
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, fc.constantFrom('1.0', '')),
      more: fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, fc.constant({ extra: 1 })),
      version: fc.oneof(
        { weight: 9, arbitrary: fc.constant('2026-07-28') },
        fc.constantFrom('2025-11-25', ' 2026-07-28 ', 'x'),
      ),
      named: fc.oneof(
        { weight: 9, arbitrary: fc.constant('same') },
        fc.constantFrom('none', 'other', 'base64', 'bad64'),
      ),
      methodHeader: fc.oneof(
        { weight: 9, arbitrary: fc.constant('same') },
        fc.constantFrom('none', 'other', 'upper'),
      ),
    });
    let checked = 0;
    let short = 0;
    const byNode = vi.spyOn(ServerResponse.prototype, 'writeHead');
    onTestFinished(() => byNode.mockRestore());
    await fc.assert(
      fc.asyncProperty(request, async (made1) => {
        const { method, meta, id, jsonrpc, more, version, named, methodHeader } = made1;
        const params = { ...made1.params };
        if (made1.fitting === 'fitting') {
          // A request that asks for nothing that its method does not know.
          delete params.extra;
          if (method.endsWith('/list') || method.startsWith('nothing')) delete params.uri;
          if (
            method === 'skills/get' ||
            method === 'resources/read' ||
            (params.cursor !== cursor && params.cursor !== '')
          )
            delete params.cursor;
        }
        const body = {
          jsonrpc,
          ...(id !== undefined && { id }),
          method,
          params: { ...params, _meta: meta },
          ...more,
        };
        const uri = typeof params.uri === 'string' ? params.uri : 'x';
        const headers: Record<string, string> = { 'mcp-protocol-version': version };
        if (methodHeader === 'same') headers['mcp-method'] = method;
        if (methodHeader === 'other') headers['mcp-method'] = 'tools/list';
        if (methodHeader === 'upper') headers['mcp-method'] = method.toUpperCase();
        if (named === 'same') headers['mcp-name'] = uri;
        if (named === 'other') headers['mcp-name'] = 'skill://b/SKILL.md';
        if (named === 'base64') headers['mcp-name'] = `=?base64?${Buffer.from(uri).toString('base64')}?=`;
        if (named === 'bad64') headers['mcp-name'] = '=?base64?*?=';
        const claim = (meta as Record<string, unknown> | null)?.[PROTOCOL];
        // What belongs to a session, or to no era, is answered elsewhere.
        fc.pre(claim !== undefined && id !== undefined);
        const sent = { body: JSON.parse(JSON.stringify(body)), headers };
        const before = made();
        byNode.mockClear();
        const ours = await post(port, sent);
        const isShort = made() === before && ours.status === 200;
        if (isShort) short += 1;
        // A lane answers what has the short way, unless its head may be read in more than one way.
        const isPlain = Object.values(headers).every((value) => value !== '' && value === value.trim());
        expect(byNode).toHaveBeenCalledTimes(isShort && hasLane && isPlain ? 0 : 1);
        const [status, , text] = await bySdk(provider, sent);
        expect([ours.status, ours.text]).toEqual([status, text]);
        checked += 1;
      }),
      { numRuns: 1_200 },
    );
    expect(checked).toBeGreaterThan(400);
    expect(short).toBeGreaterThan(50);
  });

  it.each([
    ['experimental', '{"a":{"x":VALUE}}'],
    ['extensions', '{"a/b":{"x":[VALUE]}}'],
    ['elicitation', '{"form":{"a":VALUE}}'],
  ])('takes no number beyond all bounds in %s for the null that it is written as', async (name, value) => {
    const { provider } = await provide(folder(FILES));
    const { port } = await start({ provider });
    const { headers } = sentOf('skills/list');
    for (const text of ['null', '1e400', 'null', '-1e400', '1e308']) {
      const said = `{"${name}":${value.replace('VALUE', text)}}`;
      const meta = JSON.stringify(META).replace(`"${CAPABILITIES}":{}`, `"${CAPABILITIES}":${said}`);
      const body = `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":${meta}}}`;
      const ours = await sendRaw(port, body, headers);
      const [status, , answer] = await bySdk(provider, { body: JSON.parse(body), headers });
      expect([text, ours.status, ours.text]).toEqual([text, status, answer]);
    }
  });

  it.each([3_000, 100_000])('leaves an envelope %i levels deep to the SDK', async (levels) => {
    const { provider } = await provide(folder(FILES));
    const { port } = await start({ provider });
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    const { headers } = sentOf('skills/list');
    for (const more of ['', ',"traceparent":"t"']) {
      const meta = JSON.stringify(META).replace(/\}$/, `,"x":${deep}${more}}`);
      const body = `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":${meta}}}`;
      const ours = await sendRaw(port, body, headers);
      const [status, , text] = await bySdk(provider, { body: JSON.parse(body), headers });
      expect([ours.status, ours.text]).toEqual([status, text]);
    }
  });

  it('sends what the entry of the moment says, whatever happens to the file', async () => {
    const root = folder(FILES);
    const { provider } = await provide(root);
    const { port } = await start({ provider });
    const uri = 'skill://b/SKILL.md';
    const read = async (): Promise<string> =>
      (await post(port, sentOf('resources/read', { uri }))).json.result?.contents[0].text;
    const digest = async (): Promise<string> =>
      (await post(port, sentOf('skills/get', { uri }))).json.result.skill.resources[0].digest;
    const first = await digest();
    expect(await read()).toBe(skill('b'));
    expect(await read()).toBe(skill('b'));
    // The same length and the same time of modification: only the time of change tells.
    write(root, 'b/SKILL.md', skill('b', 'Bodz.'));
    expect(await read()).toBe(skill('b', 'Bodz.'));
    expect(await digest()).not.toBe(first);
    write(root, 'outside.md', skill('b', 'Outside.'));
    rmSync(join(root, 'b/SKILL.md'));
    symlinkSync('../outside.md', join(root, 'b/SKILL.md'));
    const answer = await post(port, sentOf('resources/read', { uri }));
    expect([answer.json.error.code, answer.json.error.data]).toEqual([-32602, { uri }]);
  });

  it('lists what is there after a change, and no longer what was', async () => {
    const root = folder(FILES);
    const { provider } = await provide(root);
    const { port } = await start({ provider });
    const names = async (): Promise<string[]> =>
      (await post(port, sentOf('skills/list'))).json.result.skills.map(
        (entry: { frontmatter: { name: string } }) => entry.frontmatter.name,
      );
    expect(await names()).toEqual(['a', 'b', 'c', 'inner']);
    rmSync(join(root, 'b'), { recursive: true });
    await provider.notifyChanged('b');
    expect(await names()).toEqual(['a', 'c', 'inner']);
  });

  it('sends a file no more that a change of another took from those that are served', async () => {
    const root = folder(FILES);
    const { provider } = await provide(root);
    const { port } = await start({ provider });
    const kept = sentOf('resources/read', { uri: 'skill://a/references/guide%20one.md' });
    expect((await post(port, kept)).text).toContain('# Guide');
    write(root, '.skillignore', 'references\n');
    await provider.refresh();
    const answer = await post(port, kept);
    expect([answer.status, answer.json.error?.code]).toEqual([200, -32602]);
    rmSync(join(root, '.skillignore'));
    await provider.refresh();
    expect((await post(port, kept)).text).toContain('# Guide');
  });

  it('reads a file once, whatever happens to others', async () => {
    const root = folder(FILES);
    const source = directorySource(root);
    let reads = 0;
    const read = source.read.bind(source);
    source.read = (path, options) => {
      reads += 1;
      return read(path, options);
    };
    const provider = await createProvider({ source });
    onTestFinished(() => provider.close());
    const { port } = await start({ provider });
    const sent = sentOf('resources/read', { uri: 'skill://b/SKILL.md' });
    const first = await post(port, sent);
    write(root, 'c/SKILL.md', skill('c', 'Anew.'));
    await provider.notifyChanged('c');
    const before = reads;
    expect([(await post(port, sent)).text, (await post(port, sent)).text]).toEqual([first.text, first.text]);
    expect(reads).toBe(before);
    write(root, 'b/SKILL.md', skill('b', 'Anew.'));
    expect((await post(port, sent)).text).toContain('Anew.');
    expect(reads).toBeGreaterThan(before);
  });

  it.each<[string, string, unknown]>([
    ['a short one', 'x'.repeat(100), 1],
    ['a short one to an id that is not ASCII', 'x'.repeat(100), 'é\u{1f600}\u2028'],
    ['one not in ASCII', 'é\u{1f600}\u2028', 'é'],
    ['one at the length at which texts end', 'x'.repeat(16_000), 'é'],
    ['a long one', 'x'.repeat(40_000), 'é'],
    ['a long one not in ASCII', 'é\u{1f600}'.repeat(9_000), 2],
  ])('writes %s as the SDK does, first and again', async (_what, text, id) => {
    const { provider } = await provide(folder({ 'a/SKILL.md': skill('a', text) }));
    const { port } = await start({ provider });
    const sent = sentOf('resources/read', { uri: 'skill://a/SKILL.md' }, id);
    const [, , expected] = await bySdk(provider, sent);
    expect(expected).toContain(JSON.stringify(text).slice(1, -1));
    expect([(await post(port, sent)).text, (await post(port, sent)).text]).toEqual([expected, expected]);
  });

  it('is taken for what a source makes anew at each read too', async () => {
    const provider = await createProvider({ source: memorySource({ 'a/SKILL.md': skill('a') }) });
    onTestFinished(() => provider.close());
    const { port } = await start({ provider });
    const sent = sentOf('resources/read', { uri: 'skill://a/SKILL.md' });
    expect((await post(port, sent)).text).toBe((await bySdk(provider, sent))[2]);
  });

  it('ends with its provider', async () => {
    const { provider } = await provide(folder(FILES));
    const { port } = await start({ provider });
    const sent = sentOf('resources/read', { uri: 'skill://a/SKILL.md' });
    expect((await post(port, sent)).status).toBe(200);
    await provider.close();
    expect((await post(port, sent)).json.error.data.code).toBe('PROVIDER_CLOSED');
  });

  it('asks for the token and the right host before anything else', async () => {
    const { provider } = await provide(folder(FILES));
    const { port } = await start({ provider, token: 'secret' });
    const sent = sentOf('skills/list');
    expect((await post(port, sent)).status).toBe(401);
    const foreign = {
      ...sent,
      headers: { ...sent.headers, authorization: 'Bearer secret', origin: 'https://evil.example' },
    };
    expect((await post(port, foreign)).status).toBe(403);
    const right = { ...sent, headers: { ...sent.headers, authorization: 'Bearer secret' } };
    expect((await post(port, right)).status).toBe(200);
  });
});
