import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcp,
  type LookupFunction,
  type Socket,
} from 'node:net';

/** A server on loopback that a test may talk to, with what it saw. */
export interface Remote {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Connections taken so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

const open: (() => Promise<void>)[] = [];

/** Ends every server of this file's tests. */
export async function closeRemotes(): Promise<void> {
  await Promise.all(open.splice(0).map((close) => close()));
}

/** An HTTP server. */
export function remote(handler: RequestListener): Promise<Remote> {
  return listening(createHttp(handler));
}

/** A server that says whatever bytes it likes once it has read the head of a request. */
export function rawRemote(answer: (socket: Socket, head: string) => void): Promise<Remote> {
  return listening(
    createTcp((socket) => {
      socket.on('error', () => {});
      let head = '';
      const read = (chunk: Buffer): void => {
        head += chunk.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        socket.off('data', read);
        socket.resume();
        answer(socket, head);
      };
      socket.on('data', read);
    }),
  );
}

/** A forward proxy that opens tunnels; `to` maps the host and port that a client asks for. */
export async function proxy(
  to: (target: string) => number | undefined,
  seen: { target: string; authorization: string | undefined }[],
): Promise<Remote> {
  const server = createHttp((_request, response) => response.writeHead(405).end());
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    seen.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    client.on('error', () => {});
    const port = to(request.url ?? '');
    if (port === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  return listening(server);
}

async function listening(server: ReturnType<typeof createTcp>): Promise<Remote> {
  let count = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    count++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  open.push(close);
  return { port, origin: `http://127.0.0.1:${port}`, connections: () => count, close };
}

/** Name answers given by a test; `asked` counts how often each name was looked up. */
export function answers(table: Readonly<Record<string, readonly (readonly string[])[]>>): {
  lookup: LookupFunction;
  asked: Map<string, number>;
} {
  const asked = new Map<string, number>();
  const lookup: LookupFunction = (name, _options, callback) => {
    const before = asked.get(name) ?? 0;
    asked.set(name, before + 1);
    const rounds = table[name];
    if (rounds === undefined) {
      callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
      return;
    }
    const round = rounds[Math.min(before, rounds.length - 1)] ?? [];
    callback(
      null,
      round.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { lookup, asked };
}

/** Sends a body in chunks until the other side goes away. */
export function endless(response: ServerResponse, chunk: Buffer): void {
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}

/** What `work` rejects with. */
export async function rejection(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => {
      throw new Error(`resolved to ${String(value)}`);
    },
    (error: unknown) => error,
  );
}
