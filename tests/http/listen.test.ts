import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createHttpApp } from '../../src/http/index.ts';
import { fakeProvider } from './fake-provider.ts';
import {
  connectClient,
  inSession,
  modern,
  modernBody,
  modernHeaders,
  openSession,
  openStream,
  rawSocket,
  send,
  start,
  until,
} from './harness.ts';

const HELD = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'skill://held/SKILL.md' } };
const hasIPv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some((entry) => entry.address === '::1'),
);

describe('listen', () => {
  it('picks a free port and says where it listens', async () => {
    const { app, port, url } = await start({ provider: fakeProvider() });
    expect(port).toBeGreaterThan(0);
    expect(url).toBe(`http://127.0.0.1:${port}/mcp`);
    await expect(app.listen()).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });

  it('listens on localhost, whichever address that is', async () => {
    const { port, url } = await start({ provider: fakeProvider() }, { host: 'localhost' });
    expect(url).toBe(`http://localhost:${port}/mcp`);
    const { client } = await connectClient(url, 'auto');
    expect((await client.listResources()).resources).toHaveLength(1);
  });

  it.runIf(hasIPv6).each(['::1', '[::1]'])('listens on the IPv6 loopback address %s', async (host) => {
    const { port, url } = await start({ provider: fakeProvider() }, { host });
    expect(url).toBe(`http://[::1]:${port}/mcp`);
    expect((await send(port, { host: '::1', method: 'GET', path: '/healthz' })).text).toBe('ok\n');
    const { client } = await connectClient(url, 'legacy');
    expect((await client.listResources()).resources).toHaveLength(1);
  });

  it('says what to do when the port is taken, and can listen elsewhere after', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const app = createHttpApp({ provider: fakeProvider() });
    await expect(app.listen({ port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: `cannot listen on 127.0.0.1:${port}: another program listens there; choose another port, or 0 for a free one`,
      details: { reason: 'EADDRINUSE' },
    });
    const second = await app.listen({ port: 0 });
    expect(second.port).not.toBe(port);
    await app.close();
  });

  it.each([
    ['192.0.2.1', 0, /this machine has no such address/],
    ['127.0.0.1', 65_536, /65536 is no port/],
    ['127.0.0.1', -1, /-1 is no port/],
    ['127.0.0.1', 1.5, /1.5 is no port/],
  ])('refuses %s:%s', async (host, port, message) => {
    const app = createHttpApp({ provider: fakeProvider(), token: 't' });
    await expect(app.listen({ host, port })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      message: expect.stringMatching(message),
    });
    await app.close();
  });
});

describe('health', () => {
  it('says ok to anybody, and no more', async () => {
    const { port } = await start({ provider: fakeProvider(), token: 't' });
    for (const path of ['/healthz', '/readyz', '/healthz?x']) {
      const answer = await send(port, { method: 'GET', path, headers: { host: 'a.b', origin: 'null' } });
      expect([path, answer.status, answer.text]).toEqual([path, 200, 'ok\n']);
      const head = await send(port, { method: 'HEAD', path });
      expect([head.status, head.text]).toEqual([200, '']);
      const post = await send(port, { method: 'POST', path, body: 'x' });
      expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('is not ready while loading and while closing', async () => {
    let loaded = false;
    let asked = 0;
    const provider = fakeProvider();
    const ready = (): boolean => {
      asked += 1;
      return loaded;
    };
    const { app, port } = await start({ provider, ready });
    const status = async (): Promise<number> => (await send(port, { method: 'GET', path: '/readyz' })).status;
    expect(await status()).toBe(503);
    loaded = true;
    expect(await status()).toBe(200);
    const release = provider.hold();
    const params = { uri: 'skill://held/SKILL.md' };
    const body = modernBody('resources/read', params);
    const headers = Object.entries(modernHeaders('resources/read', params)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const { socket, text } = await rawSocket(port);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    await until(() => provider.waiting === 1);
    const closed = app.close();
    asked = 0;
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => asked === 1);
    release();
    await closed;
    expect((await text).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 503']);
  });
});

describe('tokens', () => {
  it.each(['', ' ', 'a b', 'a\n', 'ä'])('refuses the token %j, which no header can carry', (token) => {
    expect(() => createHttpApp({ provider: fakeProvider(), token })).toThrowError(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });

  it.each([
    ['Bearer right', 200, undefined],
    ['bearer   right', 200, undefined],
    ['Bearer wrong', 401, 'Bearer error="invalid_token"'],
    ['Bearer right2', 401, 'Bearer error="invalid_token"'],
    ['Bearer righ', 401, 'Bearer error="invalid_token"'],
    ['Bearer', 401, 'Bearer'],
    ['Bearer right right', 401, 'Bearer'],
    ['Basic right', 401, 'Bearer'],
    ['right', 401, 'Bearer'],
    ['', 401, 'Bearer'],
  ])('judges %j', async (authorization, status, challenge) => {
    const { port } = await start({ provider: fakeProvider(), token: 'right' });
    const answer = await modern(port, 'resources/list', {}, { authorization });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([status, challenge]);
    const elsewhere = await send(port, { method: 'GET', path: '/x', headers: { authorization } });
    expect(elsewhere.status).toBe(status === 200 ? 404 : 401);
  });

  it('does not show what a token function threw, and goes on', async () => {
    const lines: string[] = [];
    const note = (message: string, fields?: object): void =>
      void lines.push(message + JSON.stringify(fields));
    const { port } = await start({
      provider: fakeProvider(),
      token: (token) => {
        if (token === 'good') return { id: 'x' };
        if (token === 'odd') return {} as never;
        throw new Error(`no such token ${token}`);
      },
      logger: { debug: note, info: note, warn: note, error: note },
    });
    for (const token of ['s3cret', 'odd']) {
      const answer = await modern(port, 'resources/list', {}, { authorization: `Bearer ${token}` });
      expect([answer.status, answer.json.error.message]).toEqual([500, 'Internal server error']);
    }
    expect((await modern(port, 'resources/list', {}, { authorization: 'Bearer good' })).status).toBe(200);
    expect(lines.join('')).not.toContain('s3cret');
  });

  it('serves official clients of both eras', async () => {
    const { url } = await start({ provider: fakeProvider(), token: 'right' });
    for (const mode of ['legacy', 'auto'] as const) {
      const { client } = await connectClient(url, mode, 'right');
      expect((await client.listResources()).resources).toHaveLength(1);
      await expect(connectClient(url, mode, 'wrong')).rejects.toThrow();
    }
  });
});

describe('close', () => {
  it('lets requests of both eras end, then ends streams and sessions', async () => {
    const provider = fakeProvider();
    const { app, port } = await start({ provider });
    const id = await openSession(port);
    const stream = await openStream(port, { headers: { 'mcp-session-id': id } });
    const listening = await openStream(port, {
      method: 'POST',
      headers: modernHeaders('subscriptions/listen', {}),
      body: modernBody('subscriptions/listen', { notifications: { resourcesListChanged: true } }, 'sub'),
    });
    const release = provider.hold();
    const slow = [
      inSession(port, id, HELD),
      modern(port, 'resources/read', { uri: 'skill://held/SKILL.md' }),
    ];
    await until(() => provider.waiting === 2);
    const closed = app.close();
    await expect(modern(port, 'resources/list')).rejects.toThrow(/ECONNREFUSED/);
    release();
    for (const answer of await Promise.all(slow)) {
      expect([answer.status, answer.json.result.contents[0].text]).toEqual([200, 'hello']);
    }
    await closed;
    await Promise.all([stream.ended, listening.ended]);
    expect(listening.messages.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
    expect(provider.listeners).toBe(0);
    await app.close();
    await expect(app.listen()).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });

  it('gives up on requests that do not end in time, but answers them', async () => {
    const provider = fakeProvider();
    const { app, port } = await start({ provider });
    const id = await openSession(port);
    const release = provider.hold();
    const slow = [
      inSession(port, id, HELD),
      modern(port, 'resources/read', { uri: 'skill://held/SKILL.md' }),
    ];
    await until(() => provider.waiting === 2);
    await app.close({ drainMs: 0 });
    expect((await Promise.all(slow)).map((answer) => answer.status)).toEqual([404, 503]);
    release();
  });

  it('is cut short by a second call', async () => {
    const provider = fakeProvider();
    const { app, port } = await start({ provider });
    const id = await openSession(port);
    const release = provider.hold();
    const slow = inSession(port, id, HELD);
    await until(() => provider.waiting === 1);
    const first = app.close({ drainMs: 600_000 });
    await app.close({ drainMs: 0 });
    await first;
    expect((await slow).status).toBe(404);
    release();
  });

  it('ends connections that are kept alive, and those that said nothing yet', async () => {
    const { app, port } = await start({ provider: fakeProvider() });
    const silent = await rawSocket(port);
    const used = await rawSocket(port);
    used.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((resolve) => used.socket.once('data', resolve));
    await app.close();
    expect(await silent.text).toBe('');
    expect(await used.text).toContain('ok');
  });

  it('frees the port', async () => {
    const { app, port } = await start({ provider: fakeProvider() });
    await app.close();
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, '127.0.0.1', () => resolve()),
    );
    await new Promise((resolve) => server.close(resolve));
  });

  it('is fine before listen', async () => {
    const app = createHttpApp({ provider: fakeProvider() });
    await app.close();
    await expect(app.listen()).rejects.toMatchObject({ code: 'LISTEN_FAILED' });
  });
});
