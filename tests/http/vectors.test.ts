import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fakeProvider } from './fake-provider.ts';
import { INITIALIZE, JSON_HEADERS, openSession, openStream, send, start } from './harness.ts';

interface Case {
  readonly id: string;
  readonly config?: { readonly sessionIdleMs: number; readonly maxSessions: number };
  readonly afterMs?: number;
  readonly requests?: readonly {
    readonly send: {
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly body?: unknown;
    };
    readonly status: number;
  }[];
  readonly clients?: number;
  readonly notification?: string;
  readonly each?: number;
}

const CASES = JSON.parse(readFileSync(new URL('../vectors/http.json', import.meta.url), 'utf8')) as Case[];

describe('recorded cases of other servers', () => {
  it.each(CASES.filter((one) => one.requests !== undefined))(
    '$id',
    async ({ config, afterMs, requests = [] }) => {
      let time = 0;
      const { port } = await start({ provider: fakeProvider(), ...config, now: () => time });
      const opened = config === undefined ? '' : await openSession(port);
      time += afterMs ?? 0;
      // Another session has taken the only place in the meantime.
      if (config !== undefined)
        await openStream(port, { headers: { 'mcp-session-id': await openSession(port) } });
      for (const { send: sent, status } of requests) {
        const headers = { ...JSON_HEADERS, ...sent.headers };
        if (headers['mcp-session-id'] === 'opened') headers['mcp-session-id'] = opened;
        const body = sent.body === 'initialize' ? INITIALIZE : JSON.stringify(sent.body);
        const answer = await send(port, {
          method: sent.method,
          headers,
          ...(sent.body === undefined ? {} : { body }),
        });
        expect([sent, answer.status]).toEqual([sent, status]);
        if (status !== 200) expect(answer.headers['content-type']).toBe('application/json');
      }
    },
  );

  it.each(CASES.filter((one) => one.clients !== undefined))(
    '$id',
    async ({ clients = 0, notification, each = 0 }) => {
      const provider = fakeProvider();
      const { port } = await start({ provider });
      const streams = [];
      for (let client = 0; client < clients; client += 1) {
        streams.push(await openStream(port, { headers: { 'mcp-session-id': await openSession(port) } }));
      }
      provider.change();
      for (const stream of streams) {
        expect((await stream.received(each)).map((message) => message.method)).toEqual(
          Array(each).fill(notification),
        );
      }
      provider.change();
      for (const stream of streams) expect(await stream.received(each + 1)).toHaveLength(each + 1);
    },
  );
});
