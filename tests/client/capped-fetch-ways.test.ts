/** The two ways of `cappedFetch`: whatever a server answers, they come to the same. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cappedFetch } from '../../src/client/index.ts';

const CAP = 100_000;
const TEXT = '{"jsonrpc":"2.0","id":1,"result":{"text":"ä€😀"}}';
const LARGE = JSON.stringify({ pad: 'x'.repeat(CAP + 1) });
const JSON_TYPE = { 'content-type': 'application/json' };
const SSE_TYPE = { 'content-type': 'text/event-stream' };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ['JSON', (response) => response.writeHead(200, JSON_TYPE).end(TEXT)],
  [
    'JSON with a charset',
    (response) => response.writeHead(200, { 'content-type': 'Application/JSON ; charset=utf-8' }).end(TEXT),
  ],
  ['JSON behind a byte order mark', (response) => response.writeHead(200, JSON_TYPE).end(`\uFEFF${TEXT}`)],
  [
    'bytes that are no UTF-8',
    (response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x22, 0xe2, 0x82, 0xff, 0x22])),
  ],
  ['no JSON at all', (response) => response.writeHead(200, JSON_TYPE).end('{"a":')],
  ['nothing', (response) => response.writeHead(200, JSON_TYPE).end()],
  [
    'JSON in pieces that cut a character',
    (response) => {
      const bytes = Buffer.from(TEXT);
      const cut = bytes.indexOf(0xe2) + 1;
      response.writeHead(200, JSON_TYPE).write(bytes.subarray(0, cut));
      setImmediate(() => response.end(bytes.subarray(cut)));
    },
  ],
  ...(
    [
      ['gzip', gzipSync],
      ['x-gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const
  ).flatMap(([coding, compress]) => [
    [
      `JSON as ${coding}`,
      (response: ServerResponse) =>
        response.writeHead(200, { ...JSON_TYPE, 'content-encoding': coding }).end(compress(TEXT)),
    ] as const,
    [
      `too much JSON as ${coding}`,
      (response: ServerResponse) =>
        response.writeHead(200, { ...JSON_TYPE, 'content-encoding': coding }).end(compress(LARGE)),
    ] as const,
    [
      `an error as ${coding}`,
      (response: ServerResponse) =>
        response.writeHead(400, { ...JSON_TYPE, 'content-encoding': coding }).end(compress(TEXT)),
    ] as const,
    [
      `events as ${coding}`,
      (response: ServerResponse) =>
        response
          .writeHead(200, { ...SSE_TYPE, 'content-encoding': coding })
          .end(compress(`data: ${TEXT}\n\n`)),
    ] as const,
  ]),
  [
    'JSON as deflate without its head',
    (response) =>
      response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'deflate' }).end(deflateRawSync(TEXT)),
  ],
  [
    'JSON compressed twice',
    (response) =>
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'br, gzip' })
        .end(gzipSync(brotliCompressSync(TEXT))),
  ],
  [
    'a coding that nobody knows',
    (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'rot13' }).end(TEXT),
  ],
  [
    'gzip that lacks its end',
    (response) =>
      response
        .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' })
        .end(gzipSync(TEXT).subarray(0, -8)),
  ],
  [
    'gzip that is none',
    (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(TEXT),
  ],
  ['too much JSON', (response) => response.writeHead(200, JSON_TYPE).end(LARGE)],
  [
    'too much JSON of no declared length',
    (response) => {
      response.writeHead(200, JSON_TYPE).write(LARGE.slice(0, 50_000));
      response.end(LARGE.slice(50_000));
    },
  ],
  ['an event', (response) => response.writeHead(200, SSE_TYPE).end(`data: ${TEXT}\n\n`)],
  ['too much of an event', (response) => response.writeHead(200, SSE_TYPE).end(`data: ${LARGE}\n\n`)],
  ['another type', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['no type', (response) => response.writeHead(200).end(TEXT)],
  ['202', (response) => response.writeHead(202).end()],
  ['204', (response) => response.writeHead(204).end()],
  ['304', (response) => response.writeHead(304).end()],
  ['a redirect', (response) => response.writeHead(307, { location: '/elsewhere' }).end('there')],
  ['an error with JSON', (response) => response.writeHead(400, JSON_TYPE).end(TEXT)],
  ['401', (response) => response.writeHead(401, { 'www-authenticate': 'Bearer scope="a"' }).end('no')],
  ['a session', (response) => response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 's' }).end(TEXT)],
  [
    'headers that come twice',
    (response) =>
      response
        .writeHead(
          200,
          [
            ['content-type', 'application/json'],
            ['x-a', '1'],
            ['x-a', '2'],
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
          ].flat(),
        )
        .end(TEXT),
  ],
  [
    'a hint before it',
    (response) => {
      response.writeContinue();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.writeHead(200, JSON_TYPE).end(TEXT);
    },
  ],
  ['no answer', (response) => response.destroy()],
  [
    'half an answer',
    (response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' }).write(TEXT);
      setTimeout(() => response.destroy(), 10);
    },
  ],
  [
    'half of an event',
    (response) => {
      response.writeHead(200, SSE_TYPE).write('data: {');
      setTimeout(() => response.destroy(), 10);
    },
  ],
  [
    'JSON in more codings than anybody needs',
    (response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'br,'.repeat(6) }).end(TEXT),
  ],
  ['what is no HTTP', (response) => response.socket?.end('SSH-2.0-x\r\n\r\n')],
];

const agent = new Agent();
const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => ANSWERS[Number(request.headers['x-answer'])]?.[1](response, request));
});
let url: URL;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
afterAll(async () => {
  await agent.destroy();
  server.closeAllConnections();
  server.close();
});

const init = (answer: number): RequestInit => ({
  method: 'POST',
  redirect: 'manual',
  headers: { 'content-type': 'application/json', 'x-answer': String(answer) },
  body: '{"jsonrpc":"2.0","id":1,"method":"skills/list"}',
});

/** What a caller sees of an answer, errors by what they are told apart by. */
async function seen(send: ReturnType<typeof cappedFetch>, answer: number): Promise<unknown> {
  const told = (error: unknown): unknown => {
    const { name, code, cause } = error as Error & { readonly code?: string };
    const why = cause as { readonly name?: string; readonly code?: string } | undefined;
    // Each parser has codes of its own for what is no HTTP, and the one in `fetch` is that of the Node that runs.
    return { name, code, cause: why?.name === 'HTTPParserError' ? why.name : why?.code };
  };
  let response: Response;
  try {
    response = await send(url, init(answer));
  } catch (error) {
    return { failed: told(error) };
  }
  const { status, statusText, ok } = response;
  const headers = [...response.headers].filter(([name]) => name !== 'date');
  const head = {
    status,
    statusText,
    ok,
    url: response.url,
    headers,
    cookies: response.headers.getSetCookie(),
  };
  try {
    return { ...head, text: await response.text(), used: response.bodyUsed };
  } catch (error) {
    return { failed: told(error) };
  }
}

describe('both ways of cappedFetch', () => {
  it.each(ANSWERS.map(([name], at) => [name, at] as const))('come to the same for %s', async (name, at) => {
    const byFetch = await seen(cappedFetch(CAP), at);
    const byConnections = await seen(cappedFetch(CAP, { dispatcher: agent }), at);
    expect(byConnections).toEqual(byFetch);
    if (name.startsWith('too much JSON'))
      expect(byConnections).toMatchObject({ failed: { code: 'RESPONSE_TOO_LARGE' } });
    if (name === 'JSON as br') expect(byConnections).toMatchObject({ status: 200, text: TEXT });
  });

  it.each([
    ['a status', 'HTTP/1.1 999 Odd'],
    ['a reason', 'HTTP/1.1 400 \u20ac'],
  ])('cut the connection of an answer with %s that the platform has no response for', async (_, line) => {
    let closed = 0;
    const odd = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        // Others may be opened for what comes next, and ask nothing.
        socket.on('close', () => {
          closed += 1;
        });
        // The rest never comes.
        socket.write(`${line}\r\ncontent-length: 9\r\n\r\nx`);
      });
    });
    await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
    const { port } = odd.address() as AddressInfo;
    const connections = new Agent();
    const send = cappedFetch(CAP, { dispatcher: connections, timeoutMs: -1 });
    const failed = send(`http://127.0.0.1:${port}/mcp`, init(0)).then(
      () => 'an answer',
      () => 'nothing',
    );
    expect(await failed).toBe('nothing');
    await vi.waitFor(() => expect(closed).toBe(1));
    await connections.destroy();
    odd.close();
  });
});
