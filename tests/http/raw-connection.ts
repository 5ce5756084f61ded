import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection to which a test writes bytes as it likes. */
export interface RawConnection {
  readonly socket: Socket;
  /** What came so far, a character for each byte. */
  readonly text: () => string;
  /** Settles with what came when it is `count` whole answers, or when the connection is over. */
  received(count: number): Promise<string>;
  /** Settles when so many bytes came, or when the connection is over. */
  receivedBytes(count: number): Promise<void>;
  /** Settles with what came when the connection is over. */
  readonly over: Promise<string>;
}

/** Opens a connection that ends with the test. */
export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  onTestFinished(() => void socket.destroy());
  let chunks: string[] = [];
  let bytes = 0;
  let isOver = false;
  let look = (): void => undefined;
  const text = (): string => {
    chunks = [chunks.join('')];
    return chunks[0] ?? '';
  };
  socket.on('data', (chunk) => {
    chunks.push(chunk.toString('latin1'));
    bytes += chunk.length;
    look();
  });
  socket.on('error', () => undefined);
  const over = new Promise<string>((resolve) => {
    socket.on('close', () => {
      isOver = true;
      look();
      resolve(text());
    });
  });
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return {
    socket,
    text,
    received: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (isOver || answersIn(text()) >= count) resolve(text());
        };
        look();
      }),
    receivedBytes: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (isOver || bytes >= count) resolve();
        };
        look();
      }),
    over,
  };
}

/** How many whole answers a text begins with; `100 Continue` is none. */
export function answersIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const head = text.slice(at, end);
    at = end + 4;
    if (head.startsWith('HTTP/1.1 100')) continue;
    if (/^transfer-encoding: chunked$/im.test(head)) {
      const last = text.startsWith('0\r\n\r\n', at) ? at : text.indexOf('\r\n0\r\n\r\n', at) + 2;
      if (last < at) break;
      at = last + 5;
    } else {
      at += Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (at > text.length) break;
    }
    count += 1;
  }
  return count;
}
