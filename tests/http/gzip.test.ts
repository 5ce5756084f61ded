import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { directorySource } from '../../src/source/index.ts';
import { modernBody, modernHeaders, start } from './harness.ts';

const INDEX = '/.well-known/agent-skills/index.json';
const OLDER = '/.well-known/skills/index.json';
const SKILLS = 150;
const TOKEN = { authorization: 'Bearer anything' };

function skillsOf(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `skill-${at}/SKILL.md`,
      `---\nname: skill-${at}\ndescription: The skill of the number ${at}, wörtlich, and what else there is to say of it before anybody reads on\n---\n\nBody ${at}.\n`,
    ]),
  );
}

interface Site {
  readonly port: number;
  readonly write: (path: string, text: string) => void;
  readonly provider: SkillProvider;
}

/** `byNode`: a token function, with which no connection has a lane. */
async function site(byNode = false, count = SKILLS): Promise<Site> {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-gzip-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    utimesSync(join(root, path), 1_700_000_000, 1_700_000_000);
  };
  const files = { ...skillsOf(count), 'skill-0/long.md': 'Line\n'.repeat(10_000) };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const provider = await createProvider({ source: directorySource(root) });
  onTestFinished(() => provider.close());
  const { port } = await start({
    provider,
    ...(byNode && { token: async () => ({ id: 'somebody' }) }),
  });
  return { port, write, provider };
}

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function exchange(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

function ask(
  port: number,
  method: string,
  params: Record<string, unknown> = {},
  encoding?: string,
  id: number | string = 1,
): Promise<Got> {
  const body = modernBody(method, params, id);
  const headers = {
    ...modernHeaders(method, params, TOKEN),
    'content-length': String(Buffer.byteLength(body)),
    ...(encoding !== undefined && { 'accept-encoding': encoding }),
  };
  return exchange(port, 'POST', '/mcp', headers, body);
}

/** An answer once it comes compressed. */
async function compressed(port: number, method: string, params: Record<string, unknown> = {}): Promise<Got> {
  for (let round = 0; round < 1_000; round++) {
    const got = await ask(port, method, params, 'gzip');
    if (got.headers['content-encoding'] === 'gzip') return got;
    await sleep(5);
  }
  throw new Error('it is never compressed');
}

describe.each([
  ['by a lane', false],
  ['by way of node:http', true],
])('large answers %s', (_way, byNode) => {
  it.each<[string, Record<string, unknown>]>([
    ['skills/list', {}],
    ['resources/list', {}],
    ['resources/read', { uri: 'skill://skill-0/long.md' }],
  ])('of %s come in gzip, and say the same', async (method, params) => {
    const { port } = await site(byNode);
    const plain = await ask(port, method, params);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers).not.toHaveProperty('vary');
    expect(plain.body.length).toBeGreaterThan(16_384);
    const got = await compressed(port, method, params);
    expect(got.status).toBe(200);
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'content-length': String(got.body.length),
    });
    expect(gunzipSync(got.body).equals(plain.body)).toBe(true);
    expect(got.body.length * 4).toBeLessThan(plain.body.length);
    const other = await ask(port, method, params, 'gzip', 'ä other');
    expect(JSON.parse(gunzipSync(other.body).toString())).toEqual({
      ...JSON.parse(plain.body.toString()),
      id: 'ä other',
    });
  });

  it.each([undefined, 'identity', 'br, deflate', 'gzip;q=0', 'gzip;q=x'])(
    'come plain to who asks for %s, whoever else was answered',
    async (encoding) => {
      const { port } = await site(byNode);
      await compressed(port, 'skills/list');
      const got = await ask(port, 'skills/list', {}, encoding);
      expect(got.headers).not.toHaveProperty('content-encoding');
      expect(JSON.parse(got.body.toString()).result.skills).toHaveLength(150);
    },
  );

  it('come plain where they are short', async () => {
    const { port } = await site(byNode, 5);
    for (let round = 0; round < 10; round++) {
      const got = await ask(port, 'skills/list', {}, 'gzip');
      expect(got.headers).not.toHaveProperty('content-encoding');
    }
  });

  it('say what is true now after an edit', async () => {
    const { port, write, provider } = await site(byNode);
    await compressed(port, 'skills/list');
    write('skill-0/SKILL.md', '---\nname: skill-0\ndescription: Another one\n---\n\nBody.\n');
    await provider.refresh();
    const first = await ask(port, 'skills/list', {}, 'gzip');
    expect(first.headers).not.toHaveProperty('content-encoding');
    for (const text of [first.body, gunzipSync((await compressed(port, 'skills/list')).body)])
      expect(JSON.parse(text.toString()).result.skills[0].frontmatter.description).toBe('Another one');
  });

  it('are read by the official client', async () => {
    const { port } = await site(byNode);
    await compressed(port, 'resources/list');
    let encoded = 0;
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: {}, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), {
        requestInit: { headers: TOKEN },
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          if (response.headers.get('content-encoding') === 'gzip') encoded += 1;
          return response;
        },
      }),
    );
    onTestFinished(() => client.close());
    const { resources } = await client.listResources();
    expect(resources).toHaveLength(301);
    expect(encoded).toBe(1);
  });

  it('are left by a client that goes away in the middle without harm to others', async () => {
    const { port } = await site(byNode);
    await compressed(port, 'skills/list');
    const body = modernBody('skills/list', {});
    for (let round = 0; round < 20; round++) {
      const request = httpRequest({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/mcp',
        headers: { ...modernHeaders('skills/list', {}, TOKEN), 'accept-encoding': 'gzip' },
        agent: false,
      });
      request.on('error', () => undefined);
      request.on('response', (response) => response.destroy());
      request.end(body);
      await new Promise((resolve) => request.once('close', resolve));
    }
    const got = await ask(port, 'skills/list', {}, 'gzip');
    expect(JSON.parse(gunzipSync(got.body).toString()).result.skills).toHaveLength(150);
  });
});

describe.each([INDEX, OLDER])('%s', (path) => {
  const get = (port: number, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> =>
    exchange(port, method, path, headers);

  it('comes in gzip to who takes it, under a tag of its own', async () => {
    const { port } = await site();
    const plain = await get(port);
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const got = await get(port, { 'accept-encoding': 'gzip, deflate' });
    expect(got.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'content-type': plain.headers['content-type'],
      'content-length': String(got.body.length),
      'cache-control': plain.headers['cache-control'],
    });
    expect(gunzipSync(got.body).equals(plain.body)).toBe(true);
    const [ours, theirs] = [got.headers.etag ?? '', plain.headers.etag ?? ''];
    expect(ours).toBe(theirs.replace(/"$/, '-gzip"'));
    const head = await get(port, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.headers.etag, head.headers['content-length'], head.body.length]).toEqual([
      ours,
      String(got.body.length),
      0,
    ]);
    for (const [sent, encoding, status] of [
      [ours, 'gzip', 304],
      [theirs, 'gzip', 200],
      [theirs, 'identity', 304],
      [ours, 'identity', 200],
    ] as const) {
      const again = await get(port, { 'accept-encoding': encoding, 'if-none-match': sent });
      expect([again.status, again.headers.vary]).toEqual([status, 'accept-encoding']);
    }
  });

  it('is plain where it is short', async () => {
    const { port } = await site(false, 3);
    const got = await get(port, { 'accept-encoding': 'gzip' });
    expect(got.headers).not.toHaveProperty('content-encoding');
    expect(got.headers).not.toHaveProperty('vary');
  });

  it('varies by who asks as well, where a token says who', async () => {
    const { port } = await site(true);
    const got = await get(port, { ...TOKEN, 'accept-encoding': 'gzip' });
    expect([got.headers['content-encoding'], got.headers.vary]).toEqual([
      'gzip',
      'authorization, accept-encoding',
    ]);
  });

  it('is what fetch decodes', async () => {
    const { port } = await site();
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(((await response.json()) as { skills: unknown[] }).skills).toHaveLength(SKILLS);
  });
});
