import { connect, type Socket } from 'node:net';

/** What a round of requests gave. */
export interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytes: number;
}

/** The length of the response that begins at the start of `data`, or undefined while it is not complete. */
function responseLength(data: Buffer): number | undefined {
  const head = data.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const headers = data.toString('latin1', 0, head).toLowerCase();
  if (!headers.startsWith('http/1.1 200')) throw new Error(`not 200: ${data.toString('utf8', 0, 600)}`);
  const length = /content-length: (\d+)/.exec(headers)?.[1];
  if (length !== undefined)
    return data.length >= head + 4 + Number(length) ? head + 4 + Number(length) : undefined;
  // Chunked: the last chunk is empty, and no JSON text holds its bytes.
  const end = data.indexOf('\r\n0\r\n\r\n', Math.max(head, data.length - 65_536));
  return end === -1 ? undefined : end + 7;
}

/**
 * Sends one request over and over on kept connections and measures what comes back: `warmMs` uncounted, then `ms`
 * counted. One request at a time on a connection; ends by itself.
 */
export async function fire(
  url: string,
  request: Request,
  connections: number,
  warmMs: number,
  ms: number,
): Promise<Round> {
  const { hostname, port, pathname } = new URL(url);
  const body = Buffer.from(await request.text());
  const headers = [...request.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const message = Buffer.concat([
    Buffer.from(
      `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${headers}content-length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);
  const begun = performance.now();
  const from = begun + warmMs;
  const until = from + ms;
  const times: number[] = [];
  let bytes = 0;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(Number(port), hostname);
      let parts: Buffer[] = [];
      let sent = 0;
      const send = (): void => {
        sent = performance.now();
        socket.write(message);
      };
      socket.setNoDelay(true);
      socket.once('connect', send);
      socket.once('error', reject);
      socket.once('close', () => resolve());
      socket.on('data', (part) => {
        parts.push(part);
        const data = parts.length === 1 ? part : Buffer.concat(parts);
        let length: number | undefined;
        try {
          length = responseLength(data);
        } catch (error) {
          socket.destroy();
          reject(error);
          return;
        }
        if (length === undefined) {
          parts = [data];
          return;
        }
        parts = [];
        const now = performance.now();
        if (now >= from && now < until) {
          times.push(now - sent);
          bytes = length;
        }
        if (now >= until) socket.destroy();
        else send();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  if (times.length === 0) throw new Error(`no answer from ${url} in ${ms} ms`);
  times.sort((left, right) => left - right);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] as number;
  return { perSecond: times.length / (ms / 1_000), p50Ms: at(0.5), p99Ms: at(0.99), bytes };
}
