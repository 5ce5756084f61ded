/**
 * Fetches over HTTP: capped, timed, and only from hosts and addresses that may be asked.
 *
 * @module
 */
import type { Dispatcher } from 'undici';
import { SkillError } from '../errors.ts';
import type { ConnectionOptions } from './connect.ts';
import { exchange } from './exchange.ts';
import { requireProxies } from './proxies.ts';
import type { RedirectOptions } from './redirect.ts';
import {
  type CustomFetch,
  customTransport,
  dispatcherTransport,
  type NetMethod,
  type Transport,
} from './transport.ts';
import type { Validators } from './validators.ts';

/** Whom a {@link Net} may ask and how it connects. */
export interface NetOptions extends ConnectionOptions, RedirectOptions {
  /**
   * Makes the requests instead: for certificates, proxies or retries of your own. Hosts, redirects, caps and times are
   * still held here; addresses are yours to judge, as only you see them. @default connections of our own
   */
  readonly fetch?: CustomFetch;
}

/** A request before it is sent, for a {@link FetchOptions.request} to change. */
export interface NetRequest {
  readonly url: URL;
  readonly method: NetMethod;
  /** `host` and what belongs to the connection are set by us, whatever stands here. */
  readonly headers: Headers;
}

/** One fetch. */
export interface FetchOptions {
  /** @default 'GET' */
  readonly method?: NetMethod;
  /** Not sent on to another origin, but for those that say nothing about the caller (`accept`, `user-agent` …). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Changes the first request just before it is sent; redirects carry its headers as they carry any other. */
  readonly request?: (request: NetRequest) => void | Promise<void>;
  /** Of a response you still have: an unchanged one then comes as {@link NetResponse.notModified}. */
  readonly validators?: Validators;
  /** Bytes of the body as sent; 0 means the default, -1 no cap. @default 104,857,600 */
  readonly maxBytes?: number;
  /** Milliseconds from the call to the last byte, redirects included; 0 means the default, -1 no limit. @default 120,000 */
  readonly totalTimeoutMs?: number;
  /** Ends the fetch, also in the middle of the body; what is thrown is its reason. */
  readonly signal?: AbortSignal;
}

/** A response with its body still to come. Read the body, leave its loop, or discard it: each frees the connection. */
export interface NetResponse {
  /** Where the response came from in the end. It may hold a secret in its query; show it by `printableUrl`. */
  readonly url: string;
  /** 200–299 but 206, or 304. */
  readonly status: number;
  /** By lower-case name; values of a repeated header joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** To be kept with the bytes, for {@link FetchOptions.validators}. */
  readonly validators: Validators;
  /** Whether what the validators stand for is still what the server has (304). The body is empty then. */
  readonly notModified: boolean;
  /** Bytes of the body as announced; undefined if nothing was. */
  readonly length: number | undefined;
  /**
   * The bytes as sent, to be read once. `accept-encoding: identity` asks for them plain; what a server compresses all
   * the same comes compressed, with the header `content-encoding`, and counts as such.
   */
  readonly body: AsyncIterable<Buffer>;
  /** The whole body. */
  bytes(): Promise<Buffer>;
  /** Lets go of the body. Twice is fine. */
  discard(): void;
}

/** Fetches under one policy, over connections that are kept between them. */
export interface Net {
  /** See {@link safeFetch} for errors. */
  fetch(url: string | URL, options?: FetchOptions): Promise<NetResponse>;
  /** Ends every fetch under way and every connection. Twice is fine. */
  close(): Promise<void>;
}

/**
 * A `Net` for several fetches under one policy, which reuse each other's connections. `close()` it.
 *
 * Errors: `NET_FAILED` for a proxy whose URL is not valid.
 *
 * @example
 * const net = openNet({ allowedHosts: ['skills.example'] })
 */
export function openNet(options: NetOptions = {}): Net {
  const { transport, disconnect } = connectionsOf(options);
  const closing = new AbortController();
  return {
    fetch: (url, request = {}) =>
      exchange({ url, options, request, transport, closing: closing.signal, finished: () => {} }),
    async close(): Promise<void> {
      closing.abort(new SkillError('NET_FAILED', 'the connections of this fetch were closed'));
      await disconnect();
    },
  };
}

function connectionsOf(options: NetOptions): { transport: Transport; disconnect: () => Promise<void> } {
  if (options.fetch !== undefined) {
    return { transport: customTransport(options.fetch), disconnect: async () => {} };
  }
  requireProxies(options.proxy);
  let opened: Promise<Dispatcher> | undefined;
  // The library is as large as everything else together, and most who could fetch never do.
  const open = (): Promise<Dispatcher> => {
    opened ??= import('./connect.ts').then(({ openConnections }) => openConnections(options));
    return opened;
  };
  return {
    transport: async (...request) => dispatcherTransport(await open())(...request),
    disconnect: async () => {
      // What did not open has nothing to end, and the fetch that waited for it has the error.
      const dispatcher = await opened?.catch(() => undefined);
      await dispatcher?.destroy();
    },
  };
}

/**
 * Resolves to the response once its status and headers are there, after redirects; the body comes as you read it.
 *
 * Only `http` and `https`. Every host, redirects included, must be in `allowedHosts` if that is given, and must have a
 * public address unless `allowPrivate` says otherwise; what counts is the address that was connected to (threats R3, R5).
 *
 * Errors: `NET_URL_REFUSED`, `NET_HOST_REFUSED`, `NET_ADDRESS_REFUSED`, `NET_TOO_MANY_REDIRECTS`, `NET_STATUS` with
 * `details.status` (and `details.retryAfter`), `NET_TOO_LARGE`, `NET_TIMEOUT`, `NET_FAILED`; and the reason of the signal.
 *
 * @example
 * const response = await safeFetch('https://skills.example/pdf.tar.gz', { maxBytes: 1_000_000 })
 * const bytes = await response.bytes()
 */
export async function safeFetch(
  url: string | URL,
  options: NetOptions & FetchOptions = {},
): Promise<NetResponse> {
  const { transport, disconnect } = connectionsOf(options);
  const finished = (): void => {
    // Ending connections can take until the other side agrees; the response is complete without.
    disconnect().catch(() => {});
  };
  return exchange({ url, options, request: options, transport, closing: undefined, finished });
}
