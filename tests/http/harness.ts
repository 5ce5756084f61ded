import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { createHttpApp, type HttpApp, type HttpAppOptions } from '../../src/http/index.ts';

export interface Running {
  readonly app: HttpApp;
  readonly port: number;
  readonly url: string;
}

/** Starts an application on a free loopback port and ends it with the test. */
export async function start(
  options: HttpAppOptions,
  address: { readonly host?: string } = {},
): Promise<Running> {
  const app = createHttpApp(options);
  onTestFinished(() => app.close({ drainMs: 0 }));
  const { port, url } = await app.listen({ port: 0, ...address });
  return { app, port, url };
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly host?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body whose shape the test states.
  readonly json: any;
}

/** One request over node:http, which lets a test send any header. */
export function send(port: number, sent: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: sent.host ?? '127.0.0.1',
        port,
        method: sent.method ?? 'POST',
        path: sent.path ?? '/mcp',
        headers: {
          ...sent.headers,
          ...(sent.body === undefined ? {} : { 'content-length': Buffer.byteLength(sent.body) }),
        },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          let json: unknown;
          try {
            json = JSON.parse(text);
          } catch {
            json = undefined;
          }
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      },
    );
    request.on('error', reject);
    request.end(sent.body);
  });
}

export const JSON_HEADERS: Record<string, string> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A stateless request of 2026-07-28, with the headers it needs. */
export function modern(
  port: number,
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(port, {
    headers: modernHeaders(method, params, headers),
    body: modernBody(method, params),
  });
}

export function modernHeaders(
  method: string,
  params: Record<string, unknown>,
  headers: Record<string, string> = {},
): Record<string, string> {
  return {
    ...JSON_HEADERS,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}),
    ...headers,
  };
}

export function modernBody(method: string, params: Record<string, unknown>, id: number | string = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } });
}

export const INITIALIZE: string = JSON.stringify({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
});

/** Opens a 2025-era session and returns its id. */
export async function openSession(port: number, headers: Record<string, string> = {}): Promise<string> {
  const answer = await send(port, { headers: { ...JSON_HEADERS, ...headers }, body: INITIALIZE });
  const id = answer.headers['mcp-session-id'];
  if (answer.status !== 200 || typeof id !== 'string')
    throw new Error(`no session: ${answer.status} ${answer.text}`);
  await inSession(port, id, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return id;
}

/** Posts a message into a session. */
export function inSession(
  port: number,
  id: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(port, {
    headers: { ...JSON_HEADERS, 'mcp-session-id': id, ...headers },
    body: JSON.stringify(body),
  });
}

/** An event stream that is open. */
export interface Stream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The messages that came so far. */
  readonly messages: readonly Record<string, unknown>[];
  /** Settles with the messages once `count` of them came, or the stream ended. */
  received(count: number): Promise<readonly Record<string, unknown>[]>;
  readonly ended: Promise<void>;
  close(): void;
}

/** Opens an event stream and reads it until the test ends. */
export function openStream(port: number, sent: Sent): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port,
        method: sent.method ?? 'GET',
        path: '/mcp',
        headers: { accept: 'text/event-stream', ...sent.headers },
        agent: false,
      },
      (response) => {
        const messages: Record<string, unknown>[] = [];
        const waiting = new Set<() => void>();
        let buffered = '';
        let over = false;
        const ended = new Promise<void>((done) => {
          response.on('close', () => {
            over = true;
            for (const look of [...waiting]) look();
            done();
          });
        });
        response.on('error', () => undefined);
        response.on('data', (chunk: Buffer) => {
          buffered += chunk.toString();
          for (let end = buffered.indexOf('\n\n'); end >= 0; end = buffered.indexOf('\n\n')) {
            const data = buffered
              .slice(0, end)
              .split('\n')
              .find((line) => line.startsWith('data: '));
            buffered = buffered.slice(end + 2);
            if (data !== undefined) messages.push(JSON.parse(data.slice(6)));
          }
          for (const look of [...waiting]) look();
        });
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          messages,
          received: (count) =>
            new Promise((done) => {
              const look = (): void => {
                if (messages.length < count && !over) return;
                waiting.delete(look);
                done(messages);
              };
              waiting.add(look);
              look();
            }),
          ended,
          close: () => request.destroy(),
        });
      },
    );
    request.on('error', reject);
    onTestFinished(() => void request.destroy());
    request.end(sent.body);
  });
}

/** A socket to write raw bytes to; `text` settles with all it got once the server ends it. */
export async function rawSocket(
  port: number,
): Promise<{ readonly socket: Socket; readonly text: Promise<string> }> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const text = new Promise<string>((resolve) => {
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return { socket, text };
}

export interface Connected {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** Settles when the stream that a 2025-era client opens by itself stands. */
  readonly streaming: Promise<void>;
}

/** An official client, connected. */
export async function connectClient(
  url: string,
  mode: 'legacy' | 'auto',
  token?: string,
): Promise<Connected> {
  let opened: () => void;
  const streaming = new Promise<void>((resolve) => (opened = resolve));
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === 'GET' && response.ok) opened();
      return response;
    },
    ...(token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return { client, transport, streaming };
}

/** Settles once `condition` holds; fails the test when it does not within ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition never held');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
