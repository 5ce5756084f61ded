/**
 * Keeps the tree of a catalog for the next start.
 *
 * @module
 */
import type { Source, SourceRecall } from '../source/source.ts';
import { VERSION } from '../version.ts';
import type { DigestIndex } from './digest-index.ts';
import { type Recalled, recallTree } from './recall-tree.ts';
import { rememberTree } from './remember-tree.ts';
import type { CatalogSettings } from './settings.ts';
import type { TreeFolder } from './tree.ts';

/** Of what {@link TreeKeeper} writes; another number when it means something else. */
const FORMAT = 3;
/** From the load to the first writing, ms: whoever starts a server asks it something first. */
const FIRST_MS = 5_000;
/** From a change to the next writing, ms. */
const NEXT_MS = 60_000;

/** Clocks are corrected by less all the time, ms. */
const BACK_MS = 1_000;

/** Takes the tree of the process before and keeps that of this one, in a {@link DigestIndex}. */
export class TreeKeeper {
  readonly #index: DigestIndex;
  readonly #recall: SourceRecall;
  readonly #settings: CatalogSettings;
  readonly #key: string;
  readonly #startedAt: number = Date.now();
  readonly #since: number = performance.now();
  #ruled: readonly string[] = [];
  #kept: TreeFolder | undefined;
  #tree: TreeFolder | undefined;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> = Promise.resolve();
  #saved = false;

  constructor(index: DigestIndex, recall: SourceRecall, settings: CatalogSettings) {
    this.#index = index;
    this.#recall = recall;
    this.#settings = settings;
    const { logger: _, onProgress: _1, hidden: _2, digestIndex: _3, ...choices } = settings;
    this.#key = JSON.stringify([
      FORMAT,
      VERSION,
      recall.key,
      Object.entries(choices).map(([name, value]) => [name, `${value}`]),
    ]);
  }

  /** What the process before kept, as far as it holds. Does not reject. */
  async recalled(): Promise<Recalled | undefined> {
    try {
      const bytes = await this.#index.load(this.#key);
      const recall = this.#recall;
      const recalled = bytes && (await recallTree(bytes, { recall, settings: this.#settings }));
      this.#ruled = recalled?.ruled ?? [];
      if (recalled?.whole === true) this.#kept = recalled.tree;
      return recalled;
    } catch (error) {
      this.#settings.logger.debug('what was kept of an earlier start cannot be used', { error });
      return undefined;
    }
  }

  /** Takes note of the tree in force; it is written some time later. */
  note(tree: TreeFolder): void {
    this.#tree = tree;
    if (tree === this.#kept || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#save(), this.#saved ? NEXT_MS : FIRST_MS);
    // Whoever wants to end need not wait for it: ending writes too.
    this.#timer.unref();
  }

  /** Writes what was not written yet, and no more after that. Does not reject. */
  async close(): Promise<void> {
    await this.#save();
    this.#tree = undefined;
  }

  #save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#saved = true;
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  /**
   * Whether the clock was set back since the start: what changed afterwards looks older than it is, so that nothing can be
   * said of what has settled.
   */
  #wentBack(): boolean {
    const passed = performance.now() - this.#since;
    return Date.now() - this.#startedAt < passed - BACK_MS;
  }

  async #write(): Promise<void> {
    const tree = this.#tree;
    if (tree === undefined || tree === this.#kept || this.#wentBack()) return;
    try {
      const options = { recall: this.#recall, startedAt: this.#startedAt, ruled: this.#ruled };
      const bytes = await rememberTree(tree, options);
      this.#kept = tree;
      if (bytes !== undefined) await this.#index.save(this.#key, bytes);
    } catch (error) {
      this.#settings.logger.debug('the digests could not be kept for the next start', { error });
    }
  }
}

/** The keeper of what is found in `source`; undefined where nothing is to be kept, or looks do not tell enough. */
export function startTreeKeeper(source: Source, settings: CatalogSettings): TreeKeeper | undefined {
  const { digestIndex } = settings;
  if (digestIndex === undefined || source.recall === undefined) return undefined;
  return new TreeKeeper(digestIndex, source.recall, settings);
}
