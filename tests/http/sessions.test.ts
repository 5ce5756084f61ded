import { describe, expect, it } from 'vitest';
import type { SkillProvider } from '../../src/server/provider.ts';
import { type FakeProvider, fakeProvider } from './fake-provider.ts';
import {
  connectClient,
  INITIALIZE,
  inSession,
  JSON_HEADERS,
  openSession,
  openStream,
  send,
  start,
  until,
} from './harness.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
const HELD = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'skill://held/SKILL.md' } };
const NOT_FOUND = { code: -32001, message: 'Session not found' };
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

describe('2025-era sessions', () => {
  it('answers an id it does not know with 404 and no stream, a missing one with 400', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const unknown = await inSession(port, 'nope', LIST);
    expect([unknown.status, unknown.json]).toEqual([404, { jsonrpc: '2.0', error: NOT_FOUND, id: 1 }]);
    expect(unknown.headers['content-type']).toBe('application/json');
    const missing = await send(port, { headers: JSON_HEADERS, body: JSON.stringify(LIST) });
    expect([missing.status, missing.json.error.code, missing.json.id]).toEqual([400, -32000, 1]);
    const empty = await inSession(port, '', LIST);
    expect(empty.status).toBe(400);
    for (const method of ['GET', 'DELETE']) {
      const accept = { accept: 'text/event-stream' };
      const headers = { ...accept, 'mcp-session-id': 'nope' };
      expect([method, (await send(port, { method, headers })).status]).toEqual([method, 404]);
      expect([method, (await send(port, { method, headers: accept })).status]).toEqual([method, 400]);
    }
  });

  it('serves a session until DELETE, and never after', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const id = await openSession(port);
    expect((await inSession(port, id, LIST)).json.result.resources).toHaveLength(1);
    const stream = await openStream(port, { headers: { 'mcp-session-id': id } });
    expect((await send(port, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status).toBe(200);
    await stream.ended;
    expect((await inSession(port, id, LIST)).status).toBe(404);
    expect((await send(port, { method: 'DELETE', headers: { 'mcp-session-id': id } })).status).toBe(404);
    expect((await openStream(port, { headers: { 'mcp-session-id': id } })).status).toBe(404);
  });

  it('ends with terminateSession of the official client', async () => {
    const { url, port } = await start({ provider: fakeProvider() });
    const { transport } = await connectClient(url, 'legacy');
    const id = transport.sessionId ?? '';
    await transport.terminateSession();
    expect((await inSession(port, id, LIST)).status).toBe(404);
  });

  it('gives ids that cannot be guessed', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const ids = await Promise.all(Array.from({ length: 20 }, () => openSession(port)));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('opens none for a refused initialize', async () => {
    const { port } = await start({ provider: fakeProvider(), maxSessions: 1 });
    const first = await openSession(port);
    const refusals: [number, Record<string, string>, unknown][] = [
      [406, { accept: 'application/json' }, JSON.parse(INITIALIZE)],
      [400, {}, [JSON.parse(INITIALIZE), LIST]],
      [404, { 'mcp-session-id': 'nope' }, JSON.parse(INITIALIZE)],
      [400, { 'mcp-session-id': first }, JSON.parse(INITIALIZE)],
    ];
    for (const [status, headers, body] of refusals) {
      const answer = await send(port, {
        headers: { ...JSON_HEADERS, ...headers },
        body: JSON.stringify(body),
      });
      expect([status, answer.headers['mcp-session-id']]).toEqual([answer.status, undefined]);
      expect(answer.json.error).not.toHaveProperty('data');
    }
  });

  it('refuses an unsupported protocol version inside a session', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const id = await openSession(port);
    expect((await inSession(port, id, LIST, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
    expect((await inSession(port, id, LIST, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
  });

  it('belongs to the principal that opened it; to others it does not exist', async () => {
    const { port } = await start({
      provider: fakeProvider(),
      token: (token) => (['a', 'a2', 'b'].includes(token) ? { id: token.slice(0, 1) } : undefined),
    });
    const id = await openSession(port, bearer('a'));
    expect((await inSession(port, id, LIST, bearer('a'))).status).toBe(200);
    expect((await inSession(port, id, LIST, bearer('a2'))).status).toBe(200);
    const theft = await inSession(port, id, LIST, bearer('b'));
    expect([theft.status, theft.json.error]).toEqual([404, NOT_FOUND]);
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', 'mcp-session-id': id, ...bearer('b') };
      expect((await send(port, { method, headers })).status).toBe(404);
    }
    expect((await inSession(port, id, LIST, bearer('a'))).status).toBe(200);
  });

  it('is of no use with a token that is no longer accepted', async () => {
    const accepted = new Set(['old']);
    const { port } = await start({
      provider: fakeProvider(),
      token: (token) => (accepted.has(token) ? { id: 'someone' } : undefined),
    });
    const id = await openSession(port, bearer('old'));
    accepted.delete('old');
    accepted.add('new');
    const old = await inSession(port, id, LIST, bearer('old'));
    expect([old.status, old.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
    expect((await inSession(port, id, LIST, bearer('new'))).status).toBe(200);
  });

  it('expires when idle, whatever else would refuse it, but not while a stream is open or a request under way', async () => {
    let time = 0;
    const provider = fakeProvider();
    const { port } = await start({ provider, sessionIdleMs: 1_000, maxSessions: 3, now: () => time });
    const idle = await openSession(port);
    const streaming = await openSession(port);
    const busy = await openSession(port);
    const stream = await openStream(port, { headers: { 'mcp-session-id': streaming } });
    const release = provider.hold();
    const slow = inSession(port, busy, HELD);
    await until(() => provider.waiting === 1);
    time = 1_001;
    expect((await inSession(port, idle, LIST)).status).toBe(404);
    expect((await inSession(port, streaming, LIST)).status).toBe(200);
    release();
    expect((await slow).status).toBe(200);
    time = 2_001;
    expect((await inSession(port, busy, LIST)).status).toBe(200);
    stream.close();
    await stream.ended;
    await until(() => provider.listeners === 2);
    time = 100_000;
    expect((await inSession(port, busy, LIST)).status).toBe(404);
  });

  it('lives as long as it is used', async () => {
    let time = 0;
    const { port } = await start({ provider: fakeProvider(), sessionIdleMs: 1_000, now: () => time });
    const id = await openSession(port);
    for (time = 900; time < 10_000; time += 900) expect((await inSession(port, id, LIST)).status).toBe(200);
  });

  it('makes room by ending the longest idle one without a stream, else refuses with Retry-After', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider, maxSessions: 3 });
    const [first, second, third] = [
      await openSession(port),
      await openSession(port),
      await openSession(port),
    ];
    await openStream(port, { headers: { 'mcp-session-id': first } });
    await inSession(port, second, LIST);
    const fourth = await openSession(port);
    expect((await inSession(port, third, LIST)).status).toBe(404);
    expect((await inSession(port, second, LIST)).status).toBe(200);
    await openStream(port, { headers: { 'mcp-session-id': second } });
    await openStream(port, { headers: { 'mcp-session-id': fourth } });
    const full = await send(port, { headers: JSON_HEADERS, body: INITIALIZE });
    expect([full.status, full.headers['retry-after'], full.json.id]).toEqual([503, '30', 0]);
    expect(full.headers['mcp-session-id']).toBeUndefined();
    const gone = await inSession(port, third, LIST);
    expect(gone.status).toBe(404);
    for (const id of [first, second, fourth]) expect((await inSession(port, id, LIST)).status).toBe(200);
    expect(provider.listeners).toBe(3);
  });

  it('never holds more sessions than the cap, however many open at once', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider, maxSessions: 5 });
    await Promise.all(
      Array.from({ length: 25 }, () => send(port, { headers: JSON_HEADERS, body: INITIALIZE })),
    );
    const late = await Promise.all(Array.from({ length: 5 }, () => openSession(port)));
    const alive = await Promise.all(late.map(async (id) => (await inSession(port, id, LIST)).status));
    expect(alive).toEqual([200, 200, 200, 200, 200]);
    expect(provider.listeners).toBe(5);
  });

  it('does not mix up two requests under way with one id', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const id = await openSession(port);
    const release = provider.hold();
    const slow = inSession(port, id, HELD);
    await until(() => provider.waiting === 1);
    const same = await inSession(port, id, { ...LIST, id: 7 });
    expect([same.status, same.json.error.code]).toEqual([400, -32600]);
    expect((await inSession(port, id, { ...LIST, id: '7' })).status).toBe(200);
    release();
    expect((await slow).json.result.contents[0].uri).toBe('skill://held/SKILL.md');
    expect((await inSession(port, id, { ...LIST, id: 7 })).status).toBe(200);
  });

  it('ends the POST of a cancelled request and frees its id', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const id = await openSession(port);
    const release = provider.hold();
    const slow = inSession(port, id, HELD);
    await until(() => provider.waiting === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await inSession(port, id, cancel)).status).toBe(202);
    expect((await slow).json).toMatchObject({ id: 7, error: { message: 'Request cancelled' } });
    expect(provider.aborted).toBe(1);
    release();
    expect((await inSession(port, id, { ...LIST, id: 7 })).status).toBe(200);
    expect((await inSession(port, id, cancel)).status).toBe(202);
  });

  it('answers what is under way when the session is deleted', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    const id = await openSession(port);
    const release = provider.hold();
    const slow = inSession(port, id, HELD);
    await until(() => provider.waiting === 1);
    await send(port, { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect((await slow).status).toBe(404);
    release();
  });

  it('keeps to the provider of its principal', async () => {
    const providers: Record<string, FakeProvider> = {
      a: fakeProvider({ text: 'for a' }),
      b: fakeProvider({ text: 'for b' }),
    };
    const { port, url } = await start({
      provider: async (principal) => providers[principal.id] as SkillProvider,
      token: (token) => (token in providers ? { id: token } : undefined),
    });
    for (const mode of ['legacy', 'auto'] as const) {
      for (const token of ['a', 'b']) {
        const { client } = await connectClient(url, mode, token);
        const { contents } = await client.readResource({ uri: 'skill://a/SKILL.md' });
        expect(contents[0]).toMatchObject({ text: `for ${token}` });
      }
    }
    const id = await openSession(port, bearer('a'));
    const stream = await openStream(port, { headers: { 'mcp-session-id': id, ...bearer('a') } });
    providers.b?.change();
    providers.a?.change();
    expect(await stream.received(1)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
    ]);
  });
});
