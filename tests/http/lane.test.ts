import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SendFast } from '../../src/http/fast.ts';
import { openLanes } from '../../src/http/lane.ts';
import { until } from './harness.ts';
import { openRaw } from './raw-connection.ts';

type Answer = (body: unknown, send: SendFast) => boolean | Promise<boolean>;

interface Served {
  readonly port: number;
  readonly lanes: ReturnType<typeof openLanes>;
  readonly server: Server;
  /** Bodies that lanes answered, in order. */
  readonly asked: unknown[];
  /** Bodies that came to Node's HTTP, in order. */
  readonly byNode: string[];
  /** Connections that were given away. */
  readonly given: Socket[];
  /** How many answers a shutdown has to wait for. */
  readonly held: () => number;
}

interface ServeOptions {
  readonly answer?: Answer;
  readonly silenceMs?: number;
  readonly headersTimeout?: number;
}

/** A server whose connections begin in lanes that keep them for 5 s; what a lane leaves is echoed by Node's HTTP. */
async function serve({
  answer,
  silenceMs = 120_000,
  headersTimeout = 15_000,
}: ServeOptions = {}): Promise<Served> {
  const asked: unknown[] = [];
  const byNode: string[] = [];
  const given: Socket[] = [];
  const sockets = new Set<Socket>();
  let held = 0;
  const server = createServer({ headersTimeout, connectionsCheckingInterval: 50 }, (request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      byNode.push(body);
      response.writeHead(200, { 'content-length': body.length }).end(body);
    });
  });
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const lanes = openLanes({
    isOpen: () => true,
    admits: () => true,
    answer: (_head, body, send) => {
      asked.push(body);
      return (answer ?? echo)(body, send);
    },
    hold: () => {
      held += 1;
      return () => {
        held -= 1;
      };
    },
    giveAway: (socket) => {
      given.push(socket);
      for (const listener of listeners) listener.call(server, socket);
    },
    keepAliveMs: 5_000,
    silenceMs,
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    lanes.open(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    lanes.stop();
    lanes.end();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, lanes, server, asked, byNode, given, held: () => held };
}

function echo(body: unknown, send: SendFast): true {
  send(1, `{"body":${JSON.stringify(body)},"id":`);
  return true;
}

const HEAD = 'POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ';

function post(body: unknown): string {
  const text = JSON.stringify(body);
  return `${HEAD}${text.length}\r\n\r\n${text}`;
}

/** The bodies of the answers in a text. */
function bodiesOf(text: string): string[] {
  return text
    .split('HTTP/1.1 200 OK\r\n')
    .slice(1)
    .map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

function fakeTime(): { advance: (ms: number) => void } {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return { advance: (ms) => void vi.advanceTimersByTime(ms) };
}

/** Lets everything come that is on its way between two ends of this process. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

const IS_ANSWERED = '{"body":1,"id":1}';

describe('a lane', () => {
  it('answers request after request, and gives none away', async () => {
    const { port, asked, given } = await serve();
    const { socket, received } = await openRaw(port);
    for (let turn = 1; turn <= 3; turn += 1) {
      socket.write(post(1));
      expect(bodiesOf(await received(turn))).toEqual(Array(turn).fill(IS_ANSWERED));
    }
    expect([asked, given]).toEqual([[1, 1, 1], []]);
  });

  it.each([
    ['one that is not plain', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', ['']],
    ['two at once', post(2) + post(3), ['2', '3']],
    ['a plain one and a half', `${post(2)}POST /mcp HTTP/1.1\r\n`, ['2']],
    ['one that is no JSON', `${HEAD}2\r\n\r\n{]`, ['{]']],
    ['one whose text is no UTF-8', Buffer.from(`${HEAD}3\r\n\r\n"\xff"`, 'latin1'), ['"\ufffd"']],
    ['an empty one', `${HEAD}0\r\n\r\n`, ['']],
    ['a line end and a request', `\r\n${post(2)}`, ['2']],
    ['a large one', post('x'.repeat(70_000)), [JSON.stringify('x'.repeat(70_000))]],
  ])('gives a connection away with %s, and for good', async (_what, bytes, bodies) => {
    const { port, asked, byNode, given } = await serve();
    const { socket, received } = await openRaw(port);
    socket.write(post(1));
    await received(1);
    socket.write(bytes);
    await received(1 + bodies.length);
    expect([asked, byNode]).toEqual([[1], bodies]);
    if (bodies.length > 0 && !String(bytes).endsWith('HTTP/1.1\r\n')) {
      socket.write(post(4));
      await received(2 + bodies.length);
      expect([asked, byNode]).toEqual([[1], [...bodies, '4']]);
    }
    expect(given.length).toBe(1);
  });

  it('leaves nothing of its own on a connection that it gives away', async () => {
    const bare = createServer();
    const { port, given, server } = await serve();
    const direct = new Promise<Socket>((resolve) => bare.on('connection', resolve));
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      bare.closeAllConnections();
      bare.close();
    });
    await openRaw((bare.address() as AddressInfo).port);
    const { socket } = await openRaw(port);
    socket.write(post(1).slice(0, 10));
    await settle();
    socket.write('\n');
    await until(() => given.length === 1);
    expect(server.listening).toBe(true);
    const [ours, theirs] = [given[0] as Socket, await direct];
    for (const event of ['data', 'end', 'error', 'close', 'timeout', 'drain', 'pause', 'resume'])
      expect([event, ours.listenerCount(event)]).toEqual([event, theirs.listenerCount(event)]);
  });

  it('puts a request together, wherever it is cut', async () => {
    const { port, asked, given } = await serve();
    const { socket, received } = await openRaw(port);
    const bytes = post({ a: 'b' });
    for (let at = 1; at < bytes.length; at += 1) {
      socket.write(bytes.slice(0, at));
      await new Promise<void>((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve) => setImmediate(resolve));
      socket.write(bytes.slice(at));
      await received(at);
    }
    expect(asked).toEqual(Array(bytes.length - 1).fill({ a: 'b' }));
    expect(given.length).toBe(0);
  });

  it('gives away a request that comes in more than eight parts', async () => {
    const { port, asked, byNode } = await serve();
    const { socket, received } = await openRaw(port);
    for (const character of post(1)) {
      socket.write(character);
      await new Promise<void>((resolve) => setImmediate(resolve));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await received(1);
    expect([asked, byNode]).toEqual([[], ['1']]);
  });

  it('gives away a head without end as soon as it is longer than a plain one', async () => {
    const { port, given } = await serve();
    const { socket, over } = await openRaw(port);
    socket.write(`${HEAD}1\r\nX: ${'x'.repeat(8_200)}`);
    await until(() => given.length === 1);
    socket.write('x'.repeat(20_000));
    expect(await over).toMatch(/^HTTP\/1.1 431 /);
  });
});

describe('the time of a lane', () => {
  it.each([
    ['nothing', ''],
    ['half a head', post(1).slice(0, 30)],
    ['half a body', post('abc').slice(0, -2)],
  ])('leaves a client that sends %s to the limits of Node', async (_what, bytes) => {
    const time = fakeTime();
    const { port, given } = await serve({ headersTimeout: 1 });
    const { socket, over, text } = await openRaw(port);
    socket.write(bytes);
    await settle();
    time.advance(900);
    expect(given.length).toBe(0);
    time.advance(1_100);
    expect(given.length).toBe(1);
    if (!bytes.includes('\r\n\r\n'))
      expect(await over).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
    else {
      socket.write('c"');
      await until(() => text().endsWith('"abc"'));
    }
  });

  it('counts from the first byte of a request, however slowly others follow', async () => {
    const time = fakeTime();
    const { port, given } = await serve();
    const { socket, received } = await openRaw(port);
    socket.write(post(1));
    await received(1);
    for (const byte of post(2).slice(0, 3)) {
      socket.write(byte);
      await settle();
      time.advance(900);
    }
    expect(given.length).toBe(1);
  });

  it('is not looked at any more once there is no lane', async () => {
    const time = fakeTime();
    const { port, given, asked } = await serve();
    expect(vi.getTimerCount()).toBe(0);
    const [away, left, reset] = [await openRaw(port), await openRaw(port), await openRaw(port)];
    away.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    left.socket.end(post(1));
    reset.socket.write(post(1));
    await until(() => given.length === 1 && asked.length === 2);
    expect(vi.getTimerCount()).toBe(1);
    reset.socket.resetAndDestroy();
    await left.over;
    await settle();
    time.advance(1_000);
    expect(vi.getTimerCount()).toBe(0);
    const { socket } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 3);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('ends a connection that was kept for as long as was said', async () => {
    const time = fakeTime();
    const { port } = await serve();
    const { socket, received, over } = await openRaw(port);
    for (let turn = 1; turn <= 3; turn += 1) {
      socket.write(post(1));
      await received(turn);
      time.advance(4_900);
    }
    await settle();
    expect(socket.readableEnded).toBe(false);
    time.advance(1_100);
    expect(bodiesOf(await over)).toEqual(Array(3).fill(IS_ANSWERED));
  });

  it('keeps a connection for as long after an answer that took long', async () => {
    const time = fakeTime();
    let release = (): void => undefined;
    const { port, asked } = await serve({
      answer: async (body, send) => {
        await new Promise<void>((resolve) => (release = resolve));
        return echo(body, send);
      },
    });
    const { socket, received, over } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 1);
    time.advance(60_000);
    release();
    await received(1);
    time.advance(4_900);
    socket.write(post(1));
    await until(() => asked.length === 2);
    release();
    await received(2);
    time.advance(6_100);
    expect(bodiesOf(await over)).toHaveLength(2);
  });

  it('keeps a connection for as long after a client took an answer late', async () => {
    const time = fakeTime();
    const large = Buffer.alloc(20_000_000, 'x');
    const { port, asked } = await serve({
      answer: (_body, send) => {
        send(1, large);
        return true;
      },
    });
    const { socket, receivedBytes } = await openRaw(port);
    socket.pause();
    socket.write(post(1));
    await until(() => asked.length === 1);
    time.advance(60_000);
    await settle();
    socket.resume();
    await receivedBytes(20_000_000);
    await settle();
    time.advance(4_900);
    await settle();
    socket.write(post(1));
    await until(() => asked.length === 2);
    await receivedBytes(40_000_000);
  });

  it('cuts off a client that takes nothing', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const { port, asked } = await serve({
      silenceMs: 50,
      answer: (_body, send) => {
        send(1, large);
        return true;
      },
    });
    const { socket, over } = await openRaw(port);
    socket.pause();
    socket.write(post(1));
    await until(() => asked.length === 1);
    await settle();
    await new Promise<void>((resolve) => setTimeout(resolve, 200));
    socket.resume();
    expect((await over).length).toBeLessThan(20_000_000);
  });
});

describe('an answer that a lane waits for', () => {
  interface Gate {
    readonly answer: Answer;
    /** Ends the wait of the oldest that waits. */
    readonly open: (isDone?: boolean) => void;
  }

  function gated(): Gate {
    const waiting: ((isDone: boolean) => void)[] = [];
    return {
      answer: async (body, send) => {
        const isDone = await new Promise<boolean>((resolve) => waiting.push(resolve));
        return isDone && echo(body, send);
      },
      open: (isDone = true) => waiting.shift()?.(isDone),
    };
  }

  it.each([
    ['a request of a lane', post(2), ['{"body":2,"id":1}'], [1, 2], []],
    ['a request of Node', 'PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n3', ['3'], [1], ['3']],
    ['two requests', post(2) + post(4), ['2', '4'], [1], ['2', '4']],
    ['a hundred requests', post(2).repeat(100), Array(100).fill('2'), [1], Array(100).fill('2')],
  ])('comes before that to %s behind it', async (_what, bytes, bodies, asked, byNode) => {
    const gate = gated();
    const served = await serve({ answer: gate.answer });
    const { socket, received, text } = await openRaw(served.port);
    socket.write(post(1));
    await until(() => served.asked.length === 1);
    socket.write(bytes);
    await settle();
    expect([text(), served.byNode, served.held()]).toEqual(['', [], 1]);
    gate.open();
    await until(() => served.asked.length === asked.length);
    await settle();
    gate.open();
    expect(bodiesOf(await received(1 + bodies.length))).toEqual([IS_ANSWERED, ...bodies]);
    expect([served.asked, served.byNode, served.held()]).toEqual([asked, byNode, 0]);
  });

  it('is given once by Node when the lane has none, before what is behind it', async () => {
    const gate = gated();
    const { port, asked, byNode, held } = await serve({ answer: gate.answer });
    const { socket, received } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 1);
    socket.write(post(2));
    await settle();
    gate.open(false);
    expect(bodiesOf(await received(2))).toEqual(['1', '2']);
    expect([asked, byNode, held()]).toEqual([[1], ['1', '2'], 0]);
  });

  it('is given by Node when the wait fails', async () => {
    const { port, byNode, held } = await serve({ answer: () => Promise.reject(new Error('gone')) });
    const { socket, received } = await openRaw(port);
    socket.write(post(1));
    expect(bodiesOf(await received(1))).toEqual(['1']);
    expect([byNode, held()]).toEqual([['1'], 0]);
  });

  it('is not kept from a client that sends no more', async () => {
    const gate = gated();
    const { port, asked } = await serve({ answer: gate.answer });
    const { socket, over } = await openRaw(port);
    socket.end(post(1));
    await until(() => asked.length === 1);
    await settle();
    gate.open();
    expect(bodiesOf(await over)).toEqual([IS_ANSWERED]);
  });

  it.each([
    ['another request', post(2), '{"body":2,"id":1}'],
    ['half a request', post(2).slice(0, 30), 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'],
  ])('comes before that to %s with which a client ends', async (_what, bytes, end) => {
    const gate = gated();
    const { port, asked } = await serve({ answer: gate.answer });
    const { socket, over } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 1);
    socket.end(bytes);
    await settle();
    gate.open();
    await settle();
    gate.open();
    const text = await over;
    expect(text).toContain(IS_ANSWERED);
    expect(text.endsWith(end)).toBe(true);
  });

  it('is dropped with its client', async () => {
    const gate = gated();
    const { port, asked, held, byNode } = await serve({ answer: gate.answer });
    const { socket } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 1);
    socket.resetAndDestroy();
    await settle();
    expect(held()).toBe(1);
    gate.open();
    await until(() => held() === 0);
    expect(byNode).toEqual([]);
  });

  it('holds up reading, so that no client fills the memory meanwhile', async () => {
    const gate = gated();
    const { port, asked, byNode } = await serve({ answer: gate.answer });
    const { socket, receivedBytes } = await openRaw(port);
    socket.write(post(1));
    await until(() => asked.length === 1);
    const behind = post('x'.repeat(1_000_000));
    for (let turn = 0; turn < 40; turn += 1) socket.write(behind);
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
    // The rest of 40 MB is with the client.
    expect(socket.writableLength).toBeGreaterThan(20_000_000);
    gate.open();
    await receivedBytes(40_000_000);
    await until(() => byNode.length === 40);
  });
});

/** Whether something comes within a second. */
async function comes(what: () => boolean): Promise<boolean> {
  for (let look = 0; look < 200 && !what(); look += 1)
    await new Promise<void>((resolve) => setTimeout(resolve, 5));
  return what();
}

describe('a client that takes no answers', () => {
  it('is not read any more, until it takes them', async () => {
    const large = Buffer.alloc(300_000, 'x');
    const { port, asked, byNode } = await serve({
      answer: (_body, send) => {
        send(1, large);
        return true;
      },
    });
    const { socket, receivedBytes } = await openRaw(port);
    socket.pause();
    // One at a time, as long as they are read: two that come in one piece are for Node.
    let sent = 0;
    for (let isRead = true; isRead && sent < 100; sent += 1) {
      socket.write(post(1));
      isRead = await comes(() => asked.length > sent);
    }
    for (; sent < 100; sent += 1) socket.write(post(1));
    await settle();
    // What the system takes of it, and one.
    const before = asked.length;
    expect(before).toBeLessThan(70);
    expect(byNode).toEqual([]);
    const other = await openRaw(port);
    other.socket.write(post(1));
    await other.received(1);
    socket.resume();
    await until(() => asked.length - 1 + byNode.length === 100);
    // Node's HTTP answers what came at once in the meantime, with fewer bytes.
    await receivedBytes((asked.length - 1) * 300_000);
  });
});

describe('the end of lanes', () => {
  it('ends idle ones, and gives away those with half a request', async () => {
    const { port, lanes, given } = await serve();
    const [idle, fresh, half] = [await openRaw(port), await openRaw(port), await openRaw(port)];
    idle.socket.write(post(1));
    await idle.received(1);
    half.socket.write(post(2).slice(0, 20));
    await settle();
    lanes.stop();
    expect(bodiesOf(await idle.over)).toEqual([IS_ANSWERED]);
    expect(await fresh.over).toBe('');
    expect(given.length).toBe(1);
    half.socket.write(post(2).slice(20));
    expect(bodiesOf(await half.received(1))).toEqual(['2']);
  });

  it('has no more, once it has begun', async () => {
    const { port, lanes, asked, byNode } = await serve();
    lanes.stop();
    const { socket, received } = await openRaw(port);
    socket.write(post(1));
    await received(1);
    expect([asked, byNode]).toEqual([[], ['1']]);
  });

  it('waits for a client that has yet to take its answer', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const { port, lanes, asked, held } = await serve({
      answer: (_body, send) => {
        send(1, large);
        return true;
      },
    });
    const { socket, over } = await openRaw(port);
    socket.pause();
    socket.write(post(1));
    await until(() => asked.length === 1);
    await settle();
    lanes.stop();
    lanes.stop();
    expect(held()).toBeGreaterThan(0);
    socket.resume();
    expect((await over).length).toBeGreaterThan(20_000_000);
    expect(held()).toBe(0);
  });

  it('waits no longer for a client that is gone', async () => {
    const large = Buffer.alloc(20_000_000, 'x');
    const { port, lanes, asked, held } = await serve({
      answer: (_body, send) => {
        send(1, large);
        return true;
      },
    });
    const { socket } = await openRaw(port);
    socket.pause();
    socket.write(post(1));
    await until(() => asked.length === 1);
    await settle();
    lanes.stop();
    expect(held()).toBeGreaterThan(0);
    socket.resetAndDestroy();
    await until(() => held() === 0);
  });

  it('survives what a client sends to a lane that has ended', async () => {
    const { port, lanes, given, asked } = await serve();
    const { socket, received, over } = await openRaw(port);
    socket.write(post(1));
    await received(1);
    // In the same turn, so that the request is on its way when the lane ends.
    socket.write(post(2));
    lanes.stop();
    await over;
    expect([given, asked]).toEqual([[], [1]]);
  });

  it('listens for the error of a connection that fails while lanes stop', async () => {
    const { port, lanes, given, server } = await serve();
    const failing = new Promise<Socket>((resolve) => server.on('connection', resolve));
    const { socket } = await openRaw(port);
    socket.write(post(1).slice(0, 20));
    const inLane = await failing;
    await settle();
    const closed = new Promise<void>((resolve) => inLane.on('close', () => resolve()));
    inLane.destroy(new Error('reset'));
    // Its error comes in the next turn; unheard it would end the process.
    lanes.stop();
    await closed;
    expect(given.length).toBe(0);
  });
});
