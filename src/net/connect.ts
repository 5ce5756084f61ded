/**
 * Connections whose far end is judged: on the addresses a name has, and again on the address really connected to.
 *
 * @module
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type SpecialRange, specialRange } from './address.ts';
import { type HostPolicy, mayBePrivate } from './host.ts';
import { badProxy, type ProxySettings, proxiesOf } from './proxies.ts';

/** How connections are made and to whom. */
export interface ConnectionOptions extends HostPolicy {
  /** Milliseconds to reach a server; 0 means the default, -1 no limit. @default 10,000 */
  readonly connectTimeoutMs?: number;
  /** Name lookup instead of the system's. What it answers is judged like any other. */
  readonly lookup?: LookupFunction;
  /**
   * The proxies, or `false` for none. Behind a proxy the name is judged and the address, which only the proxy sees, is
   * not: name the hosts in `allowedHosts` there. @default HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in lower case first
   */
  readonly proxy?: ProxySettings | false;
}

/** Judges an address: the range that makes it private, or undefined. */
export type Judge = (ip: string) => SpecialRange | undefined;

/**
 * A dispatcher that connects only where the policy allows.
 *
 * It must not be shared between policies: a connection made under one would serve the other.
 */
export function openConnections(options: ConnectionOptions, judge: Judge = specialRange): Dispatcher {
  const proxies = proxiesOf(options.proxy);
  const connect = judgedConnector(options, judge);
  // Requests are made one after the other; a second connection to a host would only be one more to judge.
  if (proxies === undefined) return new Agent({ connect });
  const timeout = connectTimeout(options);
  try {
    return new EnvHttpProxyAgent({
      connect,
      // Strings even where there is none: otherwise the agent looks into the environment on its own.
      httpProxy: proxies.httpProxy ?? '',
      httpsProxy: proxies.httpsProxy ?? '',
      noProxy: proxies.noProxy ?? '',
      proxyTls: { timeout },
      requestTls: { timeout },
    });
  } catch {
    throw badProxy();
  }
}

function connectTimeout(options: ConnectionOptions): number {
  const timeout = capOf(options.connectTimeoutMs, LIMITS.fetchConnectMs);
  // The library's word for "no limit".
  return timeout === Number.POSITIVE_INFINITY ? 0 : timeout;
}

function judgedConnector(options: ConnectionOptions, judge: Judge): buildConnector.connector {
  const lookup = judgedLookup(options, judge);
  const connect = buildConnector({ timeout: connectTimeout(options), lookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address is looked up by nobody, so the lookup alone would not see it.
    const literal = isIP(host) === 0 ? undefined : judge(host);
    if (literal !== undefined && !mayBePrivate(options, host)) {
      callback(addressRefused(host, host, literal), null);
      return;
    }
    connect({ ...target, hostname: host }, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const refused = judgeSocket(options, judge, host, socket);
      if (refused === undefined) return callback(null, socket);
      socket.destroy();
      return callback(refused, null);
    });
  };
}

/** The address that was connected to has the last word: whatever a lookup said, no byte is sent before this. */
function judgeSocket(policy: HostPolicy, judge: Judge, host: string, socket: Socket): SkillError | undefined {
  const address = socket.remoteAddress;
  if (address === undefined) {
    return new SkillError('NET_FAILED', `the connection to ${host} was cut`, { details: { host } });
  }
  const special = judge(address);
  if (special === undefined || mayBePrivate(policy, host)) return undefined;
  return addressRefused(host, address, special);
}

/**
 * A lookup that gives only addresses that may be connected to.
 *
 * A name with public and private addresses gives the public ones. A host that once had public addresses does not become
 * private later in the same run of requests, even where it may be private: that change is what rebinding looks like.
 */
export function judgedLookup(options: ConnectionOptions, judge: Judge = specialRange): LookupFunction {
  const lookup = options.lookup ?? (systemLookup as LookupFunction);
  const knownPublic = new Set<string>();
  return (name, wanted, callback) => {
    const host = name.replace(/\.+$/, '');
    lookup(name, { ...wanted, all: true }, (error, found, foundFamily) => {
      if (error !== null) return callback(error, []);
      const all =
        typeof found === 'string' ? [{ address: found, family: foundFamily ?? isIP(found) }] : found;
      const open = all.filter(({ address }) => judge(address) === undefined);
      if (open.length > 0) knownPublic.add(host);
      const rebound = open.length === 0 && knownPublic.has(host);
      const usable = open.length === 0 && !rebound && mayBePrivate(options, host) ? all : open;
      const [first] = usable;
      if (first === undefined) {
        const [refused] = all;
        const special = refused === undefined ? undefined : judge(refused.address);
        return callback(
          refused === undefined || special === undefined
            ? new SkillError('NET_FAILED', `the name ${host} has no address`, { details: { host } })
            : addressRefused(host, refused.address, special, rebound),
          [],
        );
      }
      return wanted.all === true ? callback(null, usable) : callback(null, first.address, first.family);
    });
  };
}

function addressRefused(host: string, address: string, special: SpecialRange, rebound = false): SkillError {
  const what = host === address ? address : `${host} has the address ${address}, which`;
  const then = rebound
    ? 'although it had a public one before'
    : 'and is not connected to; allow the host by allowPrivate if you mean it';
  return new SkillError('NET_ADDRESS_REFUSED', `${what} is not public (${special.what}) ${then}`, {
    details: { host, address, range: special.range },
  });
}
