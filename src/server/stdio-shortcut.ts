/**
 * The short way of requests over stdio whose answers are prepared.
 *
 * @module
 */
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { SkillError } from '../errors.ts';
import type { Era } from './context.ts';
import { type PreparedResults, preparedOf } from './prepared.ts';
import type { PreparedBytes } from './prepared-cache.ts';
import { PREPARED_REVISION, preparedRequest } from './prepared-request.ts';
import type { SkillProvider } from './provider.ts';

/** An answer that needs no server: the line, or the line later, or a failure that the server words. A text is ASCII alone. */
export interface ShortAnswer {
  readonly id: string | number;
  readonly line: string | Buffer | Promise<string | Buffer>;
}

/**
 * Follows one connection until its era is settled, as the SDK settles it, and then answers from what is prepared.
 *
 * A connection is legacy once an `initialize` was answered, and modern once a request with the envelope other than
 * `server/discover` was; before that, and for everything that is not prepared, the SDK is asked.
 */
export class StdioShortcut {
  readonly #provider: SkillProvider;
  #prepared: PreparedResults | undefined;
  #era: Era | undefined;
  /** The request whose result settles the era: the first message, `server/discover` apart. Null: it settled none. */
  #settling: { readonly id: string | number; readonly era: Era } | null | undefined;

  constructor(provider: SkillProvider) {
    this.#provider = provider;
  }

  /** The answer to a message, if it has the short way and no more than `maxBytes` bytes. */
  answer(message: unknown, maxBytes: number): ShortAnswer | undefined {
    if (this.#era === undefined || this.#prepared === undefined) return undefined;
    const prepared = this.#prepared;
    const asked = preparedRequest(message, this.#era, prepared);
    if (asked === undefined) return undefined;
    const { id, method, params } = asked;
    const startTime = prepared.startTime();
    const line = (head: PreparedBytes): string | Buffer => {
      const end = `${JSON.stringify(id)}}\n`;
      const bytes = Buffer.byteLength(end);
      const limit = maxBytes - bytes;
      if (head.length > limit) {
        throw new SkillError('RESPONSE_TOO_LARGE', 'the answer with its id is too long', {
          details: { limit, actual: head.length },
        });
      }
      if (startTime !== undefined) prepared.tell(method, params, startTime);
      if (typeof head === 'string' && bytes === end.length) return head + end;
      return Buffer.concat([Buffer.from(head), Buffer.from(end)]);
    };
    try {
      const head = prepared.answer(method, params);
      return { id, line: head instanceof Promise ? head.then(line) : line(head) };
    } catch {
      // The server says what is wrong.
      return undefined;
    }
  }

  /** Hears a message on its way to the SDK. */
  passed(message: JSONRPCMessage): void {
    if (this.#settling !== undefined) return;
    this.#settling = null;
    if (!isJSONRPCRequest(message)) return;
    const { id, method, params } = message;
    if (method === 'server/discover') this.#settling = undefined;
    else if (params?._meta?.[PROTOCOL_VERSION_META_KEY] === PREPARED_REVISION)
      this.#settling = { id, era: 'modern' };
    else if (method === 'initialize') this.#settling = { id, era: 'legacy' };
  }

  /** Hears an answer of the SDK. */
  answered(id: string | number | undefined, succeeded: boolean): void {
    const settling = this.#settling;
    if (settling == null || this.#era !== undefined || id !== settling.id) return;
    if (!succeeded) {
      this.#settling = null;
      return;
    }
    this.#era = settling.era;
    this.#prepared = preparedOf(this.#provider, 'stdio', settling.era);
  }
}
