/**
 * The body of a response: capped while it arrives, checked against the length that was announced, read once.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { Deadline } from './deadline.ts';
import { netError, printableUrl, refusal } from './net-error.ts';
import type { RawResponse } from './transport.ts';

/** A body to be read once, by iterating or by {@link NetBody.bytes}. */
export interface NetBody {
  readonly body: AsyncIterable<Buffer>;
  bytes(): Promise<Buffer>;
  discard(): void;
}

/** What reading a body needs to know. */
export interface BodyContext {
  readonly url: URL;
  /** Bytes; Infinity for no cap. */
  readonly cap: number;
  /** Bytes announced for this body; undefined when nothing was or does not hold for it. */
  readonly announced: number | undefined;
  /** Whether there is no body to read, whatever the headers announce: an answer to HEAD, or 304. */
  readonly bodyless: boolean;
  readonly deadline: Deadline;
  /** Called once, when the body is read, broken, left or discarded. */
  readonly finished: () => void;
}

/**
 * Reads nothing yet. A body of no bytes must be read or discarded like any other.
 *
 * Errors while reading: `NET_TOO_LARGE` with the first byte too many, `NET_FAILED` for a body that ends early or late,
 * `NET_TIMEOUT`, and the reason of the caller's signal.
 */
export function cappedBody(raw: RawResponse, context: BodyContext): NetBody {
  let touched = false;
  let ended = false;
  const finish = (): void => {
    if (ended) return;
    ended = true;
    raw.destroy();
    context.deadline.end();
    context.finished();
  };
  const body: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator](): AsyncGenerator<Buffer> {
      if (touched) {
        throw new SkillError(
          'NET_FAILED',
          `the body of ${printableUrl(context.url)} was read or discarded before`,
        );
      }
      touched = true;
      return readCapped(raw, context, finish);
    },
  };
  return {
    body,
    async bytes(): Promise<Buffer> {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    discard(): void {
      touched = true;
      finish();
    },
  };
}

async function* readCapped(
  raw: RawResponse,
  context: BodyContext,
  finish: () => void,
): AsyncGenerator<Buffer> {
  const { announced, cap, deadline, url } = context;
  let received = 0;
  try {
    while (!context.bodyless) {
      const next = await deadline.until(raw.chunks.next());
      if (next.done === true) break;
      const chunk = next.value;
      received += chunk.byteLength;
      if (received > cap) throw tooLarge(url, cap, received);
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    }
    if (announced !== undefined && received !== announced) {
      const message = `the body of ${printableUrl(url)} has ${received} bytes where the server announced ${announced}`;
      throw refusal('NET_FAILED', url, message, { announced, received });
    }
  } catch (error) {
    // What aborted the fetch is the reason, whatever the connection makes of it.
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw netError(url, error);
  } finally {
    finish();
  }
}

/** The error for a body beyond the cap. */
export function tooLarge(url: URL, cap: number, actual: number): SkillError {
  const message = `the body of ${printableUrl(url)} is larger than ${cap} bytes; raise maxBytes if that is to be`;
  return refusal('NET_TOO_LARGE', url, message, { limit: cap, actual });
}
