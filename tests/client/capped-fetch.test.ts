import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Agent } from 'undici';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  type CappedFetchOptions,
  cappedFetch,
  SkillsClient,
  STDIO_BUFFER_BYTES,
} from '../../src/client/index.ts';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { overHttp, SKILLS } from './link.ts';
import { manifestText } from './skill-server.ts';

const CAP = 100_000;

interface Posted {
  readonly id?: number;
  readonly method: string;
}

/** A server that answers `initialize` and leaves everything else to the test. */
async function serve(
  answer: (posted: Posted, response: ServerResponse) => void,
  onGet: (response: ServerResponse) => void = (response) => void response.writeHead(405).end(),
): Promise<{ readonly url: URL; readonly gets: () => number }> {
  let gets = 0;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      gets += 1;
      onGet(response);
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const posted = JSON.parse(body) as Posted;
      if (posted.id === undefined) response.writeHead(202).end();
      else if (posted.method === 'initialize') {
        const result = {
          protocolVersion: '2025-11-25',
          capabilities: SKILLS,
          serverInfo: { name: 'x', version: '1' },
        };
        json(response, JSON.stringify({ jsonrpc: '2.0', id: posted.id, result }));
      } else answer(posted, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`), gets: () => gets };
}

function json(response: ServerResponse, body: string | Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
}

/** Writes until the other side has had enough. */
function flood(response: ServerResponse, chunk: string): void {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

async function connect(url: URL, options: CappedFetchOptions): Promise<SkillsClient> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  client.onerror = () => {};
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: cappedFetch(CAP, options) }));
  onTestFinished(() => client.close());
  return new SkillsClient(client, { requestTimeoutMs: 20_000 });
}

const padded = (id: number | undefined, length: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { skills: [], pad: 'x'.repeat(length) } });

const dispatcher = new Agent();
afterAll(() => dispatcher.destroy());

describe.each<[string, CappedFetchOptions]>([
  ['by fetch', {}],
  ['over connections of its own', { dispatcher }],
])('cappedFetch %s', (_way, options) => {
  it.each<[string, (posted: Posted, response: ServerResponse) => void]>([
    [
      'a length that is declared',
      ({ id }, response) =>
        json(response, padded(id, CAP), { 'content-length': String(padded(id, CAP).length) }),
    ],
    [
      'a body without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        flood(response, 'x'.repeat(10_000));
      },
    ],
    [
      'little that unpacks to much',
      ({ id }, response) => json(response, gzipSync(padded(id, 10_000_000)), { 'content-encoding': 'gzip' }),
    ],
    [
      'an event without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: message\ndata: {"x":"');
        flood(response, 'x'.repeat(10_000));
      },
    ],
    [
      'events without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        flood(response, ': nothing\n\n'.repeat(1_000));
      },
    ],
  ])('ends a request whose answer is %s', async (_, answer) => {
    const { url } = await serve(answer);
    const client = await connect(url, options);
    await expect(client.listSkills()).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
  });

  it('lets through what is within the cap, as JSON and as events', async () => {
    let turn = 0;
    const { url } = await serve(({ id }, response) => {
      turn += 1;
      if (turn === 1) return json(response, padded(id, CAP - 200));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${padded(id, CAP - 200)}\n\n`);
    });
    const client = await connect(url, options);
    expect(await client.listSkills()).toMatchObject({ complete: true });
    expect(await client.listSkills({ fresh: true })).toMatchObject({ complete: true });
  });

  it('counts each event of a notification stream by itself, ends it at one too large, and opens it no more', async () => {
    const opened: ServerResponse[] = [];
    const { url, gets } = await serve(
      ({ id }, response) => json(response, padded(id, 10)),
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        opened.push(response);
      },
    );
    const send = cappedFetch(CAP, options);
    const stream = await send(url, { method: 'GET' });
    const reader = stream.body?.getReader();
    const note = `data: ${'x'.repeat(40_000)}\r\n\r\n`;
    let received = 0;
    for (let event = 0; event < 10; event++) {
      opened[0]?.write(note);
      while (received < (event + 1) * note.length) received += (await reader?.read())?.value?.length ?? 0;
    }
    opened[0]?.write(`data: ${'x'.repeat(CAP + 1)}`);
    await expect(
      (async () => {
        while ((await reader?.read())?.done !== true);
      })(),
    ).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' });
    expect((await send(url, { method: 'GET' })).status).toBe(405);
    expect(gets()).toBe(1);
  });

  it('cuts an answer that drips, and no answer of a tool', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const drip = setInterval(() => response.write(': x\n\n'), 5);
      response.on('close', () => clearInterval(drip));
    });
    const send = cappedFetch(0, { ...options, timeoutMs: 60 });
    const ask = (method: string): Promise<Response> =>
      send(url, {
        method: 'POST',
        redirect: 'manual',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
      });
    await expect((await ask('skills/list')).text()).rejects.toThrow();
    const reader = (await ask('tools/call')).body?.getReader();
    for (let chunk = 0; chunk < 40; chunk++) expect((await reader?.read())?.done).toBe(false);
    await reader?.cancel();
  });

  it('cuts an answer in JSON that drips', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read' });
    const asked = cappedFetch(0, { ...options, timeoutMs: 60 })(url, {
      method: 'POST',
      redirect: 'manual',
      body,
    }).then((response) => response.text());
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('leaves an answer alone when it is off, and one without a body', async () => {
    const answers = [new Response('x'.repeat(10)), new Response(null, { status: 202 })];
    const send = cappedFetch(-1, { fetch: () => Promise.resolve(answers.shift() ?? new Response()) });
    expect(await (await send('http://x')).text()).toHaveLength(10);
    expect((await send('http://x')).status).toBe(202);
  });

  it('keeps status, headers and the address that redirects are judged by', async () => {
    const { url } = await serve((_, response) => void response.writeHead(418, { 'x-a': 'b' }).end('tea'));
    const response = await cappedFetch(0, options)(url, {
      method: 'POST',
      redirect: 'manual',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x' }),
    });
    expect([response.status, response.headers.get('x-a'), response.url, await response.text()]).toEqual([
      418,
      'b',
      String(url),
      'tea',
    ]);
  });

  it('has room for the largest file of a released server, in both revisions', async () => {
    const provider = await createProvider({
      source: memorySource({
        'big/SKILL.md': manifestText('big'),
        'big/x.bin': Buffer.alloc(16_777_216, 255),
      }),
    });
    for (const revision of ['2025-11-25', '2026-07-28'] as const) {
      const client = await overHttp(createHttpApp({ provider }), revision, {
        fetch: cappedFetch(0, options),
      });
      const skills = new SkillsClient(client);
      const skill = await skills.getSkill('skill://big/SKILL.md');
      expect((await skills.read(skill, 'x.bin')).bytes).toHaveLength(16_777_216);
    }
  }, 30_000);

  it('has a buffer of the same size for stdio', () => {
    expect(STDIO_BUFFER_BYTES).toBe(33_554_432);
  });
});
