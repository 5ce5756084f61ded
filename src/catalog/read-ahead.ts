/**
 * Reading files on another thread while the folders after them are listed and `SKILL.md` files are judged.
 *
 * @module
 */
import type { FactsAhead, FactsBatch, Source, SourceFacts, SourceNode } from '../source/source.ts';
import { isAddressableName } from '../uri/index.ts';
import type { Draft } from './draft.ts';
import type { CatalogSettings } from './settings.ts';

/** Files below which a thread takes longer to start than to be of use. */
const FROM = 2_000;
/** Files asked for at once: a message costs as much as a few files. */
const BATCH = 256;

/** Facts that were asked for ahead, of several folders. */
export interface AheadBatch {
  /** Undefined until {@link AheadBatch.ready} resolved. */
  facts: FactsBatch | undefined;
  readonly ready: Promise<void>;
}

/** Where the facts of the files of one folder are: those that {@link isAsked} names, in order, from `first` on. */
export interface AheadPlace {
  readonly batch: AheadBatch;
  readonly first: number;
}

/** Facts of a file with a time before it was read. */
export interface TimedFacts {
  readonly facts: SourceFacts;
  readonly readAt: number;
}

/** Whether a file is asked for ahead: everything that may have to be judged first is read when its turn comes. */
export function isAsked(draft: Draft, node: SourceNode): boolean {
  return (
    node.kind === 'file' &&
    node !== draft.manifest &&
    node.withheld === undefined &&
    node.link === undefined &&
    node.dynamic !== true &&
    isAddressableName(node.name)
  );
}

/** Asks for the facts of files as their folders are listed, once there are many. */
export class ReadAhead {
  readonly #source: Source;
  readonly #settings: CatalogSettings;
  #ahead: FactsAhead | undefined;
  #folders: Draft[] = [];
  #files = 0;
  #tried = false;

  constructor(source: Source, settings: CatalogSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  /** Takes note of a folder. One that was there in the scan before holds files that need not be read at all. */
  listed(draft: Draft): void {
    if (draft.home === undefined || draft.previous !== undefined) return;
    let files = 0;
    for (const node of draft.nodes) if (isAsked(draft, node)) files++;
    if (files === 0) return;
    this.#folders.push(draft);
    this.#files += files;
    if (this.#files < (this.#ahead === undefined ? FROM : BATCH)) return;
    if (!this.#tried) this.#start();
    this.flush();
  }

  /** Asks for what was noted and not asked for yet. */
  flush(): void {
    const folders = this.#folders;
    this.#folders = [];
    this.#files = 0;
    if (this.#ahead === undefined || folders.length === 0) return;
    const asked = folders.map((draft) => {
      const names: string[] = [];
      for (const node of draft.nodes) if (isAsked(draft, node)) names.push(node.name);
      return { path: draft.path, within: draft.homeId ?? draft.id, names };
    });
    const batch: AheadBatch = {
      facts: undefined,
      ready: this.#ahead.take(asked).then((facts) => {
        batch.facts = facts;
      }),
    };
    let first = 0;
    for (const [index, draft] of folders.entries()) {
      draft.ahead = { batch, first };
      first += asked[index]?.names.length ?? 0;
    }
  }

  close(): void {
    this.#ahead?.close();
  }

  #start(): void {
    const { maxFileBytes, maxSkillBytes } = this.#settings;
    this.#tried = true;
    this.#ahead = this.#source.ahead?.({
      ...(maxFileBytes !== Number.POSITIVE_INFINITY && { maxBytes: maxFileBytes }),
      ...(maxSkillBytes !== Number.POSITIVE_INFINITY && { maxBytesWithin: maxSkillBytes }),
    });
  }
}
