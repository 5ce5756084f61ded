import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpApp } from '../../src/http/index.ts';
import { fakeProvider } from './fake-provider.ts';
import {
  inSession,
  modern,
  modernBody,
  modernHeaders,
  openSession,
  rawSocket,
  send,
  start,
} from './harness.ts';

const HEADERS = modernHeaders('resources/list', {});
const BODY = modernBody('resources/list', {});
const HEAD = Object.entries(HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

describe('request bodies', () => {
  const rows: [string, Record<string, string>, string | Buffer, number, number][] = [
    ['no content type', { 'content-type': '' }, BODY, 415, -32000],
    ['text', { 'content-type': 'text/plain' }, BODY, 415, -32000],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415, -32000],
    ['JSON in name only', { 'content-type': 'application/json5' }, BODY, 415, -32000],
    ['compressed', { 'content-encoding': 'gzip' }, BODY, 415, -32000],
    ['empty', {}, '', 400, -32700],
    ['cut off', {}, BODY.slice(0, -1), 400, -32700],
    ['not JSON', {}, 'hello', 400, -32700],
    ['not UTF-8', {}, Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400, -32700],
    ['a number', {}, '1', 400, -32600],
    ['null', {}, 'null', 400, -32600],
    ['an empty batch', {}, '[]', 400, -32600],
    ['a batch of modern requests', {}, `[${BODY}]`, 400, -32600],
    ['deeply nested', {}, '['.repeat(1_000_000) + ']'.repeat(1_000_000), 400, -32600],
    ['an object that is no message', {}, '{"__proto__":{"method":"x"}}', 400, -32600],
  ];
  it.each(rows)('%s', async (_what, headers, body, status, code) => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const answer = await send(port, { headers: { ...HEADERS, ...headers }, body });
    expect([answer.status, answer.json.error.code, answer.json.id]).toEqual([status, code, null]);
    expect(provider.servers).toBe(0);
  });

  it.each([
    ['a charset', { 'content-type': 'Application/JSON; charset=utf-8' }, BODY],
    ['a byte order mark', {}, `\uFEFF${BODY}`],
    ['identity encoding', { 'content-encoding': 'identity' }, BODY],
  ])('takes %s', async (_what, headers, body) => {
    const { port } = await start({ provider: fakeProvider() });
    expect((await send(port, { headers: { ...HEADERS, ...headers }, body })).status).toBe(200);
  });

  it('says so when something before the handler has read the body', async () => {
    const app = createHttpApp({ provider: fakeProvider() });
    const server = createServer((request, response) => {
      request.resume().on('end', () => app.handler(request, response));
    });
    onTestFinished(async () => {
      server.close();
      server.closeAllConnections();
      await app.close({ drainMs: 0 });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await send(port, { headers: HEADERS, body: BODY });
    expect([answer.status, answer.json]).toEqual([
      500,
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32603,
          message:
            'Internal server error: something before this handler has read the request body; put the handler before body parsers',
        },
      },
    ]);
  });

  it('survives parameters nested as deeply as the cap allows', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const deep = '['.repeat(500_000) + ']'.repeat(500_000);
    const body = BODY.replace('"_meta"', `"deep":${deep},"_meta"`);
    const answer = await send(port, { headers: HEADERS, body });
    expect([200, 400, 500]).toContain(answer.status);
    expect(answer.text).not.toMatch(/RangeError|call stack/);
    expect((await modern(port, 'resources/list')).status).toBe(200);
  });

  it('takes a body of exactly the cap and refuses one byte more, declared or in chunks', async () => {
    const { port } = await start({ provider: fakeProvider(), maxRequestBytes: 1_000 });
    const padded = (bytes: number): string => BODY + ' '.repeat(bytes - BODY.length);
    const chunked = async (body: string): Promise<string> => {
      const { socket, text } = await rawSocket(port);
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
      );
      for (let at = 0; at < body.length; at += 100) {
        const piece = body.slice(at, at + 100);
        socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      }
      socket.end('0\r\n\r\n');
      return (await text).split('\r\n')[0] ?? '';
    };
    expect((await send(port, { headers: HEADERS, body: padded(1_000) })).status).toBe(200);
    const refused = await send(port, { headers: HEADERS, body: padded(1_001) });
    expect([refused.status, refused.json.error]).toEqual([
      413,
      {
        code: -32000,
        message: 'Payload Too Large: the request body must not exceed 1000 bytes',
        data: { limit: 1_000 },
      },
    ]);
    expect(await chunked(padded(1_000))).toBe('HTTP/1.1 200 OK');
    expect(await chunked(padded(1_001))).toBe('HTTP/1.1 413 Payload Too Large');
  });

  it('caps bodies at 4 MiB unless told otherwise', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const at = await send(port, { headers: HEADERS, body: BODY + ' '.repeat(4_194_304 - BODY.length) });
    const over = await send(port, { headers: HEADERS, body: BODY + ' '.repeat(4_194_305 - BODY.length) });
    expect([at.status, over.status]).toEqual([200, 413]);
  });

  it('cuts off a client that never stops sending chunks', async () => {
    const { port } = await start({ provider: fakeProvider(), maxRequestBytes: 1_000 });
    const { socket, text } = await rawSocket(port);
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const piece = `400\r\n${'x'.repeat(1_024)}\r\n`;
    const pump = setInterval(() => socket.write(piece), 1);
    try {
      const answer = await text;
      expect(answer).toContain('413 Payload Too Large');
      expect(answer.toLowerCase()).toContain('connection: close');
    } finally {
      clearInterval(pump);
    }
  });

  it('says nothing to a client that leaves in the middle of its body, and goes on', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const { socket, text } = await rawSocket(port);
    socket.write(`POST /mcp HTTP/1.1\r\nHost: localhost\r\n${HEAD}Content-Length: 1000\r\n\r\n{"json`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
    expect(await text).toBe('');
    expect((await modern(port, 'resources/list')).status).toBe(200);
  });

  it('answers requests sent one behind the other in their order', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const { socket, text } = await rawSocket(port);
    const post = (id: number, last: boolean): string => {
      const body = modernBody('resources/list', {}, id);
      return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${HEAD}${last ? 'Connection: close\r\n' : ''}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    socket.write([1, 2, 3, 4].map((id) => post(id, id === 4)).join(''));
    const ids = [...(await text).matchAll(/"id":(\d)/g)].map((match) => match[1]);
    expect(ids).toEqual(['1', '2', '3', '4']);
  });

  it('does not take the rest of a refused body for the next request', async () => {
    const { port } = await start({ provider: fakeProvider(), maxRequestBytes: 1_000 });
    const hidden = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const body = hidden + 'x'.repeat(2_000);
    const { socket, text } = await rawSocket(port);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.end();
    expect((await text).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
  });

  it('takes batches in a session, and none larger than a hundred', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const id = await openSession(port);
    const list = (n: number): object => ({ jsonrpc: '2.0', id: n, method: 'resources/list' });
    const answer = await inSession(port, id, [list(1), list(2)]);
    expect(answer.json.map((message: { id: number }) => message.id)).toEqual([1, 2]);
    const big = await inSession(
      port,
      id,
      Array.from({ length: 101 }, (_, n) => list(n)),
    );
    expect([big.status, big.json.error.code]).toEqual([400, -32600]);
    const twice = await inSession(port, id, [list(1), list(1)]);
    expect([twice.status, twice.json.error.code]).toEqual([400, -32600]);
  });
});
