/**
 * What an open stream costs the server: tsx bench/streams.ts [STREAMS]. Opens that many (1,000) as clients of either
 * revision do, tells all of them of a change, and compares the memory of the server's process, each time after a full
 * collection, with that before. Prints a line of JSON for each revision:
 * `{"streams":1000,"perStreamBytes":N,"era":"…","heapBytes":N,"leftBytes":N}`; `heapBytes` is the part on the heap and
 * `leftBytes` what is left of each when all are closed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('./programs/serve-streams.mjs', import.meta.url));
/** Opened and closed first, so that what the first streams load and compile is no part of what one costs. */
const WARM = 50;
/** Connections opened at once: more would wait in the queue of the system. */
const AT_ONCE = 50;

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
}

const JSON_HEADERS = 'content-type: application/json\r\naccept: application/json, text/event-stream\r\n';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};

/** An HTTP request as it goes out. */
function message(port: number, method: string, headers: string, body?: unknown): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head = `${method} /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${headers}`;
  return `${head}${body === undefined ? '' : `content-length: ${Buffer.byteLength(text)}\r\n`}\r\n${text}`;
}

/** A connection that got what it waited for; rejects when it was refused or ended before. */
async function ask(
  port: number,
  request: string,
  awaited: RegExp,
): Promise<{ socket: Socket; text: string }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8');
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (part) => {
      text += part;
      if (awaited.test(text)) resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection ended: ${text.slice(0, 600)}`)));
    socket.write(request);
  });
  return { socket, text };
}

const ERAS: Readonly<Record<string, (port: number) => Promise<Socket>>> = {
  '2026-07-28': async (port) => {
    const params = { notifications: { resourcesListChanged: true }, _meta: META };
    const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
    const headers = `${JSON_HEADERS}mcp-protocol-version: 2026-07-28\r\nmcp-method: subscriptions/listen\r\n`;
    return (await ask(port, message(port, 'POST', headers, body), /subscriptions\/acknowledged/)).socket;
  },
  '2025-11-25': async (port) => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: META['io.modelcontextprotocol/clientInfo'],
      },
    };
    const opened = await ask(port, message(port, 'POST', JSON_HEADERS, initialize), /"serverInfo"/);
    const id = /^mcp-session-id: (\S+)/im.exec(opened.text)?.[1] ?? '';
    opened.socket.destroy();
    const session = `mcp-session-id: ${id}\r\nmcp-protocol-version: 2025-11-25\r\n`;
    const ready = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const told = await ask(port, message(port, 'POST', JSON_HEADERS + session, ready), /^HTTP\/1.1 202/);
    told.socket.destroy();
    return (await ask(port, message(port, 'GET', `accept: text/event-stream\r\n${session}`), /event-stream/))
      .socket;
  },
};

async function open(port: number, count: number, one: (port: number) => Promise<Socket>): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - at) }, () => one(port));
    sockets.push(...(await Promise.all(batch)));
  }
  return sockets;
}

async function closeAll(sockets: readonly Socket[]): Promise<void> {
  const closed = sockets.map((socket) => once(socket.removeAllListeners('close'), 'close'));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
}

/** How many of the streams say that the list changed, once all that will come has come. */
async function told(sockets: readonly Socket[], change: () => Promise<unknown>): Promise<void> {
  const heard = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.on('data', (part) => {
          if (String(part).includes('notifications/resources/list_changed')) resolve();
        });
      }),
  );
  await change();
  await Promise.all(heard);
  for (const socket of sockets) socket.removeAllListeners('data').resume();
}

async function measure(era: string, count: number): Promise<void> {
  const one = ERAS[era];
  if (one === undefined) throw new Error(`no such era: ${era}`);
  const child = spawn(process.execPath, ['--expose-gc', SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the server ended');
      return JSON.parse(value);
    };
    const say = (word: string): Promise<unknown> => {
      child.stdin.write(`${word}\n`);
      return next();
    };
    const port = Number(new URL(((await next()) as { url: string }).url).port);
    const warm = await open(port, WARM, one);
    await told(warm, () => say('change'));
    await closeAll(warm);
    const before = (await say('memory')) as Memory;
    const streams = await open(port, count, one);
    await told(streams, () => say('change'));
    const during = (await say('memory')) as Memory;
    await closeAll(streams);
    const after = (await say('memory')) as Memory;
    const each = (value: number): number => Math.round(value / count);
    console.log(
      JSON.stringify({
        streams: count,
        perStreamBytes: each(during.rss - before.rss),
        era,
        heapBytes: each(during.heapUsed - before.heapUsed),
        leftBytes: each(after.heapUsed - before.heapUsed),
      }),
    );
  } finally {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

const count = Number(process.argv[2] ?? 1_000);
for (const era of Object.keys(ERAS)) await measure(era, count);
