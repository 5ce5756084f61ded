import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { writeAnswer } from '../../src/http/bridge.ts';
import { createSessions } from '../../src/http/sessions.ts';
import { silentLogger } from '../../src/logger.ts';
import { fakeProvider } from './fake-provider.ts';
import { INITIALIZE, JSON_HEADERS, modern, rawSocket, send, start } from './harness.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Settles once `condition` holds; turns the event loop without any timer. */
async function turnUntil(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns > 1_000_000) throw new Error('the condition never held');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('upkeep', () => {
  it('ends sessions that nobody asks for any more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let time = 0;
    const provider = fakeProvider();
    const sessions = createSessions({
      maxSessions: 10,
      idleMs: 90_000,
      now: () => time,
      logger: silentLogger,
    });
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: JSON_HEADERS });
    const body: unknown = JSON.parse(INITIALIZE);
    const answer = await sessions.open({ principal: { id: 'x' }, provider, request, body });
    expect([answer?.status, sessions.size]).toEqual([200, 1]);
    time = 60_000;
    vi.advanceTimersByTime(60_000);
    expect(sessions.size).toBe(1);
    time = 120_000;
    vi.advanceTimersByTime(60_000);
    expect(sessions.size).toBe(0);
    await turnUntil(() => vi.getTimerCount() === 0);
    await sessions.close();
    expect(await sessions.open({ principal: { id: 'x' }, provider, request, body })).toBeUndefined();
  });

  it('cuts off a client that takes nothing of a stream for a minute, and tells the source', async () => {
    let cancelled = false;
    let response: ServerResponse | undefined;
    let written: Promise<void> | undefined;
    const server = createServer((_request, outgoing) => {
      response = outgoing;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => {
          cancelled = true;
        },
      });
      written = writeAnswer(
        new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
        outgoing,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(() => void server.close());
    const address = server.address();
    const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await turnUntil(() => response?.writableNeedDrain === true && vi.getTimerCount() > 0);
    expect(response?.destroyed).toBe(false);
    vi.advanceTimersByTime(60_000);
    await turnUntil(() => cancelled);
    await written;
    expect(response?.destroyed).toBe(true);
  });

  it('does not pass a broken answer off as a whole one', async () => {
    const server = createServer((_request, outgoing) => {
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.error(new Error('secret /path')),
      });
      void writeAnswer(new Response(body, { headers: { 'content-type': 'application/json' } }), outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await expect(send(port, { method: 'GET' })).rejects.toThrow(/hang up|ECONNRESET/);
  });

  it('refuses headers beyond 16 KiB', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const { status } = await send(port, {
      method: 'GET',
      path: '/healthz',
      headers: { 'x-large': 'x'.repeat(17_000) },
    });
    expect(status).toBe(431);
  });

  it('survives whatever bytes come', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const piece = fc.constantFrom(
      'POST /mcp HTTP/1.1\r\n',
      'GET /mcp HTTP/1.1\r\n',
      'Host: localhost\r\n',
      'Content-Type: application/json\r\n',
      'Content-Length: 5\r\n',
      'Content-Length: -1\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Transfer-Encoding: gzip, chunked\r\n',
      'Mcp-Session-Id: \u00e9\r\n',
      'Authorization: Bearer\r\n',
      'Expect: 100-continue\r\n',
      'Upgrade: websocket\r\nConnection: upgrade\r\n',
      '\r\n',
      '{"a":',
      '5\r\nhello\r\n',
      '0\r\n\r\n',
      '\0\n\r',
    );
    const bytes = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.from(pieces.join(''), 'latin1')),
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const { socket, text } = await rawSocket(port);
        socket.end(sent);
        const answer = await text;
        expect(answer === '' || answer.startsWith('HTTP/1.1 ')).toBe(true);
        expect(answer).not.toMatch(/ 500 |node_modules|Error:/);
      }),
      { numRuns: 300 },
    );
    expect((await modern(port, 'resources/list')).status).toBe(200);
  });
});
