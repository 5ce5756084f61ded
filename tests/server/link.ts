import { PassThrough } from 'node:stream';
import { Client, type ClientOptions, type JSONRPCMessage } from '@modelcontextprotocol/client';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { serveStdio as serveOfficial } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import type { SkillProvider } from '../../src/server/index.ts';
import { type ServeStdioOptions, type StdioConnection, serveStdio } from '../../src/server/stdio.ts';
import { StdioTransport } from '../../src/server/stdio-transport.ts';

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const;
export type Revision = (typeof REVISIONS)[number];

/** A result or an error as the wire carried it. */
export interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An official client of one revision, connected by two pipes, and every message it received. */
export interface Link {
  readonly client: Client;
  readonly heard: JSONRPCMessage[];
  /** The raw answer to a request. */
  ask(method: string, params?: Record<string, unknown>): Promise<Answer>;
  /** Every page of a list: what `key` holds on each. */
  pages<T>(method: string, key: string, params?: Record<string, unknown>): Promise<T[][]>;
  close(): Promise<void>;
}

/** What a client of `revision` is made with. */
export function clientOptions(revision: Revision): ClientOptions {
  return revision === '2026-07-28'
    ? { versionNegotiation: { mode: { pin: revision } } }
    : { supportedProtocolVersions: [revision] };
}

interface Pipes {
  readonly toServer: PassThrough;
  readonly toClient: PassThrough;
}

/** What a client declares that reads skills by itself. */
export const READS_SKILLS: ClientOptions = {
  capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } },
};

async function linkOver(
  pipes: Pipes,
  revision: Revision,
  end: () => Promise<void>,
  declared: ClientOptions = {},
): Promise<Link> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { ...clientOptions(revision), ...declared });
  const heard: JSONRPCMessage[] = [];
  const transport = new StdioTransport({
    stdin: pipes.toClient,
    stdout: pipes.toServer,
    maxResponseBytes: Number.POSITIVE_INFINITY,
    drainMs: 0,
  });
  await client.connect(transport);
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    heard.push(message);
    receive?.(message, extra);
  };
  const answered = (from: number): Answer | undefined =>
    heard.slice(from).find((message) => 'result' in message || 'error' in message) as Answer | undefined;
  const link: Link = {
    client,
    heard,
    async pages<T>(method: string, key: string, params: Record<string, unknown> = {}): Promise<T[][]> {
      const pages: T[][] = [];
      let cursor: unknown;
      do {
        const { result, error } = await link.ask(
          method,
          cursor === undefined ? params : { ...params, cursor },
        );
        if (result === undefined) throw new Error(`${method}: ${error?.message}`);
        pages.push(result[key] as T[]);
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      return pages;
    },
    async ask(method, params = {}) {
      const from = heard.length;
      // The client rebuilds errors; the raw answer is what `heard` holds.
      const failure = await client.request({ method, params } as never, z.looseObject({})).then(
        () => undefined,
        (error: unknown) => error,
      );
      const answer = answered(from);
      if (answer === undefined) throw failure ?? new Error(`no answer to ${method}`);
      return answer;
    },
    async close() {
      await client.close();
      pipes.toServer.end();
      await end();
    },
  };
  return link;
}

/** A provider over our own stdio. */
export async function linkProvider(
  provider: SkillProvider,
  revision: Revision,
  options: ServeStdioOptions = {},
  declared: ClientOptions = {},
): Promise<Link> {
  const pipes = { toServer: new PassThrough(), toClient: new PassThrough() };
  const connection: StdioConnection = serveStdio(provider, {
    ...options,
    stdin: pipes.toServer,
    stdout: pipes.toClient,
  });
  return linkOver(pipes, revision, () => connection.close(), declared);
}

/** A server of a caller's, over our transport and the SDK's own serving. */
export async function linkServer(
  factory: () => McpServer | Server,
  revision: Revision,
  declared: ClientOptions = {},
): Promise<Link> {
  const pipes = { toServer: new PassThrough(), toClient: new PassThrough() };
  const transport = new StdioTransport({
    stdin: pipes.toServer,
    stdout: pipes.toClient,
    maxResponseBytes: Number.POSITIVE_INFINITY,
    drainMs: 0,
  });
  const handle = serveOfficial(factory, { transport });
  return linkOver(pipes, revision, () => handle.close(), declared);
}
