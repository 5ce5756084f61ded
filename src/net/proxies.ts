/**
 * Which proxies are in force.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

/** The proxies in force, as URLs; a proxy's own user and password may stand in its URL. */
export interface ProxySettings {
  /** For `http` URLs. */
  readonly httpProxy?: string;
  /** For `https` URLs. */
  readonly httpsProxy?: string;
  /** Hosts that are asked directly: names, `.domain`, `host:port`, comma-separated, or `*`. */
  readonly noProxy?: string;
}

/** The proxies in force; undefined when there is none. */
export function proxiesOf(setting: ProxySettings | false | undefined): ProxySettings | undefined {
  if (setting === false) return undefined;
  const { env } = process;
  const httpProxy = setting === undefined ? (env.http_proxy ?? env.HTTP_PROXY) : setting.httpProxy;
  const httpsProxy = setting === undefined ? (env.https_proxy ?? env.HTTPS_PROXY) : setting.httpsProxy;
  const noProxy = setting === undefined ? (env.no_proxy ?? env.NO_PROXY) : setting.noProxy;
  if (!httpProxy && !httpsProxy) return undefined;
  return {
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  };
}

/** Errors: `NET_FAILED` for a proxy whose URL is not valid. */
export function requireProxies(setting: ProxySettings | false | undefined): void {
  const { httpProxy, httpsProxy } = proxiesOf(setting) ?? {};
  for (const url of [httpProxy, httpsProxy]) if (url !== undefined && !URL.canParse(url)) throw badProxy();
}

/** Returns the error for a proxy whose URL is not valid. No cause: it would hold that URL and with it a password. */
export function badProxy(): SkillError {
  return new SkillError('NET_FAILED', 'the URL of a proxy is not valid; check HTTPS_PROXY and HTTP_PROXY');
}
