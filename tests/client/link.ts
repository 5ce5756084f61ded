import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/client';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { JsonRecord } from '../../src/client/json-record.ts';
import type { HttpApp } from '../../src/http/index.ts';

/** A request as a server saw it. */
export interface Seen {
  readonly method: string;
  readonly params: JsonRecord;
}

/** What a scripted server answers to a method: a result, or an error. */
export type Answer = JsonRecord | { readonly error: { readonly code: number; readonly message: string } };

export interface Script {
  readonly capabilities?: JsonRecord;
  /** Undefined: -32601. A promise that never settles: no answer. */
  readonly answer: (method: string, params: JsonRecord) => Answer | undefined | Promise<Answer | undefined>;
}

export const SKILLS = {
  resources: {},
  extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
};

/**
 * An official client, of the 2025 era unless pinned to another, connected to a server that answers whatever the script
 * says. Of 2026-07-28 results are complete unless the script says otherwise.
 */
export async function scripted(
  script: Script,
  options: ClientOptions = {},
): Promise<{ readonly client: Client; readonly seen: Seen[] }> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const seen: Seen[] = [];
  theirs.onmessage = (message): void => {
    const { id, method, params = {} } = message as { id?: number; method?: string; params?: JsonRecord };
    if (id === undefined || method === undefined) return;
    const reply = (body: JsonRecord): void => void theirs.send({ jsonrpc: '2.0', id, ...body } as never);
    if (method === 'initialize') {
      reply({
        result: {
          protocolVersion: '2025-11-25',
          capabilities: script.capabilities ?? SKILLS,
          serverInfo: { name: 'scripted', version: '1' },
        },
      });
      return;
    }
    if (method === 'server/discover') {
      reply({
        result: {
          resultType: 'complete',
          supportedVersions: ['2026-07-28'],
          capabilities: script.capabilities ?? SKILLS,
          ttlMs: 0,
          cacheScope: 'private',
        },
      });
      return;
    }
    const modern = options.versionNegotiation !== undefined;
    seen.push({ method, params });
    void Promise.resolve(script.answer(method, params)).then((answer) => {
      if (answer === undefined) reply({ error: { code: -32601, message: 'Method not found' } });
      else if ('error' in answer) reply({ error: answer.error });
      else reply({ result: modern ? { resultType: 'complete', ...answer } : answer });
    });
  };
  await theirs.start();
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(mine);
  onTestFinished(() => client.close());
  return { client, seen };
}

/** An official client connected in memory to an official server. */
export async function linked(server: McpServer | Server, options: ClientOptions = {}): Promise<Client> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  await client.connect(mine);
  onTestFinished(() => client.close());
  return client;
}

/** An official client of one revision connected to an application of ours over HTTP. */
export async function overHttp(
  app: HttpApp,
  revision: '2025-11-25' | '2026-07-28',
  options: StreamableHTTPClientTransportOptions = {},
): Promise<Client> {
  onTestFinished(() => app.close({ drainMs: 0 }));
  const { url } = await app.listen({ port: 0 });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    revision === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  onTestFinished(() => client.close());
  return client;
}
