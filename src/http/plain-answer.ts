/**
 * An answer of 200 written to a connection without Node's response, in the bytes that Node would write.
 *
 * @module
 */
import type { Socket } from 'node:net';
import type { PreparedBytes } from '../server/prepared-cache.ts';
import { gzipAnswer } from './gzip-answer.ts';

const MS = 1_000;
/** Fewer are copied more cheaply than handed to the system in three pieces. */
const COPIED_BYTES = 16_384;

let second = Number.NaN;
let date = '';

/** The time for a `Date` header; Node says the same to the second. */
function dateNow(): string {
  const now = Math.floor(Date.now() / MS);
  if (now !== second) {
    second = now;
    date = new Date(now * MS).toUTCString();
  }
  return date;
}

/** How {@link writePlainAnswer} answers. */
export interface PlainAnswering {
  /** What the client is told of how long the connection is kept. */
  readonly keepAliveMs: number;
  /** Whether the client takes gzip, in which a large answer goes out. */
  readonly inGzip: boolean;
}

/** Writes an answer to `socket`: `head` is everything before the id. */
export function writePlainAnswer(
  socket: Socket,
  id: string | number,
  head: PreparedBytes,
  { keepAliveMs, inGzip }: PlainAnswering,
): void {
  const after = `${JSON.stringify(id)}}`;
  const gzip = inGzip ? gzipAnswer(head, after) : undefined;
  if (gzip !== undefined) {
    const { front, end } = gzip;
    write(socket, linesOf(front.length + end.length, keepAliveMs, ENCODING), front, end);
    return;
  }
  const bytes = Buffer.byteLength(after);
  const lines = linesOf(head.length + bytes, keepAliveMs, '');
  if (typeof head === 'string')
    socket.write(lines + head + after, bytes === after.length ? 'latin1' : 'utf8');
  else write(socket, lines, head, Buffer.from(after));
}

const ENCODING = 'content-encoding: gzip\r\nvary: accept-encoding\r\n';

function linesOf(length: number, keepAliveMs: number, encoding: string): string {
  return `HTTP/1.1 200 OK\r\nx-content-type-options: nosniff\r\ncontent-type: application/json\r\n${encoding}content-length: ${length}\r\nDate: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / MS)}\r\n\r\n`;
}

function write(socket: Socket, lines: string, head: Buffer, after: Buffer): void {
  if (head.length <= COPIED_BYTES) {
    const all = Buffer.allocUnsafe(lines.length + head.length + after.length);
    head.copy(all, all.write(lines, 0, 'latin1'));
    after.copy(all, lines.length + head.length);
    socket.write(all);
    return;
  }
  socket.cork();
  socket.write(lines, 'latin1');
  socket.write(head);
  socket.write(after);
  socket.uncork();
}
