/**
 * Bytes of answers as they come, counted.
 *
 * @module
 */

const ENDS: readonly Buffer[] = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => Buffer.from(end));

/** Counts against a limit. */
export interface Counter {
  /** Takes what came next: whether it is within the limit. */
  fits(chunk: Uint8Array): boolean;
}

/** Counts all there is. */
export class TotalCounter implements Counter {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  fits(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    return this.#bytes <= this.#limit;
  }
}

/** Counts each event of a stream by itself. An end that two chunks share is not seen: the events beside it then count as one. */
export class EventCounter implements Counter {
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  fits(chunk: Uint8Array): boolean {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const firsts = ENDS.map((end) => bytes.indexOf(end)).filter((at) => at !== -1);
    if (firsts.length === 0) {
      this.#bytes += bytes.length;
      return this.#bytes <= this.#limit;
    }
    const fits = this.#bytes + Math.min(...firsts) <= this.#limit;
    this.#bytes = bytes.length - Math.max(...ENDS.map((end) => bytes.lastIndexOf(end)));
    return fits && this.#bytes <= this.#limit;
  }
}
