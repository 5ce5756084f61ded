/**
 * One fetch from its first request to a response whose body can be read.
 *
 * @module
 */
import { STATUS_CODES } from 'node:http';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { VERSION } from '../version.ts';
import { cappedBody, tooLarge } from './body.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import type { FetchOptions, NetOptions, NetResponse } from './fetch.ts';
import { assertHostAllowed, parseFetchUrl } from './host.ts';
import { netError, printableUrl, refusal } from './net-error.ts';
import { isRedirect, redirectTarget, stripForeign } from './redirect.ts';
import type { NetMethod, RawResponse, Transport } from './transport.ts';
import { conditionalHeaders, validatorsOf } from './validators.ts';

/** What {@link exchange} works with. */
export interface Exchange {
  readonly url: string | URL;
  readonly options: NetOptions;
  readonly request: FetchOptions;
  readonly transport: Transport;
  /** Ends the exchange from outside, beside the caller's own signal. */
  readonly closing: AbortSignal | undefined;
  /** Called once, when nothing of the exchange needs a connection any more. */
  readonly finished: () => void;
}

/** Resolves to the response after redirects. Errors as those of `safeFetch`. */
export async function exchange(given: Exchange): Promise<NetResponse> {
  const { request, closing, finished } = given;
  const timeoutMs = capOf(request.totalTimeoutMs, LIMITS.fetchTotalMs);
  const deadline = startDeadline(given.url, timeoutMs, [request.signal, closing]);
  try {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    const first = parseFetchUrl(given.url);
    assertHostAllowed(given.options, first);
    const method = request.method ?? 'GET';
    const headers = startingHeaders(request);
    const modified = request.request?.({ url: new URL(first), method, headers });
    await deadline.until(Promise.resolve(modified));
    for (const name of CONNECTION_HEADERS) headers.delete(name);
    const { raw, url } = await follow(given, first, method, headers, deadline);
    try {
      return responseOf(given, raw, url, method, isConditional(headers), deadline);
    } catch (error) {
      raw.destroy();
      throw error;
    }
  } catch (error) {
    deadline.end();
    finished();
    throw error;
  }
}

/** Headers that belong to the connection: another value would make two parties read one message in two ways. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function startingHeaders(request: FetchOptions): Headers {
  const headers = new Headers({
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': `skillwire/${VERSION}`,
  });
  const own = { ...conditionalHeaders(request.validators ?? {}), ...request.headers };
  for (const [name, value] of Object.entries(own)) {
    try {
      headers.set(name, value);
    } catch {
      // No cause: the error of the platform quotes the value, which may be a token.
      throw new SkillError('NET_FAILED', `the header ${JSON.stringify(name)} cannot be sent as it is given`, {
        details: { header: name },
      });
    }
  }
  return headers;
}

function isConditional(headers: Headers): boolean {
  return headers.has('if-none-match') || headers.has('if-modified-since');
}

async function follow(
  { options, transport }: Exchange,
  first: URL,
  method: NetMethod,
  headers: Headers,
  deadline: Deadline,
): Promise<{ raw: RawResponse; url: URL }> {
  const most = capOf(options.maxRedirects, LIMITS.fetchRedirects);
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const raw = await requestOnce(transport, url, method, headers, deadline);
    if (!isRedirect(raw.status)) return { raw, url };
    raw.destroy();
    if (redirects >= most) {
      const message = `fetching ${printableUrl(first)} leads through more than ${most} redirects; the last was at ${printableUrl(url)}`;
      throw refusal('NET_TOO_MANY_REDIRECTS', first, message, { limit: most });
    }
    const next = redirectTarget(url, raw.headers.location, options);
    assertHostAllowed(options, next, url);
    stripForeign(headers, url, next);
    url = next;
  }
}

async function requestOnce(
  transport: Transport,
  url: URL,
  method: NetMethod,
  headers: Headers,
  deadline: Deadline,
): Promise<RawResponse> {
  const work = transport(url, method, headers, deadline.signal);
  try {
    return await deadline.until(work);
  } catch (error) {
    if (!deadline.signal.aborted) throw netError(url, error);
    // Nobody waits any more; a response that comes all the same is let go.
    work.then(
      (late) => late.destroy(),
      () => {},
    );
    throw deadline.signal.reason;
  }
}

function responseOf(
  { request, finished }: Exchange,
  raw: RawResponse,
  url: URL,
  method: NetMethod,
  conditional: boolean,
  deadline: Deadline,
): NetResponse {
  const { status, headers } = raw;
  const notModified = status === 304 && conditional;
  // A part that nobody asked for would pass for the whole.
  if (!notModified && (status < 200 || status > 299 || status === 206)) throw statusError(url, raw);
  const bodyless = method === 'HEAD' || notModified;
  const length = lengthOf(headers['content-length']);
  const cap = capOf(request.maxBytes, LIMITS.fetchBytes);
  if (!bodyless && length !== undefined && length > cap) throw tooLarge(url, cap, length);
  const announced = bodyless || raw.decoded ? undefined : length;
  const body = cappedBody(raw, { url, cap, announced, bodyless, deadline, finished });
  const fragmentless = new URL(url);
  fragmentless.hash = '';
  return {
    url: fragmentless.href,
    status,
    headers,
    validators: validatorsOf((name) => headers[name]),
    notModified,
    length,
    ...body,
  };
}

function lengthOf(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function statusError(url: URL, raw: RawResponse): SkillError {
  const { status, headers } = raw;
  const words = STATUS_CODES[status] === undefined ? '' : ` (${STATUS_CODES[status]})`;
  const retryAfter = headers['retry-after'];
  const pause = retryAfter !== undefined && /^[\x20-\x7e]{1,64}$/.test(retryAfter) ? retryAfter : undefined;
  const again = pause === undefined ? '' : `; it asks to wait: ${pause}`;
  return refusal('NET_STATUS', url, `the server of ${printableUrl(url)} answers ${status}${words}${again}`, {
    status,
    ...(pause !== undefined && { retryAfter: pause }),
  });
}
