/**
 * Fetches from the web server of a target: its own files with the caller's headers, those that it names elsewhere without.
 *
 * @module
 */
import { isSkillError, SkillError } from '../../errors.ts';
import {
  type CustomFetch,
  type Net,
  type NetOptions,
  type NetResponse,
  onlyHostOf,
  openNet,
  printableUrl,
  type Validators,
} from '../../net/index.ts';
import { BackOff } from '../back-off.ts';
import type { ReaderContext } from '../reader-context.ts';

/** What {@link WebFetch} works with. */
export interface WebFetchOptions {
  /** The URL as the user typed it: its host may be private, and it alone gets the headers. */
  readonly url: string;
  /** What fetches, under a policy of its own. @default connections of our own */
  readonly net?: Net | undefined;
  /** Makes the requests instead; which hosts, how large and how long is still judged here. @default none */
  readonly fetch?: CustomFetch | undefined;
  /** Sent to the origin of `url` and to no other. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Ms for one fetch, redirects and body included; Infinity for no limit. */
  readonly timeoutMs: number;
}

/** One fetch. */
export interface WebRequest {
  readonly url: string;
  readonly accept: string;
  readonly validators?: Validators;
  /** Go past caches on the way. */
  readonly fresh?: boolean;
  readonly signal?: AbortSignal;
}

/** A response and its body. */
export interface WebFile {
  /** Where it came from in the end. */
  readonly url: string;
  /** Empty when it did not change. */
  readonly bytes: Buffer;
  readonly notModified: boolean;
  readonly headers: NetResponse['headers'];
  readonly validators: Validators;
}

/** Fetches below one policy. */
export class WebFetch {
  readonly #context: ReaderContext;
  readonly #options: WebFetchOptions;
  readonly #typed: URL;
  readonly #backOff: BackOff;
  #own: Net | undefined;
  #others: Net | undefined;

  /** Errors: `NET_URL_REFUSED` for text that is no URL of a web server. */
  constructor(context: ReaderContext, options: WebFetchOptions) {
    // Judges the URL, whose text a message must not hold.
    onlyHostOf(options.url);
    this.#context = context;
    this.#options = options;
    this.#typed = new URL(options.url);
    this.#backOff = new BackOff(context.clock, Math.random);
  }

  /**
   * The whole response, its bytes taken from the budget of the server. Only the host that the user typed may be private,
   * so that no index makes this machine ask its own network, and nothing falls back from `https` to `http`.
   *
   * Errors: `RESOURCE_TOO_LARGE`, `SERVER_BYTE_BUDGET_EXCEEDED`; those of `safeFetch`, with `details.retryAfterMs` while a
   * pause is on after a failure.
   */
  async fetch(request: WebRequest): Promise<WebFile> {
    const { url } = request;
    const target = new URL(url);
    this.#requireNoFallBack(target);
    this.#backOff.require(url);
    const startedAt = this.#context.clock.now();
    try {
      const file = await this.#send(target, request);
      this.#backOff.succeeded(url);
      return file;
    } catch (error) {
      if (isSkillError(error) && isTrouble(error)) this.#backOff.failed(url, error, startedAt);
      if (!isSkillError(error, 'NET_TOO_LARGE')) throw error;
      throw tooLarge(url, this.#context.maxResourceBytes, error);
    }
  }

  async #send(target: URL, request: WebRequest): Promise<WebFile> {
    const { accept, validators, fresh, signal } = request;
    const { connection, maxResourceBytes } = this.#context;
    const own = target.origin === this.#typed.origin;
    const response = await this.#netFor(own).fetch(target, {
      headers: {
        ...(own ? this.#options.headers : {}),
        accept,
        ...(fresh === true ? { 'cache-control': 'no-cache' } : {}),
      },
      maxBytes: optionOf(maxResourceBytes),
      totalTimeoutMs: optionOf(this.#options.timeoutMs),
      ...(validators === undefined ? {} : { validators }),
      ...(signal === undefined ? {} : { signal }),
    });
    const bytes = await response.bytes();
    connection.budget.charge(printableUrl(target), bytes.length);
    const { url, notModified, headers } = response;
    return { url, bytes, notModified, headers, validators: response.validators };
  }

  #requireNoFallBack(target: URL): void {
    if (this.#typed.protocol !== 'https:' || target.protocol !== 'http:') return;
    throw new SkillError(
      'NET_URL_REFUSED',
      `${this.#typed.host} names ${printableUrl(target)}, which falls back from https to http and is not fetched`,
      { details: { url: printableUrl(target) } },
    );
  }

  #netFor(own: boolean): Net {
    const { net, fetch, url } = this.#options;
    if (net !== undefined) return net;
    const base: NetOptions = fetch === undefined ? {} : { fetch };
    if (own) {
      this.#own ??= openNet({ ...base, allowPrivate: onlyHostOf(url) });
      return this.#own;
    }
    this.#others ??= openNet(base);
    return this.#others;
  }
}

/** Whether the server fails, as opposed to saying no. */
function isTrouble(error: SkillError): boolean {
  if (error.code === 'NET_FAILED' || error.code === 'NET_TIMEOUT') return true;
  const status = Number(error.details.status);
  return error.code === 'NET_STATUS' && (status >= 500 || status === 429);
}

/** A cap in force as an option of the `net` room. */
function optionOf(value: number): number {
  return value === Number.POSITIVE_INFINITY ? -1 : value;
}

function tooLarge(url: string, limit: number, cause: unknown): SkillError {
  const shown = printableUrl(url);
  return new SkillError(
    'RESOURCE_TOO_LARGE',
    `${shown} is larger than ${limit} bytes; raise maxResourceBytes if you trust the server`,
    { details: { uri: shown, limit }, cause },
  );
}
