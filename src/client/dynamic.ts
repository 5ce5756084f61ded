/**
 * Skills whose content the server makes anew, so that nothing can check it (requirements H16, H19).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';

/** What may be taken from one such skill. Each: 0 or absent = default, -1 = off. */
export interface DynamicCaps {
  /** Bytes of all its files, each counted as it was read last. @default LIMITS.clientDynamicBytes (16 MiB) */
  readonly maxBytes?: number;
  /** @default LIMITS.clientDynamicFiles (512) */
  readonly maxFiles?: number;
}

const MAX_SKILLS = 1_000;

/** Refuses such skills, or counts what is taken from them. */
export class DynamicGuard {
  readonly #maxBytes: number;
  readonly #maxFiles: number;
  readonly #allowed: boolean;
  /** Sizes by file, by skill; the longest unused skill first. */
  readonly #taken: Map<string, Map<string, number>> = new Map();

  constructor(option: boolean | DynamicCaps | undefined) {
    const caps = typeof option === 'object' ? option : {};
    this.#allowed = option !== undefined && option !== false;
    this.#maxBytes = capOf(caps.maxBytes, LIMITS.clientDynamicBytes);
    this.#maxFiles = capOf(caps.maxFiles, LIMITS.clientDynamicFiles);
  }

  /**
   * The bytes that `file` of `skill` may have.
   *
   * Errors: `DYNAMIC_REFUSED` when the host did not ask for such skills, or when one has given its number of files.
   *
   * @example
   * const left = guard.allowance(skill.entry.uri, uri)
   */
  allowance(skill: string, file: string): number {
    if (!this.#allowed) {
      throw new SkillError(
        'DYNAMIC_REFUSED',
        `${quote(skill)} is made anew by its server, so that nothing can check it; pass dynamic: true to take it all the same`,
        { details: { uri: skill } },
      );
    }
    const taken = this.#taken.get(skill);
    if (taken !== undefined && !taken.has(file) && taken.size >= this.#maxFiles) {
      throw new SkillError(
        'DYNAMIC_REFUSED',
        `${quote(skill)} has given ${taken.size} files, the limit of a skill that nothing can check; raise dynamic.maxFiles`,
        { details: { uri: skill, limit: this.#maxFiles } },
      );
    }
    return this.#maxBytes - this.#bytesBeside(taken, file);
  }

  /** Counts a file that came. Errors: `RESOURCE_TOO_LARGE` when the skill has given its number of bytes with it. */
  took(skill: string, file: string, bytes: number): void {
    const taken = this.#taken.get(skill) ?? new Map<string, number>();
    const total = this.#bytesBeside(taken, file) + bytes;
    if (total > this.#maxBytes) {
      throw new SkillError(
        'RESOURCE_TOO_LARGE',
        `${quote(skill)} has given ${total} bytes, more than the limit of ${this.#maxBytes} of a skill that nothing can check; raise dynamic.maxBytes`,
        { details: { uri: skill, limit: this.#maxBytes, actual: total } },
      );
    }
    taken.set(file, bytes);
    this.#taken.delete(skill);
    this.#taken.set(skill, taken);
    for (const oldest of this.#taken.keys()) {
      if (this.#taken.size <= MAX_SKILLS) break;
      this.#taken.delete(oldest);
    }
  }

  #bytesBeside(taken: ReadonlyMap<string, number> | undefined, file: string): number {
    let bytes = 0;
    for (const [other, size] of taken ?? []) if (other !== file) bytes += size;
    return bytes;
  }
}
