/**
 * Redirects, followed by hand so that each is judged like the first request.
 *
 * @module
 */
import { type HostPolicy, parseFetchUrl } from './host.ts';
import { refusal } from './net-error.ts';

/** How redirects are followed. */
export interface RedirectOptions extends HostPolicy {
  /** Redirects of one fetch; 0 means the default, -1 no limit. @default 5 */
  readonly maxRedirects?: number;
  /**
   * Whether `https` may lead to `http`.
   *
   * **WARNING** Everybody on the way can then change what is fetched. @default false
   */
  readonly allowDowngrade?: boolean;
}

const FOLLOWED = new Set([301, 302, 303, 307, 308]);

/** What another origin may know of a request: nothing that says who asks. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]);

/** Whether a response of this status sends the client elsewhere. */
export function isRedirect(status: number): boolean {
  return FOLLOWED.has(status);
}

/**
 * The URL that a redirect leads to, if it is one that is fetched.
 *
 * Errors: `NET_FAILED` for a redirect to nowhere or to several places, `NET_URL_REFUSED` for a target that is no `http(s)`
 * URL, holds credentials, or leaves `https`.
 */
export function redirectTarget(from: URL, location: string | undefined, options: RedirectOptions): URL {
  if (location === undefined) {
    throw refusal('NET_FAILED', from, `${from.host} redirects without saying where to`);
  }
  const to = parseFetchUrl(location, from);
  if (from.protocol === 'https:' && to.protocol === 'http:' && options.allowDowngrade !== true) {
    throw refusal(
      'NET_URL_REFUSED',
      to,
      `${from.host} redirects from https to http (${to.host}), which is not followed`,
    );
  }
  return to;
}

/**
 * Takes out of `headers` what the origin of `to` has no business to know, if it is another than that of `from`.
 *
 * Only headers that say nothing about the caller stay: a token may travel in any header.
 */
export function stripForeign(headers: Headers, from: URL, to: URL): void {
  if (from.origin === to.origin) return;
  for (const name of [...headers.keys()]) if (!HARMLESS.has(name)) headers.delete(name);
}
