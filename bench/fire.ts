import { connect, type Socket } from 'node:net';
import { answerLength } from './http-answer.ts';
import { quantile } from './median.ts';

/** What a round of requests gave. */
export interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the last answer, headers included. */
  readonly bytes: number;
  /** Answers in all, those of the warm-up too. */
  readonly answers: number;
}

/** How a round is run. */
export interface FireOptions {
  readonly connections: number;
  /** Uncounted, at first. */
  readonly warmMs: number;
  /** Counted. */
  readonly ms: number;
}

/** How much longer than planned an answer may take before the round fails. */
const PATIENCE_MS = 60_000;

/**
 * Sends `messages` in turn, over and over, on kept connections, one request at a time on each, and measures what comes back.
 * Errors: an answer that is none, a connection that ends, a server that does not answer.
 */
export async function fire(url: string, messages: readonly Buffer[], options: FireOptions): Promise<Round> {
  const from = performance.now() + options.warmMs;
  const until = from + options.ms;
  const times: number[] = [];
  let [turn, bytes, answers, last] = [0, 0, 0, 0];
  await exchange(url, options.connections, options.warmMs + options.ms, {
    next: () => {
      if (performance.now() >= until) return undefined;
      turn = (turn + 1) % messages.length;
      return messages[turn];
    },
    heard: (sent, length) => {
      const now = performance.now();
      answers += 1;
      bytes = length;
      // A server so slow that nothing came in time is counted by its first answers.
      if (now < from || (now >= until && times.length >= options.connections)) return;
      times.push(now - sent);
      last = now;
    },
  });
  if (times.length === 0) throw new Error(`no answer from ${url}`);
  return {
    perSecond: times.length / (Math.max(options.ms, last - from) / 1_000),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    bytes,
    answers,
  };
}

/** Sends each message once on kept connections and gives the time that took in ms. */
export async function fireOnce(
  url: string,
  messages: readonly Buffer[],
  connections: number,
): Promise<number> {
  const begun = performance.now();
  let turn = 0;
  await exchange(url, connections, 0, { next: () => messages[turn++], heard: () => undefined });
  return performance.now() - begun;
}

/** One message on a connection of its own, and the bytes of its answer. */
export async function ask(url: string, message: Buffer): Promise<Buffer> {
  let asked = false;
  let answer = Buffer.alloc(0);
  await exchange(url, 1, 0, {
    next: () => {
      if (asked) return undefined;
      asked = true;
      return message;
    },
    heard: (_sent, _length, data) => {
      answer = Buffer.from(data);
    },
  });
  return answer;
}

/** Gives the messages and hears the answers of {@link exchange}. */
interface Turns {
  /** The next message, or undefined when there is no more. */
  next(): Buffer | undefined;
  heard(sentAt: number, length: number, data: Buffer): void;
}

/** What most answers fit into. */
const ROOM = 262_144;

/** Keeps `connections` busy until there are no more messages. */
async function exchange(url: string, connections: number, plannedMs: number, turns: Turns): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      // The same room for all answers: one of its own for each has whoever asks collect garbage, and the server wait for it.
      let room = Buffer.allocUnsafeSlow(ROOM);
      let filled = 0;
      let sent = 0;
      let over = false;
      const free = (): Buffer => {
        if (filled === room.length) room = Buffer.concat([room], 2 * filled);
        return room.subarray(filled);
      };
      const take = (bytes: number): boolean => {
        filled += bytes;
        const data = room.subarray(0, filled);
        try {
          const length = answerLength(data);
          if (length !== undefined) {
            filled = 0;
            turns.heard(sent, length, data);
            send();
          }
        } catch (error) {
          reject(error as Error);
        }
        return true;
      };
      const socket = connect({
        port: Number(port),
        host: hostname,
        onread: { buffer: free, callback: take },
      });
      sockets.push(socket);
      const send = (): void => {
        const message = turns.next();
        if (message === undefined) {
          over = true;
          socket.destroy();
          resolve();
          return;
        }
        sent = performance.now();
        socket.write(message);
      };
      socket.setNoDelay(true);
      socket.once('connect', send);
      socket.once('error', reject);
      socket.once('close', () => over || reject(new Error(`${url} ended a connection`)));
    });
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      Promise.all(Array.from({ length: connections }, one)),
      new Promise((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`${url} does not answer`)), plannedMs + PATIENCE_MS);
      }),
    ]);
  } finally {
    clearTimeout(timer);
    for (const socket of sockets) socket.destroy();
  }
}
