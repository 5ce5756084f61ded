/**
 * How many bytes one server may send over the life of a client (seed `WithServerByteBudget`).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';

/** Counts bytes of resources as they are once decoded. */
export class ByteBudget {
  readonly #limit: number;
  #consumed = 0;

  /** `limit`: bytes; 0, less or absent: no budget, and nothing is counted. */
  constructor(limit: number | undefined) {
    this.#limit = limit === undefined || limit <= 0 ? Number.POSITIVE_INFINITY : limit;
  }

  /** Bytes counted so far; 0 without a budget. */
  get consumed(): number {
    return this.#consumed;
  }

  /**
   * Counts `bytes`. What would exceed the budget is refused and not counted; what later fails a check stays counted.
   *
   * Errors: `SERVER_BYTE_BUDGET_EXCEEDED`.
   *
   * @example
   * budget.charge('skill://pdf/SKILL.md', 1_024)
   */
  charge(uri: string, bytes: number): void {
    if (this.#limit === Number.POSITIVE_INFINITY) return;
    if (this.#consumed + bytes > this.#limit) {
      throw new SkillError(
        'SERVER_BYTE_BUDGET_EXCEEDED',
        `${quote(uri)} has ${bytes} bytes, and ${this.#consumed} of the budget of ${this.#limit} bytes of this server are spent; raise serverByteBudget`,
        { details: { uri, limit: this.#limit, consumed: this.#consumed, actual: bytes } },
      );
    }
    this.#consumed += bytes;
  }
}
