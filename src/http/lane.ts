/**
 * Connections that are answered without Node's HTTP for as long as they ask nothing but plain, prepared things.
 *
 * @module
 */
import type { Socket } from 'node:net';
import { parseJson } from './body.ts';
import type { SendFast } from './fast.ts';
import { writePlainAnswer } from './plain-answer.ts';
import { mayBecomePlain, PLAIN_HEAD_BYTES, type PlainHead, plainHead } from './plain-head.ts';

/** What judges and answers the requests of a lane. */
export interface LaneRequests {
  /** Whether new connections may have a lane. */
  isOpen(): boolean;
  /** Whether a request with this head would pass guard and token check; the same head is asked about once in a row. */
  admits(head: PlainHead): boolean;
  /** Answers by `send` and says that it did, or leaves the request to Node's HTTP. */
  answer(head: PlainHead, body: unknown, send: SendFast): boolean | Promise<boolean>;
  /** Called when an answer has to be waited for, or a client has yet to take it; what it returns is called once it is there. */
  hold(): () => void;
}

/** Options of {@link openLanes}. */
export interface LaneOptions extends LaneRequests {
  /** Gives a connection to Node's HTTP. */
  readonly giveAway: (socket: Socket) => void;
  /** A connection without a request is kept this long after an answer, ms. */
  readonly keepAliveMs: number;
  /** A client that takes nothing of its answers is cut off after this, ms. */
  readonly silenceMs: number;
}

/** All lanes of a server. */
export interface Lanes {
  /** Opens a lane for a new connection. */
  open(socket: Socket): void;
  /** Takes no request any more: idle lanes end now, others with the answer they wait for. */
  stop(): void;
  /** Cuts every lane off. */
  end(): void;
}

const HEAD_END = Buffer.from('\r\n\r\n');
/** More of a request than this is for Node's HTTP to collect. */
const MOST_BYTES = 65_536;
/** What has not become a request after so many parts, or after this time, Node's HTTP waits for. */
const MOST_PARTS = 8;
const SWEEP_MS = 1_000;
/** Answers that a client has not taken; beyond it nothing is read of it. */
const UNTAKEN_BYTES = 65_536;
const NOTHING = Buffer.alloc(0);

/**
 * Lanes: each begins with a connection and answers its requests while every one is plain, is admitted and has a prepared
 * answer. The first that is not goes to Node's HTTP as it came, bytes and all, and the connection with it, for good. So there
 * is one place that refuses, and a lane can do nothing but say what Node's HTTP would have said.
 *
 * @example
 * const lanes = openLanes({ admits, answer, hold, giveAway, keepAliveMs: 5_000, silenceMs: 120_000 })
 * server.on('connection', (socket) => lanes.open(socket))
 */
export function openLanes(options: LaneOptions): Lanes {
  const open = new Set<Lane>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweep = (): void => {
    const now = performance.now();
    for (const lane of [...open]) lane.sweep(now);
    if (open.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    open(socket) {
      if (stopped || !options.isOpen()) {
        options.giveAway(socket);
        return;
      }
      const lane = new Lane(socket, options, () => open.delete(lane));
      open.add(lane);
      timer ??= setInterval(sweep, SWEEP_MS).unref();
    },
    stop() {
      stopped = true;
      clearInterval(timer);
      for (const lane of [...open]) lane.stop();
    },
    end() {
      for (const lane of [...open]) lane.end();
    },
  };
}

class Lane {
  readonly #socket: Socket;
  readonly #options: LaneOptions;
  readonly #left: () => void;
  readonly #send: SendFast;
  /** The head that was admitted last, as text and as what it says: clients send the same one each time. */
  #usual = '';
  #admitted: PlainHead | undefined;
  /** The beginning of a request, or what came while an answer was waited for. */
  #rest: Buffer = NOTHING;
  #parts = 0;
  #waits = false;
  #stopped = false;
  #hasAnswered = false;
  /** When the connection, the beginning of a request or the last answer came, whichever was last. */
  #movedAt: number = performance.now();

  constructor(socket: Socket, options: LaneOptions, left: () => void) {
    this.#socket = socket;
    this.#options = options;
    this.#left = left;
    this.#send = (id, head) => {
      if (socket.destroyed) return;
      const { keepAliveMs } = options;
      // It is the head of what is answered: nothing else is read before.
      writePlainAnswer(socket, id, head, { keepAliveMs, inGzip: this.#admitted?.inGzip === true });
    };
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    socket.setTimeout(options.silenceMs, this.#onError);
  }

  /** Ends a connection that was kept long enough; one that has not asked anything by now is not worth a lane. */
  sweep(now: number): void {
    const socket = this.#socket;
    if (this.#waits || socket.writableEnded) return;
    const idleMs = now - this.#movedAt;
    if (this.#rest.length > 0 || !this.#hasAnswered) {
      if (idleMs >= SWEEP_MS) this.#giveAway(this.#rest);
    } else if (socket.writableLength > 0) this.#movedAt = now;
    else if (idleMs > this.#options.keepAliveMs) socket.destroy();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#waits) return;
    if (this.#rest.length > 0) this.#giveAway(this.#rest);
    else this.#finish();
  }

  end(): void {
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    const isFirst = this.#rest.length === 0;
    // Of a request that comes in parts the first counts, or a slow one would never be given to Node's HTTP with its limits.
    if (isFirst) this.#movedAt = performance.now();
    const all = isFirst ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#waits) {
      this.#take(all);
      return;
    }
    this.#rest = all;
    this.#socket.pause();
  };

  readonly #onEnd = (): void => {
    if (this.#waits) return;
    if (this.#rest.length > 0) this.#giveAway(this.#rest);
    else this.#finish();
  };

  readonly #onError = (): void => {
    this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.#left();
  };

  /** Answers the request that `bytes` are, or waits for the rest of it, or gives it away. */
  #take(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END);
    const head = end === -1 || this.#stopped ? undefined : this.#headOf(bytes.toString('latin1', 0, end));
    const from = end + HEAD_END.length;
    if (head === undefined || bytes.length < from + head.length) {
      if (end === -1 || head !== undefined) this.#awaitMore(bytes, head ? MOST_BYTES : PLAIN_HEAD_BYTES);
      else this.#giveAway(bytes);
      return;
    }
    // More than one request at once is for Node's HTTP, which answers them in order.
    const body = bytes.length > from + head.length ? undefined : parseJson(bytes.subarray(from));
    if (body === undefined || 'refusal' in body) {
      this.#giveAway(bytes);
      return;
    }
    this.#rest = NOTHING;
    this.#parts = 0;
    const answered = this.#options.answer(head, body.value, this.#send);
    if (answered === true) this.#afterAnswer();
    else if (answered === false) this.#giveAway(bytes);
    else this.#await(answered, bytes);
  }

  #headOf(text: string): PlainHead | undefined {
    if (this.#admitted !== undefined && text === this.#usual) return this.#admitted;
    const head = plainHead(text);
    if (head === undefined || head.length > MOST_BYTES || !this.#options.admits(head)) return undefined;
    this.#usual = text;
    this.#admitted = head;
    return head;
  }

  #awaitMore(bytes: Buffer, mostBytes: number): void {
    this.#parts += 1;
    const mayCome = !this.#stopped && !this.#socket.readableEnded && this.#parts <= MOST_PARTS;
    if (mayCome && bytes.length <= mostBytes && mayBecomePlain(bytes)) this.#rest = bytes;
    else this.#giveAway(bytes);
  }

  #await(answered: Promise<boolean>, bytes: Buffer): void {
    this.#waits = true;
    const release = this.#options.hold();
    const goOn = (isDone: boolean): void => {
      this.#waits = false;
      this.#movedAt = performance.now();
      const rest = this.#rest;
      this.#rest = NOTHING;
      if (!this.#socket.destroyed) {
        if (rest.length > 0) this.#socket.resume();
        if (!isDone) this.#giveAway(rest.length === 0 ? bytes : Buffer.concat([bytes, rest]));
        else if (rest.length === 0) this.#afterAnswer();
        else {
          this.#hasAnswered = true;
          this.#take(rest);
        }
      }
      release();
    };
    answered.then(goOn, () => goOn(false));
  }

  #afterAnswer(): void {
    const socket = this.#socket;
    this.#hasAnswered = true;
    if (this.#stopped || socket.readableEnded) this.#finish();
    else if (socket.writableLength > UNTAKEN_BYTES && socket.writableNeedDrain) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
  }

  #finish(): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    socket.off('data', this.#onData);
    this.#holdUntaken();
    socket.end(() => socket.destroy());
  }

  /** Has a shutdown wait until the client took what is written. */
  #holdUntaken(): void {
    if (this.#socket.writableLength > 0) this.#socket.write('', this.#options.hold());
  }

  #giveAway(bytes: Buffer): void {
    const socket = this.#socket;
    // Its error may be yet to come, and nobody but the lane listens for it.
    if (socket.destroyed) return;
    this.#left();
    this.#rest = NOTHING;
    this.#admitted = undefined;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    socket.setTimeout(0, this.#onError);
    this.#holdUntaken();
    this.#options.giveAway(socket);
    if (bytes.length > 0) socket.emit('data', bytes);
    // Heard already, by us.
    if (socket.readableEnded && !socket.destroyed) socket.emit('end');
  }
}
