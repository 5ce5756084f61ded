/**
 * The head of a request in its plainest form, about which no two readers of HTTP disagree.
 *
 * @module
 */
import { takesGzip } from './accept-encoding.ts';

/** What is in a {@link plainHead}. */
export interface PlainHead {
  /** By name in lower case; each name stood there once. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body, in bytes. */
  readonly length: number;
  /** Whether the client takes answers in gzip. */
  readonly inGzip: boolean;
}

/** A longer head is none of a client that has little to say. */
export const PLAIN_HEAD_BYTES = 8_192;

/** Node reads no more than a thousand and leaves out the others. */
const MOST_HEADERS = 100;
const REQUEST_LINE = 'POST /mcp HTTP/1.1\r\n';
/** One blank at most, nothing but visible ASCII within, nothing behind. */
const HEADER = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+): ?([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;
const LENGTH = /^(?:0|[1-9]\d{0,8})$/;
/** They say that the message is framed, or to be answered, in another way than the plain one. */
const OTHERWISE: ReadonlySet<string> = new Set([
  // No header of Node's objects.
  '__proto__',
  'content-encoding',
  'expect',
  'mcp-session-id',
  // Node's parser takes it for `Connection`.
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * The head in `text`, which ends before the empty line; undefined for every other than a POST of JSON to `/mcp` on a kept
 * connection, whose length is stated once and in digits. What is undefined need not be wrong.
 *
 * It is stricter than RFC 9112 in each point that request smuggling lives by: no folded lines, no blank before a colon, no
 * line that ends otherwise than in CR LF, no name twice, no `Transfer-Encoding` at all.
 */
export function plainHead(text: string): PlainHead | undefined {
  if (text.length > PLAIN_HEAD_BYTES || !text.startsWith(REQUEST_LINE)) return undefined;
  const headers: Record<string, string> = Object.create(null);
  const lines = text.slice(REQUEST_LINE.length).split('\r\n', MOST_HEADERS + 1);
  if (lines.length > MOST_HEADERS) return undefined;
  for (const line of lines) {
    const [, given, value] = HEADER.exec(line) ?? [];
    if (given === undefined || value === undefined) return undefined;
    const name = given.toLowerCase();
    if (name in headers || OTHERWISE.has(name)) return undefined;
    headers[name] = value;
  }
  const { connection, host, 'content-type': type, 'content-length': length } = headers;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  if (host === undefined || type !== 'application/json') return undefined;
  if (length === undefined || !LENGTH.test(length)) return undefined;
  return { headers, length: Number(length), inGzip: takesGzip(headers['accept-encoding']) };
}

/** Whether more bytes may still make of these a request with a plain head. */
export function mayBecomePlain(bytes: Buffer): boolean {
  const begun = bytes.toString('latin1', 0, REQUEST_LINE.length);
  return REQUEST_LINE.startsWith(begun);
}
