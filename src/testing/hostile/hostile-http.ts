/**
 * A hostile server over HTTP.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler, type Server } from '@modelcontextprotocol/server';
import { type BodyOutcome, readJsonBody } from '../../http/body.ts';
import { goneSignal, toWebRequest, writeAnswer } from '../../http/bridge.ts';
import { startListener } from '../../http/listener.ts';
import { LIMITS } from '../../limits.ts';
import { silentLogger } from '../../logger.ts';
import type { HostileRequest, HostileScript } from './hostile-case.ts';

/** What {@link listenHostile} serves. */
export interface HostileHttpOptions {
  readonly script: HostileScript;
  readonly createServer: () => Server;
  /** Takes a request that no server of the SDK gets to see. */
  readonly requests: HostileRequest[];
  /** Takes the path of each document that is asked for. */
  readonly fetched: string[];
}

/** A server that listens. */
export interface HostileEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

const DRIP_MS = 20;
const HOST = '127.0.0.1';

/** Listens on a free port of the loopback address. */
export async function listenHostile({
  script,
  createServer,
  requests,
  fetched,
}: HostileHttpOptions): Promise<HostileEndpoint> {
  const mcp = createMcpHandler(createServer);
  const post = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await new Promise<BodyOutcome>((resolve) =>
      readJsonBody(request, { maxBytes: LIMITS.requestBytes }, resolve),
    );
    if (!('value' in body)) {
      response.writeHead(400).end();
      return;
    }
    const { method, params = {} } = body.value as Partial<HostileRequest>;
    if (method !== undefined && method === script.drips) {
      requests.push({ method, params });
      drip(response);
      return;
    }
    const web = toWebRequest(request, goneSignal(response));
    await writeAnswer(await mcp.fetch(web, { parsedBody: body.value }), response);
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    if (path === '/mcp' && request.method === 'POST') {
      void post(request, response).catch(() => response.destroy());
      return;
    }
    const document = request.method === 'GET' ? script.documents?.get(path) : undefined;
    if (path !== '/mcp') fetched.push(path);
    if (document === undefined) {
      response.writeHead(path === '/mcp' ? 405 : 404).end();
      return;
    }
    response.writeHead(200, { 'content-type': document.type, 'content-length': document.body.length });
    response.end(document.body);
  };
  const listener = await startListener({ host: HOST, port: 0 }, handle, silentLogger);
  return {
    url: `http://${HOST}:${listener.port}/mcp`,
    close: async () => {
      listener.stop();
      await mcp.close();
      await listener.end();
    },
  };
}

/** White space before a JSON document is part of it, so that this answer is one that only takes long. */
function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.once('close', () => clearInterval(timer));
}
