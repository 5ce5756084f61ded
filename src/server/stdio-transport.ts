/**
 * The transport of one stdio connection.
 *
 * @module
 */
import type { Readable, Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { ERROR_TABLE } from '../errors.ts';
import { StdioLines } from './stdio-lines.ts';
import type { StdioShortcut } from './stdio-shortcut.ts';

/** Options of {@link StdioTransport}. */
export interface StdioTransportOptions {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** A response larger than this is answered with `RESPONSE_TOO_LARGE`: the official client dies of it. */
  readonly maxResponseBytes: number;
  /** How long requests under way may take to end after stdin did, in ms. */
  readonly drainMs: number;
  /** Answers some requests without the SDK. @default all go to the SDK */
  readonly shortcut?: StdioShortcut;
  /** Told when a line is too long to be read, which ends the connection. */
  readonly onOverflow?: (error: Error) => void;
}

type RequestId = string | number;

/**
 * One connection over a pair of streams: a message a line.
 *
 * Unlike the SDK's own transport it answers what was asked before stdin ended, keeps responses under the size that
 * clients read, and says when everything is written (`finished`).
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Called once nothing is under way any more after stdin ended or {@link drain}; absent: the connection closes then. */
  ondrained?: () => void;
  /** Resolves when the connection is over and what was written has left the process, or cannot. Never rejects. */
  readonly finished: Promise<void>;

  readonly #options: StdioTransportOptions;
  readonly #lines = new StdioLines(STDIO_DEFAULT_MAX_BUFFER_SIZE);
  readonly #open = new Set<RequestId>();
  #state: 'new' | 'open' | 'draining' | 'closed' = 'new';
  /** Answers to what came in one piece: they go out in one piece too. */
  #ready: (string | Buffer)[] = [];
  #writing = 0;
  #writable = true;
  #drained = false;
  #drainTimer: NodeJS.Timeout | undefined;
  #finish: () => void = () => undefined;

  constructor(options: StdioTransportOptions) {
    this.#options = options;
    this.finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  async start(): Promise<void> {
    const { stdin, stdout } = this.#options;
    this.#state = 'open';
    stdout.on('error', this.#onStdoutError);
    stdout.on('close', this.#onStdoutClose);
    stdin.on('error', this.#onStdinError);
    stdin.on('end', this.#onStdinEnd);
    stdin.on('close', this.#onStdinEnd);
    stdin.on('data', this.#onData);
    if (stdin.readableEnded || stdin.destroyed) setImmediate(this.#onStdinEnd);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const line = this.#lineOf(message);
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (message.id !== undefined) this.#open.delete(message.id);
      this.#options.shortcut?.answered(message.id, isJSONRPCResultResponse(message));
    }
    return this.#write(line);
  }

  #write(line: string | Buffer): Promise<void> {
    this.#flush();
    return this.#writeNow(line, 'utf8');
  }

  #flush(): void {
    const ready = this.#ready;
    if (ready.length === 0) return;
    this.#ready = [];
    // Texts of prepared answers are ASCII alone.
    if (ready.every((line) => typeof line === 'string')) void this.#writeNow(ready.join(''), 'latin1');
    else void this.#writeNow(Buffer.concat(ready.map((line) => Buffer.from(line))), 'utf8');
  }

  #writeNow(line: string | Buffer, encoding: 'latin1' | 'utf8'): Promise<void> {
    if (this.#state === 'closed' || !this.#writable) {
      this.#closeWhenDrained();
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#writing += 1;
      // The callback comes on an error too, which `#onStdoutError` deals with: nobody reads any more.
      this.#options.stdout.write(line, encoding, () => {
        this.#writing -= 1;
        resolve();
        this.#closeWhenDrained();
        this.#finishWhenWritten();
      });
    });
  }

  /** Lets the requests under way end within `drainMs`, takes no more, then closes. Twice is fine. */
  drain(): void {
    if (this.#state !== 'open') return;
    this.#flush();
    this.#state = 'draining';
    this.#stopReading();
    this.#drainTimer = setTimeout(() => void this.close(), this.#options.drainMs);
    this.#closeWhenDrained();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#flush();
    this.#state = 'closed';
    clearTimeout(this.#drainTimer);
    this.#stopReading();
    this.#lines.clear();
    this.#open.clear();
    this.#finishWhenWritten();
    // Somebody who keeps the pipe open without reading it must not keep this process.
    if (this.#writing > 0) this.#drainTimer = setTimeout(this.#finish, this.#options.drainMs);
    this.onclose?.();
  }

  #lineOf(message: JSONRPCMessage): string {
    const line = serializeMessage(message);
    const limit = this.#options.maxResponseBytes;
    if (!isJSONRPCResultResponse(message) || line.length * 3 <= limit) return line;
    const actual = Buffer.byteLength(line);
    if (actual <= limit) return line;
    return serializeMessage({
      jsonrpc: '2.0',
      id: message.id,
      error: {
        code: ERROR_TABLE.RESPONSE_TOO_LARGE.rpc,
        message: `the response has ${actual} bytes; this transport carries ${limit}`,
        data: { code: 'RESPONSE_TOO_LARGE', limit, actual },
      },
    });
  }

  readonly #onData = (chunk: Buffer): void => {
    let lines: readonly string[];
    try {
      lines = this.#lines.take(chunk);
    } catch (error) {
      // One line of more than 10 MiB: where it ends is unknown, so nothing after it can be read.
      const known = error instanceof Error ? error : new Error('the connection failed');
      this.#options.onOverflow?.(known);
      this.#report(known);
      void this.close();
      return;
    }
    for (const line of lines) this.#receive(line);
    this.#flush();
  };

  #receive(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // Such as what a program printed that should have held its tongue.
      return;
    }
    const short = this.#options.shortcut?.answer(value, this.#options.maxResponseBytes);
    if (short === undefined) this.#deliver(value);
    else if (short.line instanceof Promise) void this.#answerLater(value, short.id, short.line);
    else this.#ready.push(short.line);
  }

  /** Like a request that the SDK answers: it holds the connection open, and one that was cancelled is not answered. */
  async #answerLater(value: unknown, id: RequestId, line: Promise<string | Buffer>): Promise<void> {
    this.#open.add(id);
    let answer: string | Buffer;
    try {
      answer = await line;
    } catch {
      if (this.#open.delete(id)) this.#deliver(value);
      return;
    }
    if (this.#open.delete(id)) await this.#write(answer);
    else this.#closeWhenDrained();
  }

  #deliver(value: unknown): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch (error) {
      this.#report(error);
      return;
    }
    this.#track(message);
    this.#options.shortcut?.passed(message);
    this.onmessage?.(message);
  }

  #track(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) {
      // A listen request is answered when its stream ends, so it is not work under way.
      if (message.method !== 'subscriptions/listen') this.#open.add(message.id);
      return;
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') this.#open.delete(id);
    }
  }

  readonly #onStdinEnd = (): void => this.drain();
  readonly #onStdinError = (error: Error): void => {
    this.#report(error);
    this.drain();
  };
  readonly #onStdoutError = (error: Error): void => {
    this.#writable = false;
    this.#report(error);
    void this.close();
  };
  readonly #onStdoutClose = (): void => {
    this.#writable = false;
    void this.close();
  };

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error('the connection failed'));
  }

  #stopReading(): void {
    const { stdin } = this.#options;
    stdin.off('data', this.#onData);
    stdin.off('end', this.#onStdinEnd);
    stdin.off('close', this.#onStdinEnd);
    stdin.pause();
  }

  #closeWhenDrained(): void {
    if (this.#state !== 'draining' || this.#drained || this.#open.size > 0 || this.#writing > 0) return;
    this.#drained = true;
    if (this.ondrained === undefined) void this.close();
    else this.ondrained();
  }

  #finishWhenWritten(): void {
    if (this.#state !== 'closed' || (this.#writing > 0 && this.#writable)) return;
    clearTimeout(this.#drainTimer);
    this.#finish();
  }
}
