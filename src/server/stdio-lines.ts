/**
 * Lines out of the pieces in which a stream brings them.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

const LINE_END = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts what comes into lines; one that grows beyond `maxBytes` before it ends is an error. */
export class StdioLines {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that are complete now, without their ends. Errors: `INVALID_REQUEST` for one that is too long. */
  take(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      lines.push(this.#line(chunk.subarray(from, end)));
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
    return lines;
  }

  /** Forgets the beginning of a line. */
  clear(): void {
    this.#pieces = [];
    this.#bytes = 0;
  }

  #keep(piece: Buffer): void {
    this.#bytes += piece.length;
    this.#refuseLong();
    this.#pieces.push(piece);
  }

  #line(last: Buffer): string {
    this.#bytes += last.length;
    this.#refuseLong();
    const bytes = this.#pieces.length === 0 ? last : Buffer.concat([...this.#pieces, last]);
    this.clear();
    const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
    return bytes.toString('utf8', 0, end);
  }

  #refuseLong(): void {
    if (this.#bytes <= this.#maxBytes) return;
    this.clear();
    throw new SkillError('INVALID_REQUEST', `a line has more than ${this.#maxBytes} bytes`, {
      details: { limit: this.#maxBytes },
    });
  }
}
