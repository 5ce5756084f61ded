import { describe, expect, it } from 'vitest';
import { fakeProvider } from './fake-provider.ts';
import {
  inSession,
  modernBody,
  modernHeaders,
  openSession,
  openStream,
  type Running,
  rawSocket,
  type Stream,
  send,
  start,
  until,
} from './harness.ts';

const CHANGED = { jsonrpc: '2.0', method: 'notifications/resources/list_changed' };
const LISTEN = { notifications: { resourcesListChanged: true } };

function listen({ port }: Running, params: Record<string, unknown> = LISTEN): Promise<Stream> {
  return openStream(port, {
    method: 'POST',
    headers: modernHeaders('subscriptions/listen', {}),
    body: modernBody('subscriptions/listen', params, 'sub'),
  });
}

describe('streams', () => {
  it('delivers each change exactly once to each stream of both eras', async () => {
    const provider = fakeProvider();
    const running = await start({ provider });
    const ids = [await openSession(running.port), await openSession(running.port)];
    const legacy = await Promise.all(
      ids.map((id) => openStream(running.port, { headers: { 'mcp-session-id': id } })),
    );
    const modern = [await listen(running), await listen(running)];
    for (const stream of modern) await stream.received(1);
    for (let round = 1; round <= 3; round += 1) provider.change();
    for (const stream of legacy) expect(await stream.received(3)).toEqual([CHANGED, CHANGED, CHANGED]);
    for (const stream of modern) {
      expect((await stream.received(4)).map((message) => message.method)).toEqual([
        'notifications/subscriptions/acknowledged',
        'notifications/resources/list_changed',
        'notifications/resources/list_changed',
        'notifications/resources/list_changed',
      ]);
    }
    // A request behind the changes shows that nothing more is on its way.
    await inSession(running.port, ids[0] ?? '', { jsonrpc: '2.0', id: 1, method: 'resources/list' });
    expect([...legacy, ...modern].map((stream) => stream.messages.length)).toEqual([3, 3, 4, 4]);
  });

  it('tells a session of changes between its streams, once, and of nothing when there were none', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const id = await openSession(port);
    provider.change();
    provider.change();
    const first = await openStream(port, { headers: { 'mcp-session-id': id } });
    const missed = { _meta: { 'io.modelcontextprotocol.skills/paths-changed': { version: 2 } } };
    expect(await first.received(1)).toEqual([{ ...CHANGED, params: missed }]);
    first.close();
    await first.ended;
    const quiet = await reopen(port, id);
    quiet.close();
    await quiet.ended;
    const again = await reopen(port, id);
    provider.change();
    expect(await again.received(1)).toEqual([CHANGED]);
    expect([first.messages.length, quiet.messages.length, again.messages.length]).toEqual([1, 0, 1]);
  });

  it('answers a second GET of a session with 409 and keeps the first', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const id = await openSession(port);
    const first = await openStream(port, { headers: { 'mcp-session-id': id } });
    expect(first.headers['content-type']).toBe('text/event-stream');
    const second = await send(port, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': id },
    });
    expect([second.status, second.json.error.code]).toEqual([409, -32000]);
    provider.change();
    expect(await first.received(1)).toEqual([CHANGED]);
  });

  it('refuses a GET that does not take events', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const id = await openSession(port);
    const answer = await send(port, {
      method: 'GET',
      headers: { accept: 'application/json', 'mcp-session-id': id },
    });
    expect(answer.status).toBe(406);
  });

  it('counts the streams of both eras together and gives places back', async () => {
    const running = await start({ provider: fakeProvider(), maxOpenStreams: 2 });
    const { port } = running;
    const [a, b] = [await openSession(port), await openSession(port)];
    const first = await openStream(port, { headers: { 'mcp-session-id': a } });
    const second = await listen(running);
    const get = await send(port, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': b },
    });
    expect([get.status, get.headers['retry-after']]).toEqual([503, '30']);
    const refused = await send(port, {
      headers: modernHeaders('subscriptions/listen', {}),
      body: modernBody('subscriptions/listen', LISTEN, 'again'),
    });
    expect([refused.status, refused.headers['retry-after'], refused.json.id]).toEqual([503, '30', 'again']);
    first.close();
    await first.ended;
    expect((await reopen(port, b)).status).toBe(200);
    second.close();
    await second.ended;
    let third = await listen(running);
    for (let tries = 0; third.status === 503 && tries < 100; tries += 1) third = await listen(running);
    expect(third.status).toBe(200);
  });

  it('gives back the place of a listen request that was refused or ended at once', async () => {
    const running = await start({ provider: fakeProvider(), maxOpenStreams: 1 });
    for (let tries = 0; tries < 5; tries += 1) {
      const nothing = await listen(running, { notifications: {} });
      await nothing.ended;
      expect(nothing.status).toBe(200);
      const wrong = await send(running.port, {
        headers: modernHeaders('subscriptions/listen', {}),
        body: modernBody('subscriptions/listen', {}),
      });
      expect(wrong.json.error.code).toBe(-32602);
    }
    expect((await listen(running)).status).toBe(200);
  });

  it('holds a subscription to the provider only while somebody listens', async () => {
    const provider = fakeProvider();
    const running = await start({ provider });
    expect(provider.listeners).toBe(0);
    const streams = [await listen(running), await listen(running)];
    expect(provider.listeners).toBe(1);
    for (const stream of streams) stream.close();
    await until(() => provider.listeners === 0);
  });

  it('keeps the streams of providers apart', async () => {
    const one = fakeProvider();
    const two = fakeProvider();
    const running = await start({
      provider: (principal) => (principal.id === 'one' ? one : two),
      token: (token) => ({ id: token }),
    });
    const open = (token: string): Promise<Stream> =>
      openStream(running.port, {
        method: 'POST',
        headers: { ...modernHeaders('subscriptions/listen', {}), authorization: `Bearer ${token}` },
        body: modernBody('subscriptions/listen', LISTEN, token),
      });
    const [first, second] = [await open('one'), await open('two')];
    two.change();
    one.change();
    one.change();
    expect(await first.received(3)).toHaveLength(3);
    expect(await second.received(2)).toHaveLength(2);
  });

  it('cancels a modern request whose client leaves', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    provider.hold();
    const params = { uri: 'skill://held/SKILL.md' };
    const body = modernBody('resources/read', params);
    const headers = Object.entries(modernHeaders('resources/read', params)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const { socket } = await rawSocket(port);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => provider.waiting === 1);
    socket.destroy();
    await until(() => provider.aborted === 1);
  });
});

/** Opens the stream of a session again, as soon as the server has noticed that the last one ended. */
async function reopen(port: number, id: string): Promise<Stream> {
  for (;;) {
    const stream = await openStream(port, { headers: { 'mcp-session-id': id } });
    if (stream.status !== 409) return stream;
    await stream.ended;
  }
}
