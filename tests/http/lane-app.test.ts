import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { directorySource, type Source } from '../../src/source/index.ts';
import { modernBody, modernHeaders, start, until } from './harness.ts';
import { openRaw } from './raw-connection.ts';

const BODY = 'Body.';
const LARGE = 'x'.repeat(8_000_000);

function skill(body: string): string {
  return `---\nname: a\ndescription: The skill a.\n---\n\n${body}\n`;
}

function write(root: string, path: string, content: string): void {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

interface Provided {
  readonly root: string;
  readonly provider: SkillProvider;
  /** From now on reads wait for what is returned. */
  readonly hold: () => () => void;
  /** Reads that wait. */
  readonly waiting: () => number;
}

async function provide(files: Readonly<Record<string, string>> = {}): Promise<Provided> {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-lanes-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries({ 'a/SKILL.md': skill(BODY), 'a/x.txt': 'x', ...files }))
    write(root, path, content);
  const source: Source = directorySource(root);
  let gate: Promise<void> | undefined;
  let waiting = 0;
  const read = source.read.bind(source);
  source.read = (...args) => {
    if (gate === undefined) return read(...args);
    waiting += 1;
    return gate.then(() => {
      waiting -= 1;
      return read(...args);
    });
  };
  const provider = await createProvider({ source });
  onTestFinished(() => provider.close());
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    gate = new Promise((resolve) => (release = resolve));
    return () => {
      gate = undefined;
      release();
    };
  };
  return { root, provider, hold, waiting: () => waiting };
}

/** A request that a lane answers, unless `headers` say otherwise. */
function request(
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
  id: number | string = 1,
): string {
  const body = modernBody(method, params, id);
  const all: Record<string, string> = {
    host: 'localhost',
    'content-length': String(Buffer.byteLength(body)),
    ...modernHeaders(method, params, headers),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const READ = { uri: 'skill://a/SKILL.md' };
const read = (headers: Record<string, string> = {}, id: number | string = 1): string =>
  request('resources/read', READ, headers, id);

function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Counts the answers that Node's HTTP gives. */
function answersOfNode(): () => number {
  const spy = vi.spyOn(ServerResponse.prototype, 'writeHead');
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('a kept connection', () => {
  it('is served without Node while it asks for what is prepared, and then by Node', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const byNode = answersOfNode();
    const { socket, received } = await openRaw(port);
    const asked = [
      request('skills/list'),
      request('skills/get', READ),
      request('resources/list'),
      read(),
      request('resources/directory/read', { uri: 'skill://a' }),
    ];
    for (const [index, bytes] of asked.entries()) {
      socket.write(bytes);
      await received(index + 1);
    }
    expect(byNode()).toBe(0);
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect((await received(6)).endsWith('ok\n')).toBe(true);
    socket.write(read());
    expect(statuses(await received(7))).toEqual(Array(7).fill(200));
    expect(byNode()).toBe(2);
  });

  it('sees an edit between two requests', async () => {
    const { root, provider } = await provide();
    const { port } = await start({ provider });
    const byNode = answersOfNode();
    const { socket, received } = await openRaw(port);
    socket.write(read());
    expect(await received(1)).toContain('Body.');
    // The same length and the same time of modification: only the time of change tells.
    write(root, 'a/SKILL.md', skill('Bodz.'));
    socket.write(read());
    expect(await received(2)).toContain('Bodz.');
    expect(byNode()).toBe(0);
  });

  it('is one of hundreds', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const byNode = answersOfNode();
    const all = await Promise.all(Array.from({ length: 300 }, () => openRaw(port)));
    for (let turn = 1; turn <= 3; turn += 1) {
      for (const { socket } of all) socket.write(read());
      await Promise.all(all.map(({ received }) => received(turn)));
    }
    expect(byNode()).toBe(0);
    for (const { text } of all) expect(statuses(text())).toEqual([200, 200, 200]);
  });

  it.each([
    ['another last character of the token', { authorization: 'Bearer secres' }, 401],
    ['another first character of the token', { authorization: 'Bearer aecret' }, 401],
    ['a longer token', { authorization: 'Bearer secret1' }, 401],
    ['a shorter token', { authorization: 'Bearer secre' }, 401],
    ['another scheme', { authorization: 'Basics secret' }, 401],
    ['another host', { host: 'localhosts' }, 403],
    ['a page of another site', { origin: 'https://evil.example' }, 403],
    ['a page of nowhere', { origin: 'null' }, 403],
  ])(
    'is refused %s after a request that was right, and served again after it',
    async (_what, headers, status) => {
      const { provider } = await provide();
      const { port } = await start({ provider, token: 'secret' });
      const byNode = answersOfNode();
      const { socket, received } = await openRaw(port);
      const right = { authorization: 'Bearer secret' };
      for (const [index, given] of [right, { ...right, ...headers }, right].entries()) {
        socket.write(read(given));
        await received(index + 1);
      }
      expect(statuses(await received(3))).toEqual([200, status, 200]);
      expect(byNode()).toBe(2);
    },
  );

  it('is refused from the first request on', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider, token: 'secret' });
    const { socket, received } = await openRaw(port);
    socket.write(read({ authorization: 'Bearer secres' }));
    socket.write(read());
    socket.write(read({ authorization: 'Bearer secret' }));
    expect(statuses(await received(3))).toEqual([401, 401, 200]);
  });

  it('is told what limit a body is over, before its end', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider, maxRequestBytes: 1_000 });
    const { socket, received } = await openRaw(port);
    socket.write(read());
    await received(1);
    socket.write(read({ 'content-length': '1001' }).slice(0, -100));
    const text = await received(2);
    expect(statuses(text)).toEqual([200, 413]);
    expect(text).toContain('must not exceed 1000 bytes');
  });

  it('says no id that ends a line or an answer', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const byNode = answersOfNode();
    const { socket, received } = await openRaw(port);
    const id = 'x"}\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
    socket.write(read({}, id));
    const text = await received(1);
    expect(text.split('\r\n\r\n')).toHaveLength(2);
    expect(JSON.parse(text.slice(text.indexOf('{'))).id).toBe(id);
    expect(byNode()).toBe(0);
  });

  it('is answered when its client ends with its request, and told of half a one', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const [whole, half, nothing] = [await openRaw(port), await openRaw(port), await openRaw(port)];
    whole.socket.end(read());
    half.socket.end(read().slice(0, 50));
    nothing.socket.end();
    expect(statuses(await whole.over)).toEqual([200]);
    expect(await half.over).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    expect(await nothing.over).toBe('');
  });

  it('takes nothing with it when its client resets it', async () => {
    const { provider, hold, waiting } = await provide({ 'a/large.txt': LARGE });
    const { port } = await start({ provider });
    const bytes = [read().slice(0, 50), read(), request('resources/read', { uri: 'skill://a/large.txt' })];
    for (const one of bytes) {
      const { socket, over } = await openRaw(port);
      socket.write(one);
      await settle();
      socket.resetAndDestroy();
      await over;
    }
    const release = hold();
    const { socket } = await openRaw(port);
    socket.write(request('resources/read', { uri: 'skill://a/x.txt' }));
    await until(() => waiting() > 0);
    socket.resetAndDestroy();
    await settle();
    release();
    await until(() => waiting() === 0);
    const after = await openRaw(port);
    after.socket.write(read());
    expect(statuses(await after.received(1))).toEqual([200]);
  });

  it('gets what a slow source has once, in order, and the error of one that failed once', async () => {
    const { root, provider, hold, waiting } = await provide();
    const { port } = await start({ provider });
    for (const isThere of [true, false]) {
      const release = hold();
      const { socket, received, text } = await openRaw(port);
      socket.write(request('resources/read', { uri: 'skill://a/x.txt' }, {}, 'first'));
      await until(() => waiting() > 0);
      socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await settle();
      expect(text()).toBe('');
      if (!isThere) rmSync(join(root, 'a/x.txt'));
      release();
      const got = await received(2);
      expect(statuses(got)).toEqual([200, 200]);
      expect(got.split('"id":"first"')).toHaveLength(2);
      expect(got).toContain(isThere ? '"text":"x"' : '"error"');
      expect(got.endsWith('ok\n')).toBe(true);
      // So that the next read is one.
      write(root, 'a/x.txt', 'y');
      await provider.refresh();
      write(root, 'a/x.txt', 'x');
      await provider.refresh();
    }
  });

  it('hears that its provider is closed', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const { socket, received } = await openRaw(port);
    socket.write(read());
    await received(1);
    await provider.close();
    socket.write(read());
    expect(await received(2)).toContain('"code":"PROVIDER_CLOSED"');
  });

  it('is asked for no body between the head and the body of its answer', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const { socket, received } = await openRaw(port);
    // Both are answered by the SDK, whose answers take a while.
    const unknown = request('nothing/at-all');
    const expecting = request('nothing/at-all', {}, { expect: '100-continue' }, 2);
    socket.write(unknown + expecting);
    const text = await received(2);
    const [, first, second] = text.split('"jsonrpc":"2.0"');
    expect(first?.replace(/^.*?HTTP/s, 'HTTP')).not.toContain('100 Continue');
    expect(second).toContain('"id":2');
    expect(text).not.toMatch(/content-length: \d+\r\n(?:[^\r]+\r\n)*\r\nHTTP\/1\.1 100/i);
  });

  it('is asked for a body when the answers before are there', async () => {
    const { provider, hold, waiting } = await provide();
    const { port } = await start({ provider });
    const release = hold();
    const { socket, received, text } = await openRaw(port);
    const expecting = request('nothing/at-all', {}, { expect: '100-continue' }, 2);
    const end = expecting.indexOf('\r\n\r\n') + 4;
    socket.write(request('resources/read', { uri: 'skill://a/x.txt' }) + expecting.slice(0, end));
    await until(() => waiting() > 0);
    await settle();
    expect(text()).toBe('');
    release();
    await until(() => text().endsWith('HTTP/1.1 100 Continue\r\n\r\n'));
    socket.write(expecting.slice(end));
    const got = await received(2);
    expect(statuses(got)).toEqual([200, 100, 404]);
    expect(got).not.toContain('Connection: close');
  });

  it('does not care what others do', async () => {
    const { provider, hold } = await provide({ 'a/large.txt': LARGE });
    const { app, port } = await start({ provider });
    const large = request('resources/read', { uri: 'skill://a/large.txt' });
    const slow = request('resources/read', { uri: 'skill://a/x.txt' });
    const all = [
      read(),
      slow,
      large,
      read() + read(),
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
      '\0',
      '{',
    ];
    const release = hold();
    // The same each time.
    let seed = 1;
    const pick = (count: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % count;
    };
    const misbehave = async (): Promise<void> => {
      const { socket, over } = await openRaw(port);
      if (pick(4) === 0) socket.pause();
      for (let turn = pick(4); turn >= 0; turn -= 1) {
        const bytes = all[pick(all.length)] ?? '';
        socket.write(pick(3) === 0 ? bytes.slice(0, pick(bytes.length) + 1) : bytes);
        if (pick(2) === 0) await new Promise<void>((resolve) => setTimeout(resolve, pick(5)));
      }
      const end = pick(4);
      if (end === 0) socket.end();
      else if (end === 1) socket.resetAndDestroy();
      else if (end === 2) socket.destroy();
      // Others stay until the server ends.
      if (end === 1 || end === 2) await over;
    };
    await Promise.all(Array.from({ length: 150 }, misbehave));
    release();
    const { socket, received } = await openRaw(port);
    socket.write(read());
    expect(statuses(await received(1))).toEqual([200]);
    await app.close({ drainMs: 50 });
  });
});

describe('a server that shuts down', () => {
  it('ends idle connections', async () => {
    const { provider } = await provide();
    const { app, port } = await start({ provider });
    const [used, fresh, half] = [await openRaw(port), await openRaw(port), await openRaw(port)];
    used.socket.write(read());
    await used.received(1);
    half.socket.write(read().slice(0, 50));
    await settle();
    await app.close();
    expect(statuses(await used.over)).toEqual([200]);
    expect(await fresh.over).toBe('');
    await half.over;
  });

  it('waits for an answer that a lane waits for, and refuses what comes behind it', async () => {
    const { provider, hold, waiting } = await provide();
    const { app, port } = await start({ provider });
    const release = hold();
    const [one, two] = [await openRaw(port), await openRaw(port)];
    for (const { socket } of [one, two]) socket.write(request('resources/read', { uri: 'skill://a/x.txt' }));
    await until(() => waiting() >= 1);
    await settle();
    let isClosed = false;
    const closed = app.close({ drainMs: 60_000 }).then(() => (isClosed = true));
    two.socket.write(read());
    await settle();
    expect(isClosed).toBe(false);
    release();
    expect(statuses(await one.over)).toEqual([200]);
    expect(statuses(await two.over)).toEqual([200, 503]);
    await closed;
  });

  it('refuses a request whose first half came before', async () => {
    const { provider, hold, waiting } = await provide();
    const { app, port } = await start({ provider });
    const release = hold();
    const [held, half] = [await openRaw(port), await openRaw(port)];
    held.socket.write(request('resources/read', { uri: 'skill://a/x.txt' }));
    half.socket.write(read().slice(0, 50));
    await until(() => waiting() >= 1);
    await settle();
    const closed = app.close({ drainMs: 60_000 });
    half.socket.write(read().slice(50));
    expect(statuses(await half.received(1))).toEqual([503]);
    release();
    await closed;
    expect(statuses(await held.over)).toEqual([200]);
  });

  it('lets a client take the whole of its answer', async () => {
    const { provider } = await provide({ 'a/large.txt': LARGE });
    const { app, port } = await start({ provider });
    const byNode = answersOfNode();
    const { socket, over } = await openRaw(port);
    socket.pause();
    socket.write(request('resources/read', { uri: 'skill://a/large.txt' }));
    await until(() => socket.readableLength > 0);
    await settle();
    const closed = app.close({ drainMs: 60_000 });
    await settle();
    socket.resume();
    const text = await over;
    await closed;
    expect(JSON.parse(text.slice(text.indexOf('{'))).result.contents[0].text).toBe(LARGE);
    expect(byNode()).toBe(0);
  });

  it('waits no longer than it is told for a client that takes nothing', async () => {
    const { provider } = await provide({ 'a/large.txt': LARGE });
    const { app, port } = await start({ provider });
    const { socket } = await openRaw(port);
    socket.pause();
    socket.write(request('resources/read', { uri: 'skill://a/large.txt' }));
    await until(() => socket.readableLength > 0);
    await settle();
    await app.close({ drainMs: 20 });
  });
});

describe('who follows the requests of a server', () => {
  it.each(['http.server.request.start', 'http.server.response.finish'])(
    'hears of all of them by %s',
    async (name) => {
      const { provider } = await provide();
      const { port } = await start({ provider });
      let heard = 0;
      const hear = (): void => {
        heard += 1;
      };
      subscribe(name, hear);
      onTestFinished(() => void unsubscribe(name, hear));
      const { socket, received } = await openRaw(port);
      for (let turn = 1; turn <= 3; turn += 1) {
        socket.write(read());
        await received(turn);
      }
      await until(() => heard === 3);
    },
  );

  it('hears of answers that Node makes', async () => {
    // A channel of newer versions: whoever listens to it may count on it.
    const { provider } = await provide();
    const { port } = await start({ provider });
    const byNode = answersOfNode();
    const hear = (): void => undefined;
    subscribe('http.server.response.created', hear);
    onTestFinished(() => void unsubscribe('http.server.response.created', hear));
    const { socket, received } = await openRaw(port);
    socket.write(read());
    await received(1);
    expect(byNode()).toBe(1);
  });

  it.each([
    ['of HTTP', Server.prototype],
    ['of any kind', NetServer.prototype],
  ])('hears of all of them by what every server %s tells', async (_what, prototype) => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const { emit } = prototype;
    let heard = 0;
    // As instrumentations do it.
    Object.defineProperty(prototype, 'emit', {
      configurable: true,
      writable: true,
      value(this: Server, ...args: [string, ...unknown[]]) {
        if (args[0] === 'request') heard += 1;
        return Reflect.apply(emit, this, args);
      },
    });
    onTestFinished(() => void Reflect.deleteProperty(prototype, 'emit'));
    const { socket, received } = await openRaw(port);
    for (let turn = 1; turn <= 3; turn += 1) {
      socket.write(read());
      await received(turn);
    }
    expect(heard).toBe(3);
  });
});
