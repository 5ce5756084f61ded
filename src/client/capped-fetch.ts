/**
 * A cap on what a server may send over HTTP, where the official transport has none (threat T6a).
 *
 * @module
 */
import { MAX_TIMER_MS } from '../clock.ts';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';

/** As the official transports take it. */
export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Options of {@link cappedFetch}. */
export interface CappedFetchOptions {
  /** What fetches. @default the global `fetch` */
  readonly fetch?: FetchLike;
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
const ENDS: readonly Buffer[] = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => Buffer.from(end));

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
  const overrun = new Set<string>();
  return async (url, init) => {
    const open = isOpenStream(init);
    const place = String(url);
    // The SDK takes this status for "there is no such stream" and does not try again.
    if (open && init?.method === 'GET' && overrun.has(place)) return new Response(null, { status: 405 });
    const asked = requestOf(init?.body);
    const response = await send(url, timed(init, asked?.method, timeoutMs));
    if (response.body === null || limit === Number.POSITIVE_INFINITY) return response;
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    const declared = Number(response.headers.get('content-length') ?? 0);
    if (declared > limit) {
      await response.body.cancel();
      throw tooLarge(limit);
    }
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

interface Counter {
  fits(chunk: Uint8Array): boolean;
}

class TotalCounter implements Counter {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  fits(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    return this.#bytes <= this.#limit;
  }
}

/** An end that two chunks share is not seen: the events beside it then count as one. */
class EventCounter implements Counter {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  fits(chunk: Uint8Array): boolean {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const firsts = ENDS.map((end) => bytes.indexOf(end)).filter((at) => at !== -1);
    if (firsts.length === 0) {
      this.#bytes += bytes.length;
      return this.#bytes <= this.#limit;
    }
    const fits = this.#bytes + Math.min(...firsts) <= this.#limit;
    this.#bytes = bytes.length - Math.max(...ENDS.map((end) => bytes.lastIndexOf(end)));
    return fits && this.#bytes <= this.#limit;
  }
}

/** Whether the stream of the answer stays open for notifications. */
function isOpenStream(init: RequestInit | undefined): boolean {
  return init?.method === 'GET' || new Headers(init?.headers).get('mcp-method') === LISTEN;
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

/** Other methods belong to the host, and a tool may take as long as it likes. */
function timed(
  init: RequestInit | undefined,
  method: string | undefined,
  ms: number,
): RequestInit | undefined {
  if (method === undefined || !/^(?:skills|resources)\//.test(method) || ms === Number.POSITIVE_INFINITY)
    return init;
  const end = AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS));
  return { ...init, signal: init?.signal ? AbortSignal.any([init.signal, end]) : end };
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers, url } = response;
  const capped = new Response(body, { status, statusText, headers });
  // The SDK judges redirects by it.
  Object.defineProperty(capped, 'url', { value: url });
  return capped;
}

function tooLarge(limit: number): SkillError {
  return new SkillError(
    'RESPONSE_TOO_LARGE',
    `the response of the server has more than ${limit} bytes; raise the limit of cappedFetch if you trust it`,
    { details: { limit } },
  );
}
