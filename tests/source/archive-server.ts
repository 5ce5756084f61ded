/** A server on loopback that has archives under paths. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface ArchiveServer {
  readonly origin: string;
  /** `METHOD path` of every request, in order. */
  readonly seen: string[];
  /** The headers of the last request. */
  readonly last: () => IncomingMessage['headers'];
  /** Answers a path with bytes, or as it likes. */
  readonly put: (path: string, answer: Buffer | Answer, headers?: Readonly<Record<string, string>>) => string;
  /** Sockets that are open. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

export async function archiveServer(): Promise<ArchiveServer> {
  const answers = new Map<string, Answer>();
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let last: IncomingMessage['headers'] = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push(`${request.method} ${path}`);
    last = request.headers;
    response.on('error', () => {});
    const answer = answers.get(path.split('?')[0] ?? '');
    if (answer === undefined) response.writeHead(404).end('no such thing');
    else answer(request, response);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    seen,
    last: () => last,
    open: () => sockets.size,
    put(path, answer, headers = {}) {
      const reply: Answer =
        typeof answer === 'function'
          ? answer
          : (_request, response) => response.writeHead(200, headers).end(answer);
      answers.set(path.split('?')[0] ?? '', reply);
      return `${origin}${path}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
