/**
 * An answer of 200 written to a connection without Node's response, in the bytes that Node would write.
 *
 * @module
 */
import type { Socket } from 'node:net';
import type { PreparedBytes } from '../server/prepared-cache.ts';

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

/**
 * Writes an answer to `socket`: `head` is everything before the id. `keepAliveMs` is what the client is told of how long the
 * connection is kept.
 */
export function writePlainAnswer(
  socket: Socket,
  id: string | number,
  head: PreparedBytes,
  keepAliveMs: number,
): void {
  const after = `${JSON.stringify(id)}}`;
  const bytes = Buffer.byteLength(after);
  const lines = `HTTP/1.1 200 OK\r\nx-content-type-options: nosniff\r\ncontent-type: application/json\r\ncontent-length: ${
    head.length + bytes
  }\r\nDate: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / MS)}\r\n\r\n`;
  if (typeof head === 'string') {
    socket.write(lines + head + after, bytes === after.length ? 'latin1' : 'utf8');
    return;
  }
  if (head.length <= COPIED_BYTES) {
    const all = Buffer.allocUnsafe(lines.length + head.length + bytes);
    head.copy(all, all.write(lines, 0, 'latin1'));
    all.write(after, lines.length + head.length);
    socket.write(all);
    return;
  }
  socket.cork();
  socket.write(lines, 'latin1');
  socket.write(head);
  socket.write(after);
  socket.uncork();
}
