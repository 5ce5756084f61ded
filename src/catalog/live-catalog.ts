/**
 * A catalog that follows its source.
 *
 * @module
 */
import { isSkillError, SkillError, type SkillErrorCode } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import type { Source, SourceFile } from '../source/source.ts';
import { buildSnapshot, replaceInSnapshot } from './build-snapshot.ts';
import type { Catalog, CatalogChanges, CatalogRead } from './catalog.ts';
import { changesBetween } from './changes.ts';
import { plainFile } from './kept-file.ts';
import { publish } from './publish.ts';
import { factsOf, isProvisional, readSettled } from './read-facts.ts';
import { RefreshQueue } from './refresh-queue.ts';
import { republish } from './republish.ts';
import { scan } from './scan.ts';
import type { CatalogSettings } from './settings.ts';
import type { Skill, SkillFile, Snapshot } from './snapshot.ts';
import type { Touched } from './touched.ts';
import type { TreeFolder } from './tree.ts';
import type { TreeKeeper } from './tree-keeper.ts';

/** A file that differs from its entry after this many rescans is being written to without a pause. */
const ATTEMPTS = 4;

/** Errors of a read that say that the entry is no longer true. */
const DRIFT: ReadonlySet<SkillErrorCode> = new Set<SkillErrorCode>([
  'FILE_NOT_FOUND',
  'FILE_CHANGED',
  'FILE_TOO_LARGE',
  'LINK_ESCAPES',
  'SECRET_WITHHELD',
]);

/** What a catalog begins with. */
export interface CatalogState {
  readonly source: Source;
  readonly settings: CatalogSettings;
  readonly tree: TreeFolder;
  readonly snapshot: Snapshot;
  readonly keeper: TreeKeeper | undefined;
}

/** A catalog that follows its source; see `openCatalog`. */
export class LiveCatalog implements Catalog {
  readonly source: Source;
  readonly #settings: CatalogSettings;
  readonly #queue: RefreshQueue<CatalogChanges>;
  readonly #listeners: Set<(changes: CatalogChanges) => void> = new Set();
  /** Stamps under which a read found the digest of a file to be certain; they outrank the stamp of the scan. */
  readonly #certain: WeakMap<SkillFile, string> = new WeakMap();
  readonly #keeper: TreeKeeper | undefined;
  #tree: TreeFolder;
  #snapshot: Snapshot;
  #closing: Promise<void> | undefined;

  constructor({ source, settings, tree, snapshot, keeper }: CatalogState) {
    this.source = source;
    this.#settings = settings;
    this.#tree = tree;
    this.#snapshot = snapshot;
    this.#keeper = keeper;
    keeper?.note(tree);
    this.#queue = new RefreshQueue((touched) => this.#rescan(touched));
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  read(uri: string): CatalogRead | Promise<CatalogRead> {
    return this.#read(uri, 1);
  }

  unchangedCheck(file: SkillFile): () => boolean {
    const certain = file.digest === undefined ? undefined : this.#certainStamp(file);
    const look = certain === undefined ? undefined : this.source.looker?.(file.sourcePath);
    if (look === undefined) return never;
    return () => this.#closing === undefined && look() === certain;
  }

  async refresh(): Promise<CatalogChanges> {
    this.#requireOpen();
    return this.#queue.add();
  }

  async refreshPaths(paths: readonly string[]): Promise<CatalogChanges> {
    this.#requireOpen();
    return paths.length === 0 ? changesBetween(this.#snapshot, this.#snapshot) : this.#queue.add(paths);
  }

  onChange(listener: (changes: CatalogChanges) => void): () => void {
    const own = (changes: CatalogChanges): void => listener(changes);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    this.#listeners.clear();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#queue.idle();
    await this.#keeper?.close();
    await this.source.close();
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new SkillError('PROVIDER_CLOSED', 'the catalog is closed');
  }

  #read(uri: string, attempt: number): CatalogRead | Promise<CatalogRead> {
    this.#requireOpen();
    const { skill, file } = this.#find(uri);
    const { maxFileBytes } = this.#settings;
    const maxBytes = maxFileBytes === Number.POSITIVE_INFINITY ? {} : { maxBytes: maxFileBytes };
    const readAt = Date.now();
    try {
      const got = readSettled(this.source, file.sourcePath, { within: skill.folderId, ...maxBytes });
      if (!(got instanceof Promise)) return this.#answer(uri, got, readAt, attempt);
      return got.then(
        (late) => this.#answer(uri, late, readAt, attempt),
        (error) => this.#failed(uri, skill, error, attempt),
      );
    } catch (error) {
      return this.#failed(uri, skill, error, attempt);
    }
  }

  #find(uri: string): { readonly skill: Skill; readonly file: SkillFile } {
    const located = this.#snapshot.locate(uri);
    if (located?.kind === 'file') return located;
    const shown = JSON.stringify(uri.length > 200 ? `${uri.slice(0, 200)}…` : uri);
    throw new SkillError('RESOURCE_NOT_FOUND', `no skill has a file at ${shown}`, { details: { uri } });
  }

  /** Sends the bytes if they are those of the entry in force now, which may be a newer one than when the read began. */
  #answer(uri: string, got: SourceFile, readAt: number, attempt: number): CatalogRead | Promise<CatalogRead> {
    this.#requireOpen();
    const { skill, file } = this.#find(uri);
    if (file.digest === undefined) {
      return { file: { ...plainFile(file), ...factsOf(file.path, got, true, readAt) }, bytes: got.bytes };
    }
    if (this.#matches(file, file.digest, got, readAt)) return { file, bytes: got.bytes };
    return this.#drifted(uri, skill, attempt);
  }

  #matches(file: SkillFile, digest: string, got: SourceFile, readAt: number): boolean {
    const certain = this.#certainStamp(file);
    if (certain !== undefined && got.stamp === certain && got.bytes.length === file.size) return true;
    if (got.bytes.length !== file.size || digestOf(got.bytes) !== digest) return false;
    if (got.stamp !== undefined && !isProvisional(got, readAt)) this.#certain.set(file, got.stamp);
    return true;
  }

  #certainStamp(file: SkillFile): string | undefined {
    return this.#certain.get(file) ?? (file.provisional ? undefined : file.stamp);
  }

  #failed(uri: string, skill: Skill, error: unknown, attempt: number): Promise<CatalogRead> {
    if (isSkillError(error) && DRIFT.has(error.code)) return this.#drifted(uri, skill, attempt);
    throw error;
  }

  async #drifted(uri: string, skill: Skill, attempt: number): Promise<CatalogRead> {
    if (attempt >= ATTEMPTS) {
      throw new SkillError('FILE_CHANGED', 'the file changes faster than it can be read; try again later', {
        details: { uri },
      });
    }
    await this.#queue.add([skill.path]);
    return this.#read(uri, attempt + 1);
  }

  async #rescan(touched: Touched): Promise<CatalogChanges> {
    const check = (): void => this.#requireOpen();
    check();
    const tree = await scan({
      source: this.source,
      settings: this.#settings,
      previous: this.#tree,
      touched,
      certainStamp: (file) => this.#certainStamp(file),
      check,
    });
    check();
    const before = this.#snapshot;
    const alike = republish(before, { old: this.#tree, now: tree }, this.#settings);
    this.#snapshot =
      alike === undefined
        ? buildSnapshot(publish(tree, this.#settings))
        : replaceInSnapshot(before, alike.publication, alike.replaced);
    this.#tree = tree;
    this.#keeper?.note(tree);
    const changes = changesBetween(before, this.#snapshot);
    if (changes.revision !== changes.previousRevision) this.#tell(changes);
    return changes;
  }

  #tell(changes: CatalogChanges): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        // One listener's fault must keep neither the others nor the reader that found the change from going on.
        this.#settings.logger.error('a change listener failed', { error });
      }
    }
  }
}

function never(): boolean {
  return false;
}
