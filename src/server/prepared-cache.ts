/**
 * A bounded memory of answers, each valid while one state is in force.
 *
 * @module
 */

/** A part of an answer as it goes out: bytes, or a text of ASCII characters alone, which the system takes more cheaply. */
export type PreparedBytes = Buffer | string;

/** An answer that is kept. */
export interface Kept {
  readonly answer: PreparedBytes;
  /** Of the contents of a file: whether the file is still what the answer says. */
  readonly isUnchanged?: () => boolean;
}

interface Entry extends Kept {
  state: number;
  readonly subject: number | undefined;
  /** Bytes that were made of the answer and last as long as it does. */
  made: number;
}

/** What an entry costs beside its bytes and its key: the objects around them. */
const OVERHEAD = 512;

/** What counts with an answer wherever that is kept. */
const counters: WeakMap<Buffer, (bytes: number) => void> = new WeakMap();

/** Counts bytes that were made of an answer, and that nobody holds once it is gone, with that answer if it is kept. */
export function countWith(answer: Buffer, bytes: number): void {
  counters.get(answer)?.(bytes);
}

/** Keeps answers by key until they are the longest unused of more than `maxBytes`, or their state is not in force any more. */
export class PreparedCache {
  readonly #maxBytes: number;
  readonly #kept: Map<string, Entry> = new Map();
  /** States by number, so that a state that is over is not held by what was kept for it. */
  readonly #states: WeakMap<object, number> = new WeakMap();
  #numbered = 0;
  #bytes = 0;
  /** The entry used last, which stands at the end already. */
  #latest: Entry | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What is kept under a key for this very state. */
  get(key: string, state: object): Kept | undefined {
    const entry = this.#kept.get(key);
    if (entry?.state !== this.#states.get(state)) return undefined;
    return entry && this.#used(key, entry);
  }

  /** What is kept under a key for another state in which its subject was the same; from now on for this one. */
  move(key: string, state: object, subject: object): Kept | undefined {
    const entry = this.#kept.get(key);
    if (entry?.subject === undefined || entry.subject !== this.#states.get(subject)) return undefined;
    entry.state = this.#numberOf(state);
    return this.#used(key, entry);
  }

  /** Keeps an answer, unless it alone would fill a quarter of the room; `subject` is the part of the state that it is about. */
  set(key: string, state: object, kept: Kept, subject?: object): void {
    this.delete(key);
    const cost = costOf(key, kept);
    if (cost > this.#maxBytes / 4) return;
    const numbered = subject === undefined ? undefined : this.#numberOf(subject);
    const entry = { ...kept, state: this.#numberOf(state), subject: numbered, made: 0 };
    this.#latest = entry;
    this.#kept.set(key, entry);
    this.#bytes += cost;
    this.#makeRoom();
    if (typeof kept.answer === 'string') return;
    counters.set(kept.answer, (bytes) => {
      if (this.#kept.get(key) !== entry) return;
      entry.made += bytes;
      this.#bytes += bytes;
      this.#makeRoom();
    });
  }

  #makeRoom(): void {
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  /** Keeps nothing under a key any more. */
  delete(key: string): void {
    const entry = this.#kept.get(key);
    if (entry === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= costOf(key, entry) + entry.made;
    if (entry === this.#latest) this.#latest = undefined;
  }

  #used(key: string, entry: Entry): Kept {
    if (entry === this.#latest) return entry;
    this.#latest = entry;
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    return entry;
  }

  #numberOf(state: object): number {
    let number = this.#states.get(state);
    if (number === undefined) {
      number = this.#numbered++;
      this.#states.set(state, number);
    }
    return number;
  }
}

function costOf(key: string, { answer }: Kept): number {
  return answer.length + 2 * key.length + OVERHEAD;
}
