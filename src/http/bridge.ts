/**
 * Between `node:http` and the web-standard requests and responses of the official SDK.
 *
 * @module
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** A response that accepts no byte for this long has lost its reader. */
const STALL_MS = 60_000;

/**
 * The web request for a node request whose body was read already. `signal` fires when the client goes away.
 *
 * `signal` is put in place of the request's own: following one signal by another is the dearest part of a web request.
 *
 * @example
 * const answer = await handler.fetch(toWebRequest(request, signal), { parsedBody })
 */
export function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === 'string') headers.set(name, value);
    else for (const item of value ?? []) headers.append(name, item);
  }
  const web = new Request('http://localhost/mcp', { method: request.method ?? 'GET', headers });
  Object.defineProperty(web, 'signal', { value: signal });
  return web;
}

/** A signal that fires when the client goes away before its response is complete. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else {
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
  }
  return controller.signal;
}

/** Whether an answer is a stream of server-sent events. */
export function isEventStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/**
 * Writes an answer of the SDK; settles when the last byte is handed over or the client is gone. Never rejects.
 *
 * JSON goes out in one piece with its length, events as they come, never faster than the client takes them.
 *
 * @example
 * await writeAnswer(await handler.fetch(web, { parsedBody }), response)
 */
export async function writeAnswer(answer: Response, response: ServerResponse): Promise<void> {
  const body = answer.body;
  if (response.destroyed || response.headersSent) {
    await body?.cancel().catch(() => undefined);
    return;
  }
  const headers: Record<string, string | number> = { 'x-content-type-options': 'nosniff' };
  for (const [name, value] of answer.headers) headers[name] = value;
  if (body === null) {
    response.writeHead(answer.status, { ...headers, 'content-length': 0 });
    response.end();
    return;
  }
  const reader = body.getReader();
  const onClose = (): void => {
    // Tells the SDK that nobody listens any more; it frees the stream's place.
    reader.cancel().catch(() => undefined);
  };
  response.once('close', onClose);
  try {
    if (isEventStream(answer)) await writeEvents(reader, answer.status, headers, response);
    else await writeWhole(reader, answer.status, headers, response);
  } catch {
    // The SDK's stream broke: the client must not take what it has for a complete answer.
    response.destroy();
  } finally {
    response.off('close', onClose);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type HeaderFields = Record<string, string | number>;

async function writeWhole(
  reader: Reader,
  status: number,
  headers: HeaderFields,
  response: ServerResponse,
): Promise<void> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.byteLength;
  }
  if (response.destroyed) return;
  headers['content-length'] = length;
  response.writeHead(status, headers);
  for (const chunk of chunks) response.write(chunk);
  response.end();
}

async function writeEvents(
  reader: Reader,
  status: number,
  headers: HeaderFields,
  response: ServerResponse,
): Promise<void> {
  // The SDK asks to keep the connection; whether it is kept is for the server to say, and not while it shuts down.
  delete headers.connection;
  response.writeHead(status, headers);
  response.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

/** Waits until the client has taken what was written; one that takes nothing for a minute is cut off. */
async function drained(response: ServerResponse): Promise<void> {
  const stall = new AbortController();
  const timer = setTimeout(() => response.destroy(), STALL_MS);
  timer.unref();
  const ended = (): void => stall.abort();
  response.once('close', ended);
  try {
    if (!response.destroyed) await once(response, 'drain', { signal: stall.signal });
  } catch {
    // Closed while waiting: the caller looks at `destroyed`.
  } finally {
    clearTimeout(timer);
    response.off('close', ended);
  }
}
