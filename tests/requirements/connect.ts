import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { directorySource } from '../../src/source/index.ts';
import { PROGRAM } from '../cli/program.ts';

export type Revision = '2025-11-25' | '2026-07-28';
export type Carrier = 'http' | 'stdio';

/** The result or the error of a request, as it came over the wire. */
export interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An official client that is connected, and what the wire carried. */
export interface Connection {
  readonly client: Client;
  /** Sends a request with the official client and gives the raw answer. */
  ask(method: string, params?: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

/** Entries on a page, few enough that every list has several pages. */
export const PAGE = 2;

/** Keeps every message that a transport receives. */
function tap(transport: Transport): Answer[] {
  const heard: Answer[] = [];
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    heard.push(message as Answer);
    receive?.(message, extra);
  };
  return heard;
}

/** Connects an official client of one revision to the folder `root` over one carrier. */
export async function connect(root: string, carrier: Carrier, revision: Revision): Promise<Connection> {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const);
  const client = new Client({ name: 'requirements', version: '1.0.0' }, { versionNegotiation: { mode } });
  let transport: Transport;
  let end = async (): Promise<void> => {};
  if (carrier === 'http') {
    const provider = await createProvider({ source: directorySource(root), pageSize: PAGE });
    const app = createHttpApp({ provider });
    const { url } = await app.listen({ port: 0 });
    transport = new StreamableHTTPClientTransport(new URL(url));
    end = async () => {
      await app.close({ drainMs: 0 });
      await provider.close();
    };
  } else {
    const args = [...PROGRAM, 'serve', root, '--page-size', String(PAGE)];
    transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  }
  await client.connect(transport);
  const heard = tap(transport);
  return {
    client,
    async ask(method, params = {}) {
      heard.length = 0;
      // The client reports an error answer by throwing; the answer itself is what `heard` holds.
      const failure = await client.request({ method, params } as never, z.looseObject({})).then(
        () => undefined,
        (error: unknown) => error,
      );
      const answer = heard.find((message) => message.result !== undefined || message.error !== undefined);
      if (answer === undefined) throw failure ?? new Error(`no answer to ${method}`);
      return answer;
    },
    async close() {
      await client.close();
      await end();
    },
  };
}
