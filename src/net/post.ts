/**
 * A POST over connections of ours whose answer is taken whole where that is wanted: without the streams of `fetch`, which
 * cost more than everything else about a small answer.
 *
 * @module
 */
import type { Dispatcher } from 'undici';
import { MAX_TIMER_MS } from '../clock.ts';
import { ACCEPT_ENCODING, codingsOf, decodeStream, decodeWhole } from './decode.ts';

/** What is posted, and how much of an answer is taken. */
export interface Post {
  readonly headers: Headers;
  readonly body: string;
  readonly signal?: AbortSignal | null | undefined;
  /** From the call to the last byte of the answer; Infinity: no limit. What it throws is what `AbortSignal.timeout` does. */
  readonly timeoutMs: number;
  /** Whether the answer is wanted whole. */
  readonly whole: (status: number, headers: Headers) => boolean;
  /** Bytes of an answer that is taken whole, as sent and decoded; Infinity: no cap. */
  readonly maxBytes: number;
  /** What a larger one fails with. */
  readonly tooLarge: () => Error;
}

/** An answer. */
export interface Posted {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** Decoded; the bytes of one that was wanted whole, a stream of any other, null where the status allows none. */
  readonly body: Buffer | ReadableStream<Uint8Array> | null;
}

/**
 * What came of a POST. Redirects are answers like any other.
 *
 * Errors: as of `fetch`: the reason of the signal, else a `TypeError` with what happened as its `cause`; for a body that
 * is streamed, the stream has them. That of `tooLarge`.
 *
 * @example
 * const { status, body } = await postOver(dispatcher, url, post)
 */
export async function postOver(dispatcher: Dispatcher, url: URL, post: Post): Promise<Posted> {
  post.signal?.throwIfAborted();
  const exchange = new Exchange(post);
  const headers: string[] = ['accept-encoding', ACCEPT_ENCODING, 'accept-language', '*'];
  for (const [name, value] of post.headers) if (!OURS.has(name)) headers.push(name, value);
  if (!post.headers.has('user-agent')) headers.push('user-agent', 'undici');
  const path = url.search === '' ? url.pathname : url.pathname + url.search;
  dispatcher.dispatch({ origin: url.origin, path, method: 'POST', headers, body: post.body }, exchange);
  const { body, ...head } = await exchange.posted;
  const codings = codingsOf(head.headers.get('content-encoding')) ?? [];
  if (body === null || codings.length === 0) return { ...head, body };
  if (body instanceof ReadableStream) return { ...head, body: decodeStream(body, codings) };
  try {
    return { ...head, body: await decodeWhole(body, codings, post.maxBytes) };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw post.tooLarge();
    throw asOfFetch('terminated', cause);
  }
}

/** Headers that belong to the connection or that are set here. */
const OURS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'accept-language',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);
const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

type Controller = Dispatcher.DispatchController;

/** One request on its way, called by the library for connections as things happen. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly posted: Promise<Posted>;
  readonly #post: Post;
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve: (posted: Posted) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #controller: Controller | undefined;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  #head: Omit<Posted, 'body'> | undefined;
  #chunks: Buffer[] | undefined;
  #bytes = 0;
  /** Set once it was ended from this side. */
  #ended: { readonly reason: unknown } | undefined;

  constructor(post: Post) {
    this.#post = post;
    this.posted = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { timeoutMs, signal } = post;
    if (timeoutMs !== Number.POSITIVE_INFINITY)
      this.#timer = setTimeout(this.#expire, Math.min(timeoutMs, MAX_TIMER_MS)).unref();
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    // It may have been ended while it waited for a connection.
    if (this.#ended !== undefined) controller.abort(asError(this.#ended.reason));
  }

  onResponseStart(
    _: Controller,
    status: number,
    fields: Readonly<Record<string, string | string[] | undefined>>,
    statusText = '',
  ): void {
    // What comes before the answer is none.
    if (status < 200) return;
    const headers = headersOf(fields);
    const head = { status, statusText, headers };
    const { maxBytes, whole, tooLarge } = this.#post;
    if (BODYLESS.has(status)) {
      this.#resolve({ ...head, body: null });
    } else if (codingsOf(headers.get('content-encoding')) === undefined) {
      this.#end(asOfFetch('fetch failed', new Error('the answer was compressed too many times over')));
    } else if (whole(status, headers)) {
      if (Number(headers.get('content-length') ?? 0) > maxBytes) {
        this.#end(tooLarge());
        return;
      }
      this.#head = head;
      this.#chunks = [];
    } else this.#resolve({ ...head, body: this.#streamed() });
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    // The parser gives nothing once it is resumed with nothing to read; passing that on would ask it again without end.
    if (this.#ended !== undefined || chunk.length === 0) return;
    if (this.#chunks !== undefined) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#post.maxBytes) this.#end(this.#post.tooLarge());
      else this.#chunks.push(chunk);
    } else if (this.#stream !== undefined) {
      this.#stream.enqueue(chunk);
      if ((this.#stream.desiredSize ?? 0) <= 0) controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#release();
    if (this.#ended !== undefined) return;
    if (this.#head !== undefined && this.#chunks !== undefined) {
      const [only] = this.#chunks;
      const body =
        this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#bytes);
      this.#resolve({ ...this.#head, body });
    }
    this.#stream?.close();
  }

  onResponseError(_: Controller, cause: Error): void {
    this.#release();
    if (this.#ended !== undefined) return;
    const came = this.#head !== undefined || this.#stream !== undefined;
    this.#fail(asOfFetch(came ? 'terminated' : 'fetch failed', cause));
  }

  #streamed(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#stream = stream;
      },
      pull: () => this.#controller?.resume(),
      cancel: (reason) => {
        this.#stream = undefined;
        this.#end(reason);
      },
    });
  }

  readonly #abort = (): void => this.#end(this.#post.signal?.reason);
  readonly #expire = (): void =>
    this.#end(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));

  #end(reason: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { reason };
    this.#release();
    this.#fail(reason);
    this.#controller?.abort(asError(reason));
  }

  #fail(error: unknown): void {
    this.#stream?.error(error);
    // Does nothing where there was an answer.
    this.#reject(error);
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#post.signal?.removeEventListener('abort', this.#abort);
  }
}

function headersOf(fields: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    if (typeof value === 'string') headers.append(name, value);
    else if (value !== undefined) for (const each of value) headers.append(name, each);
  }
  return headers;
}

/** Those who call a `fetch` tell its failures apart by this, and turn them into errors with a code. */
function asOfFetch(message: 'fetch failed' | 'terminated', cause: unknown): TypeError {
  return new TypeError(message, { cause });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('the request was ended', { cause: reason });
}
