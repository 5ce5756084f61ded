/**
 * The value of `--http`.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { usageError } from './usage.ts';

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8_750;
const FORMS = '--http, --http PORT, --http HOST:PORT or --http [IPV6]:PORT; port 0 picks a free one';

/**
 * Where `--http` listens: `true` (no value) is 127.0.0.1:8750, `PORT` is on 127.0.0.1, `HOST:PORT` as it says.
 *
 * Errors: `USAGE`; a folder as the value gets an error that says so, because `--http ./skills` is easily written.
 *
 * @example
 * parseListenAddress('[::1]:0') // { host: '::1', port: 0 }
 */
export function parseListenAddress(value: string | true): ListenAddress {
  if (value === true) return { host: DEFAULT_HOST, port: DEFAULT_PORT };
  if (/^\d+$/.test(value)) return { host: DEFAULT_HOST, port: portOf(value, value) };
  const bracketed = /^\[([0-9A-Fa-f:.]+(?:%[\w.-]+)?)\]:(\d+)$/.exec(value);
  const plain = /^([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?):(\d+)$/.exec(value);
  const [, host, port] = bracketed ?? plain ?? [];
  if (host !== undefined && port !== undefined) return { host, port: portOf(port, value) };
  if (/[\\/]/.test(value) || value.startsWith('.') || existsSync(value)) {
    throw usageError(
      `--http takes a port or an address, and ${JSON.stringify(value)} is a path`,
      `write the folder first: skillwire serve ${value} --http`,
    );
  }
  throw usageError(`--http does not understand ${JSON.stringify(value)}`, FORMS);
}

function portOf(digits: string, value: string): number {
  const port = Number(digits);
  if (port <= 65_535) return port;
  throw usageError(`--http ${value} names port ${digits}, and ports end at 65535`, FORMS);
}
