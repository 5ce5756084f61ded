/**
 * The index of a provider, made when asked for.
 *
 * @module
 */
import type { McpServer } from '@modelcontextprotocol/server';
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, SkillFile, Snapshot } from '../catalog/snapshot.ts';
import type { Clock } from '../clock.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { startPace } from '../pace.ts';
import { INDEX_RESOURCE_DEF, INDEX_URI, type Index } from '../wire/index.ts';
import type { ArchiveShelf } from './archives.ts';
import { jsonTextBytes } from './json-size.ts';
import type { SkillProvider } from './provider.ts';
import {
  draftIndex,
  draftIndexText,
  type SkillArchive,
  type SupportingDigests,
} from './surfaces/draft-index.ts';

/** Options of {@link createIndexer}. */
export interface IndexerOptions {
  /** How long an index is kept, in ms; 0: every call makes it anew. @default 0 */
  readonly ttlMs?: number;
  /**
   * While an index is kept, look at each `SKILL.md` first, and make the index anew when one was modified. Say false where
   * a look is slow; then only `ttlMs` and the provider's changes end an index. @default true
   */
  readonly mtimeChecks?: boolean;
}

/** The index of a provider's skills (seed `Indexer`). */
export interface Indexer {
  /** The index; do not change it, the next call may return the same. Errors: those of scanning and reading the source. */
  index(): Promise<Index>;
  /** Makes the next call of {@link Indexer.index} make it anew. */
  invalidate(): void;
  /**
   * Serves the index at `skill://index.json` of a server of the caller's, for a provider with `index: false`. Errors: the
   * SDK's, when the server has a resource there.
   */
  registerWith(server: McpServer): void;
}

/** What an indexer needs of a provider. */
export interface IndexParts {
  readonly catalog: Catalog;
  readonly version: () => number;
  /** Brings the catalog up to date with the source. */
  readonly settle: () => Promise<void>;
  /** The catalog follows its source by itself, so there is nothing to look at. */
  readonly follows: boolean;
  readonly supportingDigests: SupportingDigests;
  readonly shelf: ArchiveShelf | undefined;
  /** Whether files are readable beside archives, so that a skill without an archive is still indexed. */
  readonly servesFiles: boolean;
  readonly clock: Clock;
}

/** An index as it goes out. */
export interface IndexText {
  readonly text: string;
  /** Bytes of it as the text of a response. */
  readonly bytes: number;
}

interface Kept {
  readonly index: Index;
  readonly version: number;
  readonly snapshot: Snapshot;
  readonly madeAt: number;
  text?: IndexText;
}

/** A catalog changes faster than its archives can be made after this many attempts. */
const ATTEMPTS = 4;

/** Makes and keeps the index of a provider; see {@link createIndexer}. */
export class LiveIndexer implements Indexer {
  readonly #parts: IndexParts;
  readonly #ttlMs: number;
  readonly #mtimeChecks: boolean;
  #kept: Kept | undefined;
  /** Counts invalidations, so that an index under way when one came is not kept. */
  #generation = 0;

  constructor(parts: IndexParts, options: IndexerOptions) {
    this.#parts = parts;
    this.#ttlMs = options.ttlMs ?? 0;
    this.#mtimeChecks = options.mtimeChecks ?? true;
  }

  async index(): Promise<Index> {
    return (await this.#current()).index;
  }

  /** The index as it goes out. */
  async text(): Promise<IndexText> {
    const current = await this.#current();
    if (current.text === undefined) {
      const text = draftIndexText(current.index);
      current.text = { text, bytes: jsonTextBytes(Buffer.from(text)) };
    }
    return current.text;
  }

  invalidate(): void {
    this.#kept = undefined;
    this.#generation += 1;
  }

  registerWith(server: McpServer): void {
    const { uri, name, ...definition } = INDEX_RESOURCE_DEF;
    server.registerResource(name, uri, definition, async () => ({
      contents: [{ uri: INDEX_URI, mimeType: definition.mimeType, text: (await this.text()).text }],
    }));
  }

  async #current(): Promise<Kept> {
    if (this.#kept !== undefined && (await this.#isFresh(this.#kept))) return this.#kept;
    await this.#parts.settle();
    const generation = this.#generation;
    const made = await this.#make();
    if (generation === this.#generation) this.#kept = made;
    return made;
  }

  async #isFresh(kept: Kept): Promise<boolean> {
    const { catalog, clock, follows, version } = this.#parts;
    if (kept.version !== version() || kept.snapshot !== catalog.snapshot) return false;
    if (this.#ttlMs <= 0 || clock.now() - kept.madeAt > this.#ttlMs) return false;
    return follows || !this.#mtimeChecks || (await this.#isUnmodified(kept.snapshot));
  }

  async #isUnmodified(snapshot: Snapshot): Promise<boolean> {
    const { source } = this.#parts.catalog;
    const pace = startPace();
    for (const skill of snapshot.skills) {
      const file = manifestOf(skill);
      if (file?.stamp === undefined) continue;
      if (pace.due()) await pace.rest();
      try {
        const seen = source.stat(file.sourcePath, { within: skill.folderId });
        if ((seen instanceof Promise ? await seen : seen).stamp !== file.stamp) return false;
      } catch (error) {
        // Gone or unreadable: making the index anew says what it is.
        if (isSkillError(error)) return false;
        throw error;
      }
    }
    return true;
  }

  async #make(): Promise<Kept> {
    const { catalog, clock, shelf, supportingDigests, version } = this.#parts;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const made = { snapshot: catalog.snapshot, version: version(), madeAt: clock.now() };
      const options = { version: made.version, supportingDigests };
      const before = this.#kept;
      if (before?.snapshot === made.snapshot && before.version === made.version)
        return { ...before, ...made };
      if (shelf === undefined) return { ...made, index: draftIndex(made.snapshot, options) };
      const archives = await archivesOf(made.snapshot, shelf);
      if (archives === 'moved') continue;
      const archiveOf = (skill: Skill): SkillArchive | 'files' | undefined =>
        archives.get(skill) ?? (this.#parts.servesFiles ? 'files' : undefined);
      return { ...made, index: draftIndex(made.snapshot, { ...options, archiveOf }) };
    }
    throw new SkillError('FILE_CHANGED', 'the skills change faster than they can be packed; try again later');
  }
}

async function archivesOf(
  snapshot: Snapshot,
  shelf: ArchiveShelf,
): Promise<ReadonlyMap<Skill, SkillArchive> | 'moved'> {
  const archives = new Map<Skill, SkillArchive>();
  for (const skill of snapshot.skills) {
    if (skill.hidden) continue;
    const facts = await shelf.facts(skill, snapshot);
    if (facts === 'moved') return 'moved';
    if (facts !== undefined) archives.set(skill, { uri: shelf.uriOf(skill), digest: facts.digest });
  }
  return archives;
}

function manifestOf(skill: Skill): SkillFile | undefined {
  return skill.files.find((file) => file.uri === skill.uri);
}

const providers = new WeakMap<SkillProvider, IndexParts>();

/** Lets {@link createIndexer} make an index of `provider`. */
export function registerIndexParts(provider: SkillProvider, parts: IndexParts): void {
  providers.set(provider, parts);
}

/**
 * An index of a provider's skills beside the one that the provider serves (seed `NewIndexer`).
 *
 * An index that is kept ends when `ttlMs` is over, at every change of the provider, and when a `SKILL.md` was modified.
 * Making it anew looks at the source first, so that it states what is there; with a provider that watches its source
 * that look is not needed, and one that takes longer than 50 ms happens for a tenth of the time at most. Errors: `USAGE` for a provider that is not of `createProvider` or a `ttlMs` that is no whole
 * number.
 *
 * @example
 * const provider = await createProvider({ source, index: false })
 * provider.attach(server)
 * createIndexer(provider, { ttlMs: 5_000 }).registerWith(server)
 */
export function createIndexer(provider: SkillProvider, options: IndexerOptions = {}): Indexer {
  const parts = providers.get(provider);
  if (parts === undefined) throw new SkillError('USAGE', 'createIndexer takes a provider of createProvider');
  const { ttlMs = 0 } = options;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    throw new SkillError(
      'USAGE',
      `ttlMs is ${ttlMs}; it is a whole number of ms, 0 is "make it anew each time"`,
    );
  }
  return new LiveIndexer(parts, options);
}
