/**
 * The `node:http` server below the application.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { hostName, isLoopbackName } from './authority.ts';
import { type LaneRequests, type Lanes, openLanes } from './lane.ts';

/** What a request is handed to; `onRead` is there when the client waits for a sign to send its body. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  onRead?: () => void,
) => void;

/** A server that listens. */
export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Accepts no connection any more; those without a request under way end. */
  stop(): void;
  /** Ends every connection; settles when the last is gone. */
  end(): Promise<void>;
}

/** A client has this long to send the headers of a request. */
const HEADERS_MS = 15_000;
/** And this long for the whole of it, at 4 MiB. */
const REQUEST_MS = 60_000;
/** A connection on which nothing moves for this long is cut; streams send a comment every 15 s. */
const SILENCE_MS = 120_000;
const HEADER_BYTES = 16_384;

/**
 * Listens on an address; connections begin with a lane when `requests` says what one may answer. Rejects with
 * `LISTEN_FAILED`, naming what to do, when the address cannot be had.
 *
 * @example
 * const listener = await startListener({ host: '127.0.0.1', port: 0 }, handler, logger)
 */
export async function startListener(
  address: { readonly host: string; readonly port: number },
  handler: RequestHandler,
  logger: Logger,
  requests?: LaneRequests,
): Promise<Listener> {
  const { host, port } = address;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new SkillError('LISTEN_FAILED', `${port} is no port: use 0 to 65535 (0 picks a free one)`, {
      details: { port },
    });
  }
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: HEADER_BYTES,
  });
  server.timeout = SILENCE_MS;
  server.on('request', (request, response) => handler(request, response));
  // Left to itself node asks for the body before the guard has looked at the request.
  server.on('checkContinue', (request, response) => handler(request, response, () => askForBody(response)));
  const lanes = requests && beforeHttp(server, requests);
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  await bind(server, host, port);
  server.on('error', (error) => logger.error('the server reported an error', { error: error.message }));

  const bound = server.address();
  if (bound === null || typeof bound === 'string')
    throw new SkillError('INTERNAL', 'the server has no address');
  if (isLoopbackName(hostName(host)) && !isLoopbackName(hostName(bound.address))) {
    server.close();
    throw new SkillError(
      'LISTEN_FAILED',
      `${host} leads to ${bound.address}, which is not this machine alone: bind to 127.0.0.1 or [::1]`,
      { details: { host } },
    );
  }
  return {
    host,
    port: bound.port,
    stop() {
      if (server.listening) server.close();
      server.closeIdleConnections();
      lanes?.stop();
    },
    async end() {
      if (server.listening) server.close();
      server.closeAllConnections();
      lanes?.end();
      await closed;
    },
  };
}

/**
 * Tells a client that waits for it to send its body. Of a response that waits behind others Node would write that between
 * the head of the answer and its body, so it is said when the response has its turn, unless the answer is there by then.
 */
function askForBody(response: ServerResponse): void {
  const ask = (): void => {
    if (!response.headersSent) response.writeContinue();
  };
  if (response.socket === null) response.once('socket', ask);
  else ask();
}

/** Has each new connection begin with a lane, and Node's own listeners hear of it when the lane gives it away. */
function beforeHttp(server: Server, requests: LaneRequests): Lanes {
  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  const lanes = openLanes({
    ...requests,
    giveAway: (socket) => {
      for (const listener of listeners) listener.call(server, socket);
    },
    keepAliveMs: server.keepAliveTimeout,
    silenceMs: SILENCE_MS,
  });
  server.on('connection', (socket) => lanes.open(socket));
  return lanes;
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      reject(
        new SkillError(
          'LISTEN_FAILED',
          `cannot listen on ${urlHost(host)}:${port}: ${reason(error.code, port)}`,
          {
            details: { host, port, reason: error.code },
            cause: error,
          },
        ),
      );
    };
    server.once('error', onError);
    server.listen({ host: bareHost(host), port }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function reason(code: string | undefined, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program listens there; choose another port, or 0 for a free one';
    case 'EACCES':
      return port < 1_024
        ? 'ports below 1024 need special rights; choose a higher one'
        : 'the system does not allow it; choose another port';
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address; use 127.0.0.1, or an address of one of its network cards';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name leads nowhere; use an address';
    default:
      return code ?? 'the system gave no reason';
  }
}

function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

/** The host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  const bare = bareHost(host);
  return bare.includes(':') ? `[${bare}]` : bare;
}
