/**
 * What was heard and not yet told, in bounded memory.
 *
 * @module
 */

/** More names than this of one folder stand for all of it. */
const MOST_NAMES = 1_000;
/** More names than this of all folders stand for everything. */
const MOST = 10_000;

/** What was heard of some names of one folder: whether each came, went or changed its kind, or only its content. */
export type HeardNames = ReadonlyMap<string, boolean>;

/** What was heard since it was last taken. */
export interface Heard {
  /** More than could be kept; the rest says nothing then. */
  readonly everything: boolean;
  /** By real path of the folder; undefined: anything in it. */
  readonly folders: ReadonlyMap<string, HeardNames | undefined>;
}

/**
 * Collects what is heard. Ten thousand events about one file cost one entry, and events about ever more names cost at
 * most ten thousand.
 *
 * @example
 * queue.add('/srv/skills/pdf', 'SKILL.md', false);
 */
export class WatchQueue {
  #folders: Map<string, Map<string, boolean> | undefined> = new Map();
  #size = 0;
  #everything = false;

  get empty(): boolean {
    return !this.#everything && this.#folders.size === 0;
  }

  /** Takes note of one name; `structural` when it came, went or may have changed its kind. */
  add(folder: string, name: string, structural: boolean): void {
    if (this.#everything) return;
    const names = this.#folders.get(folder);
    if (names === undefined) {
      if (this.#folders.has(folder)) return;
      this.#folders.set(folder, new Map([[name, structural]]));
      this.#grow(1);
      return;
    }
    const before = names.get(name);
    if (before === undefined) this.#grow(1);
    if (before !== true) names.set(name, structural);
    if (names.size > MOST_NAMES) this.addFolder(folder);
  }

  /** Takes note that anything in a folder may have changed. */
  addFolder(folder: string): void {
    if (this.#everything) return;
    const names = this.#folders.get(folder);
    this.#folders.set(folder, undefined);
    this.#grow(1 - (names?.size ?? 0));
  }

  /** Takes note that anything may have changed. */
  addEverything(): void {
    this.#everything = true;
    this.#folders.clear();
  }

  /** Hands over what was heard and begins anew. */
  take(): Heard {
    const heard = { everything: this.#everything, folders: this.#folders };
    this.#folders = new Map();
    this.#size = 0;
    this.#everything = false;
    return heard;
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size > MOST) this.addEverything();
  }
}
