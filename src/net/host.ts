/**
 * Which hosts a fetch may name: the allowlist, and the names and literal addresses that are never public.
 *
 * @module
 */
import { isIP } from 'node:net';
import { specialRange } from './address.ts';
import { refusal } from './net-error.ts';

/**
 * Which hosts may have an address that is not public: all, none, or those for which a function says so.
 *
 * The function gets the host as the URL has it: lower case, international names in their ASCII form, IPv6 without brackets.
 */
export type AllowPrivate = boolean | ((host: string) => boolean);

/** What a fetch may name. */
export interface HostPolicy {
  /**
   * The only hosts that are asked, redirects included: `host`, `host:port`, or `*.domain` for everything below a domain.
   * Other spellings of the same host are understood. @default every host
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Which hosts may have an address of this machine or of a private network.
   *
   * **WARNING** `true` lets a server that redirects reach whatever this machine can reach. @default false
   */
  readonly allowPrivate?: AllowPrivate;
}

/** Names that only this machine or a private network answers to, whatever a proxy would make of them. */
const LOCAL_NAME =
  /^(.+\.)?(localhost|local|internal|intranet|lan|home\.arpa)$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/;

/** The host of a URL without the brackets of IPv6 and without the dots that may end a name. */
export function hostOf(url: URL): string {
  const { hostname } = url;
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.replace(/\.+$/, '');
}

/** Whether `host` may have an address that is not public. */
export function mayBePrivate(policy: HostPolicy, host: string): boolean {
  const { allowPrivate = false } = policy;
  return typeof allowPrivate === 'function' ? allowPrivate(host) : allowPrivate;
}

/**
 * A predicate for {@link HostPolicy.allowPrivate} that says yes to the host of `url` alone.
 *
 * It is what a program uses for the URL its user typed: that host may be private, one that it redirects to may not.
 *
 * Errors: `NET_URL_REFUSED` for text that is no URL.
 *
 * @example
 * await safeFetch(typed, { allowPrivate: onlyHostOf(typed) })
 */
export function onlyHostOf(url: string | URL): (host: string) => boolean {
  const typed = hostOf(parseFetchUrl(url));
  return (host) => host === typed;
}

/**
 * The URL, parsed, if it is one that is fetched: `http` or `https`, no user name, no password.
 *
 * Errors: `NET_URL_REFUSED`; the message never holds what was refused beyond its printable form.
 */
export function parseFetchUrl(url: string | URL, base?: URL): URL {
  let parsed: URL;
  try {
    parsed = new URL(url, base);
  } catch {
    throw refusal('NET_URL_REFUSED', '', 'this is not a URL; write it as https://host/path');
  }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') {
    const scheme = parsed.protocol.slice(0, 20);
    throw refusal('NET_URL_REFUSED', '', `a URL of scheme ${scheme} is not fetched; use https: or http:`, {
      scheme,
    });
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw refusal(
      'NET_URL_REFUSED',
      parsed,
      `a user name or password in a URL is not sent (host ${parsed.host}); send it as a header`,
    );
  }
  return parsed;
}

/**
 * Returns when the policy lets `url` be asked, as far as its text tells. Addresses of names are judged on connecting.
 *
 * Errors: `NET_HOST_REFUSED` for a host outside of the allowlist, `NET_ADDRESS_REFUSED` for a literal address that is not
 * public and for names such as `localhost`, `x.internal` or one without a dot.
 */
export function assertHostAllowed(policy: HostPolicy, url: URL, redirectedFrom?: URL): void {
  const host = hostOf(url);
  const how = redirectedFrom === undefined ? '' : `, to which ${redirectedFrom.host} redirects,`;
  if (
    policy.allowedHosts !== undefined &&
    !policy.allowedHosts.some((allowed) => matchesHost(allowed, url))
  ) {
    throw refusal('NET_HOST_REFUSED', url, `the host ${url.host}${how} is not one of the allowed hosts`, {
      host,
    });
  }
  const why = isIP(host) === 0 ? localName(host) : specialRange(host)?.what;
  if (why !== undefined && !mayBePrivate(policy, host)) {
    throw refusal(
      'NET_ADDRESS_REFUSED',
      url,
      `the host ${url.host}${how} is not public (${why}); allow it by allowPrivate if you mean it`,
      { host },
    );
  }
}

function localName(host: string): string | undefined {
  if (LOCAL_NAME.test(host)) return 'a name of this machine or a private network';
  return host.includes('.') ? undefined : 'a name without a dot';
}

function matchesHost(allowed: string, url: URL): boolean {
  const below = allowed.startsWith('*.');
  const entry = below ? allowed.slice(2) : allowed;
  let parsed: URL;
  try {
    // The scheme of the URL, so that its default port is left out on both sides.
    parsed = new URL(`${url.protocol}//${isIP(entry) === 6 ? `[${entry}]` : entry}`);
  } catch {
    return false;
  }
  // An entry that is more than a host must not count as its host.
  if (parsed.pathname !== '/' || parsed.username !== '' || parsed.search !== '' || parsed.hash !== '') {
    return false;
  }
  if (/:\d+$/.test(entry) && isIP(entry) !== 6 && parsed.port !== url.port) return false;
  const host = hostOf(url);
  const wanted = hostOf(parsed);
  return below ? host.endsWith(`.${wanted}`) && isIP(host) === 0 : host === wanted;
}
