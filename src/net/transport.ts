/**
 * One request and its response, over our own connections or a function the caller gave.
 *
 * @module
 */
import type { Dispatcher } from 'undici';
import { refusal } from './net-error.ts';

/** The methods of a fetch. */
export type NetMethod = 'GET' | 'HEAD';

/** What a {@link CustomFetch} is told beside the URL. */
export interface CustomFetchInit {
  readonly method: NetMethod;
  readonly headers: Readonly<Record<string, string>>;
  /** Redirects are to be handed back: each is judged before it is followed. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** What a {@link CustomFetch} gives back; the `Response` of the platform is one. */
export interface CustomFetchResponse {
  readonly status: number;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: AsyncIterable<Uint8Array> | null;
  /** Whether the function followed redirects itself, which is refused. */
  readonly redirected?: boolean;
}

/** Makes a request in our place: a transport of the caller's with its own certificates, proxy or retries. */
export type CustomFetch = (url: string, init: CustomFetchInit) => Promise<CustomFetchResponse>;

/** A response whose body nobody has touched yet. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; values of a repeated header joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterator<Uint8Array>;
  /** Whether the body may have another length than announced, since it was decoded on the way. */
  readonly decoded: boolean;
  /** Lets go of the connection, read to its end or not. */
  destroy(): void;
}

/** Makes one request. */
export type Transport = (
  url: URL,
  method: NetMethod,
  headers: Headers,
  signal: AbortSignal,
) => Promise<RawResponse>;

/** Requests over connections of our own. A body is handed on as it was sent, never decompressed. */
export function dispatcherTransport(dispatcher: Dispatcher): Transport {
  return async (url, method, headers, signal) => {
    const response = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: Object.fromEntries(headers),
      signal,
    });
    const { body } = response;
    // Whoever reads the body gets the error; without a reader it must not end the process.
    body.on('error', () => {});
    return {
      status: response.statusCode,
      headers: flatHeaders(response.headers),
      chunks: body[Symbol.asyncIterator](),
      decoded: false,
      destroy: () => {
        body.destroy();
      },
    };
  };
}

function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    // Two places to go to are none.
    if (value === undefined || (name === 'location' && Array.isArray(value))) continue;
    flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

/** Requests by a function of the caller's. */
export function customTransport(custom: CustomFetch): Transport {
  return async (url, method, headers, signal) => {
    const init = { method, headers: Object.fromEntries(headers), redirect: 'manual', signal } as const;
    const response = await custom(url.href, init);
    const chunks = (response.body ?? nothing())[Symbol.asyncIterator]();
    const destroy = (): void => {
      // A body that is cancelled in the middle may say so by failing; nobody waits for it any more.
      chunks.return?.().catch(() => {});
    };
    if (response.redirected === true) {
      destroy();
      throw refusal(
        'NET_FAILED',
        url,
        'the given fetch follows redirects on its own; it must heed redirect: "manual"',
      );
    }
    const flat: Record<string, string> = Object.create(null);
    for (const [name, value] of response.headers) {
      const key = name.toLowerCase();
      flat[key] = flat[key] === undefined ? value : `${flat[key]}, ${value}`;
    }
    return {
      status: response.status,
      headers: flat,
      chunks,
      decoded: flat['content-encoding'] !== undefined,
      destroy,
    };
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
