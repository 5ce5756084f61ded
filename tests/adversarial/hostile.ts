/** What the tests of hostile servers share: a client of ours at one of them, and what reached it. */
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { cappedFetch, SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import { isSkillError } from '../../src/errors.ts';
import { type HostileServer, openHostile } from '../../src/testing/index.ts';

export type Era = '2025-11-25' | '2026-07-28';

export interface Attacked {
  readonly hostile: HostileServer;
  readonly skills: SkillsClient;
  /** Bytes that reached the client over MCP. */
  received(): number;
}

/** The same transport; each message that comes is counted. */
function counting(inner: Transport, count: (bytes: number) => void): Transport {
  const outer: Transport = {
    start: () => {
      inner.onmessage = (message, extra) => {
        count(Buffer.byteLength(JSON.stringify(message)));
        outer.onmessage?.(message, extra);
      };
      inner.onclose = () => outer.onclose?.();
      inner.onerror = (error) => outer.onerror?.(error);
      return inner.start();
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
  };
  return outer;
}

/** A fetch that counts the bytes of bodies as they are read. */
function countingFetch(count: (bytes: number) => void): typeof fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          count(chunk.byteLength);
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(body, response);
  };
}

/** A client of ours, connected to the hostile server of that name. */
export async function attack(
  name: string,
  over: 'memory' | 'http',
  era: Era,
  options: SkillsClientOptions = {},
): Promise<Attacked> {
  const hostile = openHostile(name);
  let received = 0;
  const count = (bytes: number): void => {
    received += bytes;
  };
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    era === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: era } } }
      : { supportedProtocolVersions: [era] },
  );
  onTestFinished(async () => {
    await client.close();
    await hostile.close();
  });
  if (hostile.case.dialect === 'well-known') {
    const { url } = await hostile.listen();
    const skills = new SkillsClient(client, { ...options, dialect: 'well-known', wellKnown: { url } });
    return { hostile, skills, received: () => received };
  }
  if (over === 'memory') {
    await client.connect(counting(hostile.connect(), count));
  } else {
    const { url } = await hostile.listen();
    const fetch = cappedFetch(undefined, { fetch: countingFetch(count) });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
  }
  return { hostile, skills: new SkillsClient(client, options), received: () => received };
}

/** The code that an action fails with, `none` when it does not; anything but an error of ours is thrown on. */
export async function codeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
    return 'none';
  } catch (error) {
    if (isSkillError(error)) return error.code;
    throw error;
  }
}
