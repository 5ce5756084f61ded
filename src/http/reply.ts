/**
 * Answers that the HTTP room writes itself: JSON-RPC errors without an id, and plain JSON.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request that is turned down, in the form every official client reads. */
export interface Refusal {
  readonly status: number;
  /** JSON-RPC error code. */
  readonly code: number;
  /** Written here, never taken from a library or from the request. */
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The id of the JSON-RPC request, where it is known. */
  readonly id?: string | number;
}

/** How long a refused request may go on sending before its connection ends. */
const LINGER_MS = 1_000;

/**
 * Writes a refusal. A body that was not read is thrown away, or, when its end is not in sight, the connection ends.
 *
 * A server that closes while the client still sends makes the kernel reset the connection, and the client loses the
 * answer; so the answer goes out whole at once and the end follows when the client is done, or after a second.
 *
 * @example
 * refuse(request, response, { status: 404, code: -32000, message: 'Not found' })
 */
export function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const { code, message, data } = refusal;
  const error = data === undefined ? { code, message } : { code, message, data };
  const text = JSON.stringify({ jsonrpc: '2.0', error, id: refusal.id ?? null });
  const endless = !request.complete && !hasModestLength(request);
  response.writeHead(refusal.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...refusal.headers,
    ...(endless ? { connection: 'close' } : {}),
  });
  if (!endless) {
    response.end(text);
    return;
  }
  if (request.method !== 'HEAD') response.write(text);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  timer.unref();
  request.once('end', end).once('close', end).once('error', end);
  request.resume();
}

/** Bodies up to here are read to their end and dropped, which keeps the connection usable. */
const MODEST_BYTES = 65_536;

function hasModestLength(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return false;
  return Number(request.headers['content-length'] ?? 0) <= MODEST_BYTES;
}

/** Writes a short plain text. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}
