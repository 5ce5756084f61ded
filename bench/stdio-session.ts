import type { ChildProcess } from 'node:child_process';
import { start } from './child.ts';
import { type Call, type Era, jsonOf } from './message.ts';

/** What a round over stdio gave. */
export interface StdioRound {
  readonly perSecond: number;
  readonly bytes: number;
  readonly answers: number;
}

/** Requests that are under way at once; with half as many, who asks and who answers wait for each other in turns. */
const DEPTH = 32;
const PATIENCE_MS = 30_000;
const NEWLINE = 10;
/** The protocol version that a client of the legacy era asks for. */
const LEGACY_REVISION = '2025-11-25';
/** All ids have four digits, so that all answers are as long as each other. */
const FIRST_ID = 1_000;
const IDS = 9_000;

/** A client of a server over its stdin and stdout that does nothing but write lines and count them. */
export class StdioSession {
  readonly #child: ChildProcess;
  readonly #era: Era;
  readonly #ended: Promise<void>;
  #hear: (line: Buffer) => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;
  #rest: Buffer = Buffer.alloc(0);
  #said = '';
  #lines: string[] = [];

  private constructor(child: ChildProcess, era: Era) {
    this.#child = child;
    this.#era = era;
    this.#ended = new Promise((resolve) => child.once('close', () => resolve()));
    child.stderr?.on('data', (data: Buffer) => {
      this.#said = (this.#said + data.toString()).slice(-2_000);
    });
    child.stdout?.on('data', (data: Buffer) => this.#take(data));
    child.once('error', (error) => this.#fail(error));
    void this.#ended.then(() => this.#fail(new Error(`the server ended: ${this.#said}`)));
  }

  /** Starts a server and, in the legacy era, shakes hands with it. */
  static async open(args: readonly string[], era: Era, env: NodeJS.ProcessEnv = {}): Promise<StdioSession> {
    const session = new StdioSession(start(process.execPath, args, env), era);
    if (era === 'legacy') {
      await session.ask({
        method: 'initialize',
        params: {
          protocolVersion: LEGACY_REVISION,
          capabilities: {},
          clientInfo: { name: 'bench', version: '1.0.0' },
        },
      });
      session.#child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    }
    return session;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The answer to one request. Errors: it has no result. */
  async ask(call: Call): Promise<string> {
    const answer = await this.#within(
      new Promise<Buffer>((resolve, reject) => {
        this.#hear = resolve;
        this.#fail = reject;
        this.#child.stdin?.write(`${jsonOf(call, FIRST_ID, this.#era)}\n`);
      }),
      PATIENCE_MS,
    );
    const text = answer.toString('utf8');
    if (!text.includes('"result"')) throw new Error(`${call.method} is answered with ${text.slice(0, 400)}`);
    return text;
  }

  /** Keeps requests under way: `warmMs` uncounted, then `ms` counted. Errors: an answer that differs from the first. */
  async fire(call: Call, warmMs: number, ms: number): Promise<StdioRound> {
    const bytes = Buffer.byteLength(await this.ask(call));
    const messages = Array.from({ length: IDS }, (_, at) => `${jsonOf(call, FIRST_ID + at, this.#era)}\n`);
    const from = performance.now() + warmMs;
    const until = from + ms;
    let [turn, open, answers, counted] = [0, 0, 0, 0];
    const send = (): void => {
      open += 1;
      this.#write(messages[turn++ % IDS] as string);
    };
    await this.#within(
      new Promise<void>((resolve, reject) => {
        this.#fail = reject;
        this.#hear = (line) => {
          if (line.length !== bytes)
            reject(new Error(`${call.method} is answered with ${line.toString('utf8', 0, 400)}`));
          const now = performance.now();
          open -= 1;
          answers += 1;
          if (now >= from && now < until) counted += 1;
          if (now < until) send();
          else if (open === 0) resolve();
        };
        for (let at = 0; at < DEPTH; at++) send();
      }),
      warmMs + ms + PATIENCE_MS,
    );
    return { perSecond: counted / (ms / 1_000), bytes, answers };
  }

  async close(): Promise<void> {
    this.#fail = () => undefined;
    this.#child.stdin?.end();
    const hard = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.#ended;
    clearTimeout(hard);
  }

  /** What is written in one turn leaves in one piece: the client must cost less than what it measures. */
  #write(line: string): void {
    if (this.#lines.length === 0)
      queueMicrotask(() => {
        this.#child.stdin?.write(this.#lines.join(''));
        this.#lines = [];
      });
    this.#lines.push(line);
  }

  #take(data: Buffer): void {
    const all = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    let from = 0;
    for (let at = all.indexOf(NEWLINE); at !== -1; at = all.indexOf(NEWLINE, from)) {
      const line = all.subarray(from, at);
      from = at + 1;
      this.#hear(line);
    }
    this.#rest = all.subarray(from);
  }

  async #within<T>(work: Promise<T>, ms: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`the server does not answer: ${this.#said}`)), ms);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
