/**
 * What a started server writes, cut into messages in time that grows with its length.
 *
 * @module
 */
import { deserializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioLines } from '../server/stdio-lines.ts';

const OBJECT = /^[ \t]*\{/;

/** The part of the SDK's buffer that its transport uses. */
class LinearBuffer {
  readonly #lines: StdioLines;
  #complete: string[] = [];

  constructor(maxBytes: number) {
    this.#lines = new StdioLines(maxBytes);
  }

  /** Errors: `INVALID_REQUEST` for a line that is too long. */
  append(chunk: Buffer): void {
    // Telling by an exception what is no message costs seconds where a server prints millions of lines of something else.
    for (const line of this.#lines.take(chunk)) if (OBJECT.test(line)) this.#complete.push(line);
  }

  /** The next message, null when there is none yet; what is no JSON is passed over, as the SDK does. */
  readMessage(): JSONRPCMessage | null {
    for (let line = this.#complete.shift(); line !== undefined; line = this.#complete.shift()) {
      try {
        return deserializeMessage(line);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    return null;
  }

  clear(): void {
    this.#complete = [];
    this.#lines.clear();
  }
}

/**
 * Gives a stdio transport of the SDK a buffer that copies each byte once. Its own copies and searches all that came so far at
 * every piece: a line of 30 MiB costs seconds of nothing else, at each answer of a server that means harm.
 *
 * @example
 * readLinearly(transport, STDIO_BUFFER_BYTES)
 */
export function readLinearly(transport: Transport, maxBytes: number): void {
  Reflect.set(transport, '_readBuffer', new LinearBuffer(maxBytes));
}
