/**
 * The guard: which `Host` and `Origin` may pass (decision 11, threat R5).
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import { SkillError } from '../errors.ts';
import { type Authority, hostName, isLoopbackName, parseAuthority } from './authority.ts';
import type { Refusal } from './reply.ts';

/** What a guard knows of the server it stands before. */
export interface GuardOptions {
  /** The address that the server is bound to. */
  readonly boundHost: string;
  /** Names accepted beside loopback ones and `boundHost`; `name:port` accepts that port only. */
  readonly allowedHosts: readonly string[];
  /** Whether every request needs a token; then any `Host` passes on an address that is not loopback. */
  readonly hasToken: boolean;
}

/** Judges the headers of a request, before anything else looks at it. */
export interface Guard {
  /** The refusal due, or undefined when the request may pass. */
  check(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): Refusal | undefined;
}

const FORBIDDEN = { code: -32000, status: 403 } as const;
const ORIGIN = /^https?:\/\/(.+)$/i;

/**
 * A guard against DNS rebinding and against pages of other sites.
 *
 * `Host` must be a loopback name, the bound address or an allowed host, with any port; an `Origin`, when sent, must
 * name one of these (`null` never does). Errors: `USAGE` for an allowed host that is not a name.
 *
 * @example
 * const refusal = createGuard({ boundHost: '127.0.0.1', allowedHosts: [], hasToken: false }).check(request)
 */
export function createGuard(options: GuardOptions): Guard {
  const allowed = options.allowedHosts.map(parseAllowedHost);
  const bound = hostName(options.boundHost);
  const anyHost = options.hasToken && !isLoopbackName(bound);

  /** The last `Host` that was accepted: clients ask for the same one each time. */
  let usual: string | undefined;

  const accepts = (text: string): boolean => {
    const found = parseAuthority(text);
    if (found === undefined) return false;
    if (isLoopbackName(found.name) || found.name === bound) return true;
    return allowed.some(
      (entry) => entry.name === found.name && (entry.port === undefined || entry.port === found.port),
    );
  };

  return {
    check(request) {
      const { host, origin } = request.headers;
      if (countHosts(request.rawHeaders) > 1) {
        return { status: 400, code: -32000, message: 'Bad Request: more than one Host header' };
      }
      if (!anyHost && (host === undefined || host !== usual)) {
        if (host === undefined || !accepts(host)) {
          return {
            ...FORBIDDEN,
            message: 'Forbidden: this server does not answer to the Host that was asked for',
          };
        }
        usual = host;
      }
      if (origin !== undefined) {
        const authority = ORIGIN.exec(origin)?.[1];
        if (authority === undefined || !accepts(authority)) {
          return { ...FORBIDDEN, message: 'Forbidden: this server does not answer pages of that Origin' };
        }
      }
      return undefined;
    },
  };
}

/**
 * Throws `BIND_REFUSED` for an address that is not loopback unless requests need a token, or anonymous use is wanted
 * and the names that may be asked for are given (decision 11).
 *
 * @example
 * assertMayBind('0.0.0.0', { hasToken: false, allowAnonymous: false, allowedHosts: [] }) // throws
 */
export function assertMayBind(
  host: string,
  options: {
    readonly hasToken: boolean;
    readonly allowAnonymous: boolean;
    readonly allowedHosts: readonly string[];
  },
): void {
  if (isLoopbackName(hostName(host)) || options.hasToken) return;
  if (options.allowAnonymous && options.allowedHosts.length > 0) return;
  const missing = options.allowAnonymous
    ? 'anonymous use also needs the names that clients may ask for: pass allowedHosts (--allowed-host NAME)'
    : 'pass a token (--token-file FILE), or allowAnonymous together with allowedHosts (--allow-anonymous --allowed-host NAME), or bind to 127.0.0.1';
  throw new SkillError(
    'BIND_REFUSED',
    `${host || 'every address'} can be reached from other machines: ${missing}`,
    {
      details: { host },
    },
  );
}

function parseAllowedHost(text: string): Authority {
  const parsed = parseAuthority(text) ?? parseAuthority(`[${text}]`);
  if (parsed !== undefined) return parsed;
  throw new SkillError(
    'USAGE',
    `the allowed host ${JSON.stringify(text)} is not a host name: write it as example.com, example.com:8443 or [2001:db8::1], without scheme, path or wildcard`,
    { details: { allowedHost: text } },
  );
}

/** Node keeps the first of several `Host` headers; a proxy before it may have judged the last. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
