/**
 * A bounded memory of bytes, each valid while one state is in force.
 *
 * @module
 */

interface Kept {
  readonly state: number;
  readonly bytes: Buffer;
}

/** What an entry costs beside its bytes and its key: the objects around them. */
const OVERHEAD = 256;

/** Keeps bytes by key until they are the longest unused of more than `maxBytes`, or their state is not in force any more. */
export class PreparedCache {
  readonly #maxBytes: number;
  readonly #kept: Map<string, Kept> = new Map();
  /** States by number, so that a state that is over is not held by what was kept for it. */
  readonly #states: WeakMap<object, number> = new WeakMap();
  #numbered = 0;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes kept under a key for this very state. */
  get(key: string, state: object): Buffer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.state !== this.#numberOf(state)) {
      this.#drop(key, kept);
      return undefined;
    }
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.bytes;
  }

  /** Keeps the bytes, unless they alone would fill a quarter of the room. */
  set(key: string, state: object, bytes: Buffer): void {
    const before = this.#kept.get(key);
    if (before !== undefined) this.#drop(key, before);
    const cost = costOf(key, bytes);
    if (cost > this.#maxBytes / 4) return;
    this.#kept.set(key, { state: this.#numberOf(state), bytes });
    this.#bytes += cost;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest, kept);
    }
  }

  #numberOf(state: object): number {
    let number = this.#states.get(state);
    if (number === undefined) {
      number = this.#numbered++;
      this.#states.set(state, number);
    }
    return number;
  }

  #drop(key: string, { bytes }: Kept): void {
    this.#kept.delete(key);
    this.#bytes -= costOf(key, bytes);
  }
}

function costOf(key: string, bytes: Buffer): number {
  return bytes.length + 2 * key.length + OVERHEAD;
}
