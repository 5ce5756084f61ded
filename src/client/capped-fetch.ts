/**
 * A cap on what a server may send over HTTP, where the official transport has none (threat T6a).
 *
 * @module
 */
import type { Dispatcher } from 'undici';
import { MAX_TIMER_MS } from '../clock.ts';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type Post, type Posted, postOver } from '../net/post.ts';
import { EventCounter, TotalCounter } from './counter.ts';
import { isPlainResponse, plainResponse } from './plain-response.ts';

/** As the official transports take it. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Options of {@link cappedFetch}. */
export interface CappedFetchOptions {
  /** What fetches. @default the global `fetch` */
  readonly fetch?: FetchLike;
  /**
   * Connections to post over instead: an `Agent` of `undici` that you close. Answers in JSON then come without the streams
   * of `fetch`, which take most of the time of a client. Whatever else is asked goes by `fetch`. @default none
   */
  readonly dispatcher?: Dispatcher;
  /**
   * Ms for one answer to `skills/…` and `resources/…`, body included, after which its connection is cut: of a server that
   * drips, a client of the 2025 revisions would else keep one open for each request. 0 is the default, -1 off.
   * @default LIMITS.fetchTotalMs (120 s)
   */
  readonly timeoutMs?: number;
}

/** What the buffer of a stdio client should hold: pass it to `StdioClientTransport` as `maxBufferSize`. */
export const STDIO_BUFFER_BYTES: number = LIMITS.clientResponseBytes;

const LISTEN = 'subscriptions/listen';

/**
 * A `fetch` for `StreamableHTTPClientTransport` that ends a response once it is larger than `maxBytes` (0: 32 MiB, -1:
 * off), counted after decompression. Of a stream that stays open for notifications each event is counted by itself.
 *
 * The request fails at once with `RESPONSE_TOO_LARGE`, or, where the answer came as an event stream, with a `-32603` that
 * says the same. A notification stream that was ended is not opened again.
 *
 * @example
 * new StreamableHTTPClientTransport(url, { fetch: cappedFetch() })
 */
export function cappedFetch(maxBytes?: number, options: CappedFetchOptions = {}): FetchLike {
  const limit = capOf(maxBytes, LIMITS.clientResponseBytes);
  const timeoutMs = capOf(options.timeoutMs, LIMITS.fetchTotalMs);
  const send = options.fetch ?? fetch;
  const { dispatcher } = options;
  const overrun = new Set<string>();
  return async (url, init) => {
    const open = isOpenStream(init);
    const place = String(url);
    // The SDK takes this status for "there is no such stream" and does not try again.
    if (open && init?.method === 'GET' && overrun.has(place)) return new Response(null, { status: 405 });
    const asked = requestOf(init?.body);
    const ms = TIMED.test(asked?.method ?? '') ? timeoutMs : Number.POSITIVE_INFINITY;
    const post = dispatcher === undefined ? undefined : postOf(url, init, ms, limit);
    const response =
      dispatcher === undefined || post === undefined
        ? await send(url, timed(init, ms))
        : await posted(dispatcher, new URL(url), post);
    if (isPlainResponse(response) || response.body === null) return response;
    if (limit === Number.POSITIVE_INFINITY) return response;
    const declared = Number(response.headers.get('content-length') ?? 0);
    if (declared > limit) {
      await response.body.cancel();
      throw tooLarge(limit);
    }
    if (isPlain(response.status, response.headers)) {
      const { status, statusText, headers, url: from } = response;
      const bytes = await wholeOf(response.body, limit);
      return plainResponse(bytes, { status, statusText, headers, url: from });
    }
    const isStream = EVENTS.test(response.headers.get('content-type') ?? '');
    const counter = open && isStream ? new EventCounter(limit) : new TotalCounter(limit);
    const last = isStream ? errorEvent(asked?.id, limit) : undefined;
    return withBody(
      response,
      response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) => {
            if (counter.fits(chunk)) {
              controller.enqueue(chunk);
              return;
            }
            if (open) overrun.add(place);
            if (last === undefined) {
              controller.error(tooLarge(limit));
              return;
            }
            controller.enqueue(last);
            controller.terminate();
          },
        }),
      ),
    );
  };
}

const EVENTS = /^text\/event-stream\b/i;
/** Other methods belong to the host, and a tool may take as long as it likes. */
const TIMED = /^(?:skills|resources)\//;

/** Whether nobody will want the body as a stream. */
function isPlain(status: number, headers: Headers): boolean {
  return status === 200 && /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '');
}

/** What can be posted without `fetch`; undefined for what needs it. */
function postOf(
  url: string | URL,
  init: RequestInit | undefined,
  timeoutMs: number,
  limit: number,
): Post | undefined {
  const { method, body, headers, redirect, signal } = init ?? {};
  if (method !== 'POST' || typeof body !== 'string' || redirect !== 'manual') return undefined;
  const { protocol, username, password } = url instanceof URL ? url : new URL(url);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  return {
    headers: headers instanceof Headers ? headers : new Headers(headers),
    body,
    signal,
    timeoutMs,
    whole: isPlain,
    maxBytes: limit,
    tooLarge: () => tooLarge(limit),
  };
}

async function posted(dispatcher: Dispatcher, url: URL, post: Post): Promise<Response> {
  const { body, ...head } = await postOver(dispatcher, url, post);
  if (body instanceof Buffer) return plainResponse(body, { ...head, url: url.href });
  return responseOf(body, head, url.href);
}

async function wholeOf(body: ReadableStream<Uint8Array>, limit: number): Promise<Buffer> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, bytes);
    bytes += value.byteLength;
    if (bytes > limit) {
      const error = tooLarge(limit);
      await reader.cancel(error);
      throw error;
    }
    chunks.push(value);
  }
}

/** Whether the stream of the answer stays open for notifications. */
function isOpenStream(init: RequestInit | undefined): boolean {
  const { method, headers } = init ?? {};
  return (
    method === 'GET' ||
    (headers instanceof Headers ? headers : new Headers(headers)).get('mcp-method') === LISTEN
  );
}

/** The event that answers a request whose real answer is too large. */
function errorEvent(id: string | number | undefined, limit: number): Uint8Array | undefined {
  if (id === undefined) return undefined;
  const { code, message } = tooLarge(limit);
  const error = { code: -32603, message, data: { code, limit } };
  // The blank line first: what came of the real event ends there.
  return Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`);
}

interface AskedOf {
  readonly id: string | number | undefined;
  readonly method: string | undefined;
}

function requestOf(body: unknown): AskedOf | undefined {
  if (typeof body !== 'string') return undefined;
  try {
    const { id, method } = JSON.parse(body) as { readonly id?: unknown; readonly method?: unknown };
    return {
      id: typeof id === 'string' || typeof id === 'number' ? id : undefined,
      method: typeof method === 'string' ? method : undefined,
    };
  } catch {
    // Then it is no request of the protocol.
    return undefined;
  }
}

function timed(init: RequestInit | undefined, ms: number): RequestInit | undefined {
  if (ms === Number.POSITIVE_INFINITY) return init;
  const end = AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS));
  return { ...init, signal: init?.signal ? AbortSignal.any([init.signal, end]) : end };
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Promise<Response> {
  const { status, statusText, headers, url } = response;
  return responseOf(body, { status, statusText, headers }, url);
}

/** A response with the URL by which the SDK judges redirects. */
async function responseOf(body: Posted['body'], head: ResponseInit, url: string): Promise<Response> {
  try {
    return Object.defineProperty(new Response(body, head), 'url', { value: url });
  } catch (error) {
    // A status or a reason that the platform has no response for: nobody would read the body, nor cut its connection.
    if (body instanceof ReadableStream) await body.cancel(error);
    throw error;
  }
}

function tooLarge(limit: number): SkillError {
  return new SkillError(
    'RESPONSE_TOO_LARGE',
    `the response of the server has more than ${limit} bytes; raise the limit of cappedFetch if you trust it`,
    { details: { limit } },
  );
}
