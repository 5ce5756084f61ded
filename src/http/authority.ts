/**
 * Host names as they stand in `Host`, `Origin` and on the command line.
 *
 * @module
 */
import { isIPv4, isIPv6 } from 'node:net';

/** A host name with the port written behind it, if one is. */
export interface Authority {
  /** Lower case; an IPv6 address in its shortest form, in brackets. */
  readonly name: string;
  readonly port?: number;
}

const AUTHORITY = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::([0-9]{0,5}))?$/;

/**
 * The host name and port of `name[:port]`, or undefined when the text is not of that form.
 *
 * Deliberately narrower than a URL parser: no user, no percent-encoding, no `127.1`, no trailing dot. Clients that
 * mean a loopback address write it as everybody does; what is written otherwise is turned away.
 *
 * @example
 * parseAuthority('[::1]:8750') // { name: '[::1]', port: 8750 }
 */
export function parseAuthority(text: string): Authority | undefined {
  const match = AUTHORITY.exec(text);
  const host = match?.[1];
  if (host === undefined) return undefined;
  const name = host.startsWith('[') ? normalIPv6(host.slice(1, -1)) : host.toLowerCase();
  if (name === undefined) return undefined;
  const digits = match?.[2];
  if (digits === undefined || digits === '') return { name };
  const port = Number(digits);
  return port > 65_535 ? undefined : { name, port };
}

/**
 * The name under which an address to bind to appears in `Host`, or undefined for one that no client can mean: empty,
 * `0.0.0.0`, `::`.
 *
 * Browsers let a page call `http://0.0.0.0:PORT/`, so the wildcard is no name to trust.
 *
 * @example
 * hostName('::1') // '[::1]'
 */
export function hostName(address: string): string | undefined {
  const bare = address.startsWith('[') && address.endsWith(']') ? address.slice(1, -1) : address;
  const unzoned = bare.split('%')[0] ?? '';
  // Node's pattern for it is a large one to make, and most addresses show without it that they are not of that kind.
  const name = unzoned.includes(':') && isIPv6(unzoned) ? normalIPv6(unzoned) : parseAuthority(unzoned)?.name;
  return name === '0.0.0.0' || name === '[::]' ? undefined : name;
}

/**
 * Whether a name always leads to this machine: `localhost`, 127.0.0.0/8, `[::1]`.
 *
 * @example
 * isLoopbackName('127.0.0.1') // true
 */
export function isLoopbackName(name: string | undefined): boolean {
  if (name === undefined) return false;
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}

function normalIPv6(address: string): string | undefined {
  return isIPv6(address) ? new URL(`http://[${address}]/`).hostname : undefined;
}
