/**
 * Which of two threads looks at which folders of a tree, and what the second one found.
 *
 * @module
 */

/** Folders that are taken at once: what both look at in the end is one such share at most. */
const SHARE = 64;

const FREE = 0;
const TAKEN = 1;
const DONE = 2;

/**
 * Shares of folders in memory that both threads see. One takes them from the first folder on and one from the last. Nobody
 * waits: where the other one is not done, the folder counts as not looked at.
 */
export class LookShares {
  readonly memory: SharedArrayBuffer;
  readonly #folders: number;
  readonly #states: Int32Array;
  readonly #same: Uint8Array;
  #share = -1;
  #isDone = false;

  /** Shares of `folders` folders, or those in `memory` that another thread made. */
  constructor(folders: number, memory?: SharedArrayBuffer) {
    const shares = Math.ceil(folders / SHARE);
    this.memory = memory ?? new SharedArrayBuffer(shares * 4 + folders);
    this.#folders = folders;
    this.#states = new Int32Array(this.memory, 0, shares);
    this.#same = new Uint8Array(this.memory, shares * 4, folders);
  }

  /** Whether the other thread found a folder as it was. Its share is taken by this call, where it is free. */
  isSame(folder: number): boolean {
    const share = Math.floor(folder / SHARE);
    if (share !== this.#share) {
      this.#share = share;
      this.#isDone = Atomics.compareExchange(this.#states, share, FREE, TAKEN) === DONE;
    }
    return this.#isDone && this.#same[folder] === 1;
  }

  /** Looks at folders from the last one on, until it comes to a share that is taken. */
  look(isSame: (folder: number) => boolean): void {
    let end = this.#folders;
    for (let share = this.#states.length - 1; share >= 0; share -= 1) {
      if (Atomics.compareExchange(this.#states, share, FREE, TAKEN) !== FREE) return;
      const begin = share * SHARE;
      for (let folder = end - 1; folder >= begin; folder -= 1) this.#same[folder] = isSame(folder) ? 1 : 0;
      Atomics.store(this.#states, share, DONE);
      end = begin;
    }
  }
}
