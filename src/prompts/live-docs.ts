/**
 * Documents whose changes are known.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { type Logger, silentLogger } from '../logger.ts';
import type { Source } from '../source/index.ts';
import {
  compareDocs,
  type DocChanges,
  type DocEntry,
  type DocTree,
  entriesOf,
  type KnownDoc,
  lookAtDocs,
} from './doc-list.ts';
import type { Docs, DocsOptions } from './docs.ts';
import { type Followed, follow, Listeners } from './follow.ts';

const NOTHING: DocChanges = { updated: [], listChanged: false };

/** The documents of a tree; `release` frees what was opened for them. Errors: those of a look and of `watchSource`. */
export async function openLiveDocs(
  tree: DocTree,
  options: DocsOptions,
  release: () => Promise<void>,
): Promise<Docs> {
  const { watch = false, logger = silentLogger } = options;
  const docs: LiveDocs = new LiveDocs(tree, options, release);
  const followed = await follow([tree.source], { watch, logger, onChange: () => docs.touched() });
  try {
    await docs.begin(followed);
    return docs;
  } catch (error) {
    await followed.close();
    throw error;
  }
}

class LiveDocs implements Docs {
  readonly source: Source;
  readonly root: string;
  readonly maxFileBytes: number;
  readonly #listed: boolean;
  readonly #looks: boolean;
  readonly #logger: Logger;
  readonly #release: () => Promise<void>;
  readonly #listeners: Listeners<DocChanges>;
  #followed: Followed | undefined;
  #known: ReadonlyMap<string, KnownDoc> = new Map();
  #listing: readonly DocEntry[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(tree: DocTree, options: DocsOptions, release: () => Promise<void>) {
    const { listed = false, watch = false, logger = silentLogger } = options;
    this.source = tree.source;
    this.root = tree.root;
    this.maxFileBytes = tree.maxFileBytes;
    this.#listed = listed;
    this.#looks = listed || watch !== false;
    this.#logger = logger;
    this.#release = release;
    this.#listeners = new Listeners(logger);
  }

  get listing(): readonly DocEntry[] | undefined {
    return this.#listed ? this.#listing : undefined;
  }

  /** The first look; then what changed meanwhile. */
  async begin(followed: Followed): Promise<void> {
    this.#followed = followed;
    await this.#look();
    await followed.begin();
  }

  reload(): Promise<DocChanges> {
    const next = this.#last.then(async () => {
      if (this.#closed) throw new SkillError('PROVIDER_CLOSED', 'the documents are closed');
      const changes = await this.#look();
      if (changes.updated.length > 0) this.#listeners.call(changes);
      return changes;
    });
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Takes a batch of a watch. Never rejects: what cannot be looked at now is at the next change. */
  async touched(): Promise<void> {
    try {
      await this.reload();
    } catch (error) {
      if (isSkillError(error, 'PROVIDER_CLOSED')) return;
      this.#logger.error('the documents could not be looked at again, what was listed before stays', {
        error: error instanceof Error ? error.message : typeof error,
      });
    }
  }

  onChange(listener: (changes: DocChanges) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#followed?.close();
    await this.#last;
    this.#listeners.clear();
    await this.#release();
  }

  async #look(): Promise<DocChanges> {
    if (!this.#looks) return NOTHING;
    const before = this.#known;
    const after = await lookAtDocs(this, before);
    const changes = compareDocs(before, after);
    this.#known = after;
    // The same array as long as it holds the same, since listings are merged by it.
    if (changes.listChanged) this.#listing = entriesOf(after);
    return changes;
  }
}
