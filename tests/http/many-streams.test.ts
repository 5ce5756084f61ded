import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type FakeProvider, fakeProvider } from './fake-provider.ts';
import {
  modernBody,
  modernHeaders,
  openSession,
  openStream,
  type Running,
  type Stream,
  send,
  start,
  until,
} from './harness.ts';

const COUNT = 200;
/** Connections opened at once. */
const AT_ONCE = 50;
const LISTEN = { notifications: { resourcesListChanged: true } };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A provider that knows which of the servers it made are still held by somebody. */
function watched(): { provider: FakeProvider; held: () => number } {
  const provider = fakeProvider();
  const made: WeakRef<Server>[] = [];
  const create = provider.createServer.bind(provider);
  provider.createServer = (options) => {
    const server = create(options);
    made.push(new WeakRef(server));
    return server;
  };
  return { provider, held: () => made.filter((each) => each.deref() !== undefined).length };
}

async function inTurns<T>(count: number, one: (at: number) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, next) => one(at + next));
    all.push(...(await Promise.all(batch)));
  }
  return all;
}

async function closeAll(streams: readonly Stream[]): Promise<void> {
  for (const stream of streams) stream.close();
  await Promise.all(streams.map((stream) => stream.ended));
}

/** Settles once at most `most` servers are held; what is let go of in one turn may let go of more in the next. */
async function letGo(held: () => number, most: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    collect();
    if (held() <= most) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(held()).toBeLessThanOrEqual(most);
}

const listen = ({ port }: Running): Promise<Stream> =>
  openStream(port, {
    method: 'POST',
    headers: modernHeaders('subscriptions/listen', {}),
    body: modernBody('subscriptions/listen', LISTEN, 'sub'),
  });

const methods = (messages: readonly Record<string, unknown>[]): string =>
  messages.map(({ method }) => method).join(' ');

describe('as many streams as there are places', () => {
  it('of 2026-07-28: each hears of a change once, the next is refused, and nothing of them stays', async () => {
    const { provider, held } = watched();
    const running = await start({ provider, maxOpenStreams: COUNT });
    for (let round = 1; round <= 2; round += 1) {
      const streams = await inTurns(COUNT, () => listen(running));
      await Promise.all(streams.map((stream) => stream.received(1)));
      expect((await listen(running)).status).toBe(503);
      provider.change();
      const heard = await Promise.all(streams.map((stream) => stream.received(2)));
      expect([...new Set(heard.map(methods))]).toEqual([
        'notifications/subscriptions/acknowledged notifications/resources/list_changed',
      ]);
      expect(provider.listeners).toBe(1);
      await closeAll(streams);
      await until(() => provider.listeners === 0);
    }
    expect(provider.servers).toBeGreaterThanOrEqual(2 * COUNT);
    await letGo(held, 5);
  });

  it('of 2025-11-25: each hears of a change once, and a session that ended leaves nothing', async () => {
    const { provider, held } = watched();
    const { port } = await start({ provider, maxOpenStreams: COUNT, maxSessions: COUNT });
    const ids = await inTurns(COUNT, () => openSession(port));
    const streams = await inTurns(COUNT, (at) =>
      openStream(port, { headers: { 'mcp-session-id': ids[at] ?? '' } }),
    );
    expect(streams.filter(({ status }) => status !== 200)).toEqual([]);
    provider.change();
    const heard = await Promise.all(streams.map((stream) => stream.received(1)));
    expect([...new Set(heard.map(methods))]).toEqual(['notifications/resources/list_changed']);
    expect(provider.listeners).toBe(COUNT);
    const ended = await inTurns(COUNT, (at) =>
      send(port, { method: 'DELETE', headers: { 'mcp-session-id': ids[at] ?? '' } }),
    );
    expect([...new Set(ended.map(({ status }) => status))]).toEqual([200]);
    await Promise.all(streams.map((stream) => stream.ended));
    expect(streams.filter(({ messages }) => messages.length !== 1)).toEqual([]);
    expect(provider.listeners).toBe(0);
    await letGo(held, 5);
    const again = await openSession(port);
    expect((await openStream(port, { headers: { 'mcp-session-id': again } })).status).toBe(200);
  });
});
