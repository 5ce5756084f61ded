import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sendTo } from '../../src/http/fast.ts';
import { gzipAnswer } from '../../src/http/gzip-answer.ts';
import { writePlainAnswer } from '../../src/http/plain-answer.ts';
import type { PreparedBytes } from '../../src/server/prepared-cache.ts';

const DATE = /\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/;

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The first `bytes` that come from a port, and what came with them. */
function received(port: number, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n'),
    );
    onTestFinished(() => void socket.destroy());
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= bytes) resolve(Buffer.concat(chunks));
    });
  });
}

function masked(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  expect(text).toMatch(DATE);
  return text.replace(DATE, '\r\nDate: x\r\n');
}

/** What `writePlainAnswer` writes, and what Node's response does. */
async function bothWays(
  id: string | number,
  head: PreparedBytes,
  keepAliveMs = 5_000,
): Promise<readonly [string, string]> {
  const own = createServer((socket) => {
    socket.once('data', () => writePlainAnswer(socket, id, head, { keepAliveMs, inGzip: false }));
  });
  const node = createHttpServer({ keepAliveTimeout: keepAliveMs }, (_request, response) =>
    sendTo(response, false)(id, head),
  );
  const [ours, theirs] = [await listen(own), await listen(node)];

  const length = head.length + Buffer.byteLength(JSON.stringify(id)) + 1 + linesLength(id, head, keepAliveMs);
  return [masked(await received(ours, length)), masked(await received(theirs, length))];
}

function linesLength(id: string | number, head: PreparedBytes, keepAliveMs: number): number {
  const length = head.length + Buffer.byteLength(JSON.stringify(id)) + 1;
  return [
    'HTTP/1.1 200 OK',
    'x-content-type-options: nosniff',
    'content-type: application/json',
    `content-length: ${length}`,
    'Date: Mon, 30 Nov 2026 23:47:00 GMT',
    'Connection: keep-alive',
    `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}`,
    '',
    '',
  ].join('\r\n').length;
}

const BEGUN = '{"result":{"x":"VALUE"},"jsonrpc":"2.0","id":';

function textOf(value: string): string {
  return BEGUN.replace('VALUE', value);
}

function bytesOf(value: string): Buffer {
  return Buffer.from(textOf(value));
}

describe('a plain answer', () => {
  it('is these bytes', async () => {
    const [ours] = await bothWays('é', textOf('a'));
    const body = Buffer.from('{"result":{"x":"a"},"jsonrpc":"2.0","id":"é"}').toString('latin1');
    expect(ours).toBe(
      [
        'HTTP/1.1 200 OK',
        'x-content-type-options: nosniff',
        'content-type: application/json',
        'content-length: 46',
        'Date: x',
        'Connection: keep-alive',
        'Keep-Alive: timeout=5',
        '',
        body,
      ].join('\r\n'),
    );
  });

  const ids: readonly (string | number)[] = [
    ...[0, 1, -3, Number.MAX_SAFE_INTEGER, -0, 'a', '', '7', 'é', '日本語', '\u{1f600}', '\u2028\u2029'],
    ...[
      '\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      '"}}',
      '\\',
      '\0\x7f\x1b',
      '\ud800',
      'a\udc00b',
      'x'.repeat(20_000),
    ],
    'é'.repeat(20_000),
  ];
  const heads: readonly (readonly [string, PreparedBytes])[] = [
    ['a text', textOf('a')],
    ['a long text', textOf('x'.repeat(16_300))],
    ['a few bytes', bytesOf('é\u{1f600}')],
    ['as many bytes as are copied', bytesOf('é'.repeat((16_384 - textOf('').length) / 2))],
    ['more bytes than are copied', bytesOf(`é${'x'.repeat(16_384 - textOf('').length)}`)],
    ['very many bytes', bytesOf('\u{1f600}'.repeat(100_000))],
  ];

  it.each(heads)('of %s is what Node writes, whatever the id is', async (_what, head) => {
    for (const id of ids) {
      const [ours, theirs] = await bothWays(id, head);
      expect(ours === theirs, JSON.stringify(id).slice(0, 100)).toBe(true);
      // Nothing of an id ends a line.
      expect(ours.split('\r\n')).toHaveLength(9);
    }
  });

  it.each([
    ['few bytes', 'x'.repeat(100_000)],
    // Numbers in no order shrink to about half.
    ['many bytes', Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 99_991).join(' ')],
  ])('in gzip, %s of it, is what Node writes', async (_what, value) => {
    const head = bytesOf(value);
    const lengthOf = (id: string | number): number | undefined => {
      const answer = gzipAnswer(head, `${JSON.stringify(id)}}`);
      return answer && answer.front.length + answer.end.length;
    };
    for (let look = 0; look < 500 && lengthOf(1) === undefined; look++) await sleep(2);
    for (const id of [1, 'é', '\r\n\r\n']) {
      const length = lengthOf(id) ?? 0;
      const own = createServer((socket) => {
        socket.once('data', () => writePlainAnswer(socket, id, head, { keepAliveMs: 5_000, inGzip: true }));
      });
      const node = createHttpServer({ keepAliveTimeout: 5_000 }, (_request, response) =>
        sendTo(response, true)(id, head),
      );
      const lines = [
        'HTTP/1.1 200 OK',
        'x-content-type-options: nosniff',
        'content-type: application/json',
        'content-encoding: gzip',
        'vary: accept-encoding',
        `content-length: ${length}`,
        'Date: x',
        'Connection: keep-alive',
        'Keep-Alive: timeout=5',
        '',
        '',
      ].join('\r\n');
      const bytes = lines.length + 28 + length;
      const [ours, theirs] = [
        masked(await received(await listen(own), bytes)),
        masked(await received(await listen(node), bytes)),
      ];
      expect(ours === theirs).toBe(true);
      expect(ours.startsWith(lines)).toBe(true);
      expect(gunzipSync(Buffer.from(ours.slice(lines.length), 'latin1')).toString()).toBe(
        `${head}${JSON.stringify(id)}}`,
      );
    }
  });

  it.each([1_000, 5_999, 72_000])('says that a connection is kept for %i ms as Node does', async (ms) => {
    const [ours, theirs] = await bothWays(1, textOf('a'), ms);
    expect(ours).toBe(theirs);
  });
});
