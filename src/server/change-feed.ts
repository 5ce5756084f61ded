/**
 * The changes of a provider: counted, noted, told.
 *
 * @module
 */
import type { Catalog, CatalogChanges } from '../catalog/catalog.ts';
import type { Clock } from '../clock.ts';
import { isSkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { PathChange } from '../wire/index.ts';
import { changedPaths, type DescribedEvent, describeEvents, filesAt } from './changed-paths.ts';
import { type Broadcast, Broadcaster, type ChangedLists } from './notify.ts';
import { refusalLog } from './refusal-log.ts';

/** Options of {@link ChangeFeed}. */
export interface ChangeFeedOptions {
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly coalesceWindowMs: number;
  readonly maxWaitMs: number;
  readonly minBroadcastIntervalMs: number;
  /** URIs, beside those of files, of the resources that these changes touch. */
  readonly alsoUpdated: (changes: CatalogChanges | undefined) => readonly string[];
  /** Whether skills stand in `prompts/list` too. */
  readonly skillsArePrompts: boolean;
  readonly logger: Logger;
}

/**
 * Counts the changes of a catalog and tells them.
 *
 * The version grows at once with every call made by hand and every batch of a watcher, also after the end, and with a
 * change that a read found. A call made by hand is told in any case, everything else only when the revision changed
 * (design decision 13). What is told was scanned before, so a client that reads again gets what it was told of.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #broadcaster: Broadcaster;
  readonly #listeners = new Set<(changes: CatalogChanges) => void>();
  readonly #hearers = new Set<(broadcast: Broadcast) => void>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #unwatch: () => void;
  readonly #logRefusals: () => void;
  #version = 0;
  /** The version at which the revision changed last: one version never stands for two revisions that a client saw. */
  #changedAt = -1;
  #told = 0;
  #closed = false;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    const { catalog, coalesceWindowMs, maxWaitMs, minBroadcastIntervalMs, clock, logger } = options;
    this.#broadcaster = new Broadcaster({
      coalesceWindowMs,
      maxWaitMs,
      minBroadcastIntervalMs,
      clock,
      version: () => this.#version,
      heard: () => this.#hearers.size > 0,
      send: (broadcast) => this.#call(this.#hearers, broadcast),
    });
    this.#logRefusals = refusalLog(catalog, logger);
    this.#unwatch = catalog.onChange((changes) => this.#changed(changes));
  }

  get version(): number {
    return this.#version;
  }

  /** Scans everything again and tells it. Errors: those of the scan; `PROVIDER_CLOSED`. */
  async refresh(): Promise<CatalogChanges> {
    this.#version += 1;
    const told = this.#told;
    let changes: CatalogChanges;
    try {
      changes = await this.#during(this.#options.catalog.refresh());
    } catch (error) {
      this.#broadcaster.requestIfNoted();
      throw error;
    }
    if (this.#told === told) this.#call(this.#listeners, changes);
    this.#broadcaster.add([], this.#options.alsoUpdated(undefined), this.#lists);
    this.#broadcaster.request();
    return changes;
  }

  /**
   * Scans what these events name and tells them. Rejects when the scan fails, and may be left alone: what is reported is
   * told all the same, and the logger hears of it. Errors: `USAGE`, thrown at once, before anything is counted.
   */
  notify(events: readonly PathChange[]): Promise<void> {
    const named = describeEvents(events, this.#options.clock.date());
    this.#version += 1;
    if (this.#closed) return Promise.resolve();
    const done = this.#scanNamed(named);
    done.catch((error: unknown) => {
      this.#options.logger.error('what was reported as changed could not be scanned', {
        error: messageOf(error),
      });
    });
    return done;
  }

  async #scanNamed(named: readonly DescribedEvent[]): Promise<void> {
    const { catalog, alsoUpdated } = this.#options;
    const paths = named.map(({ path }) => path);
    let found: CatalogChanges | undefined;
    try {
      if (paths.length > 0) found = await this.#during(catalog.refreshPaths(paths));
    } finally {
      const { snapshot } = catalog;
      this.#broadcaster.add(
        changedPaths(named, found?.files ?? [], snapshot),
        [
          ...paths.flatMap((path) => filesAt(snapshot, path).map(({ uri }) => uri)),
          ...alsoUpdated(undefined),
        ],
        this.#lists,
      );
      this.#broadcaster.request();
    }
  }

  /** Takes a batch of a watcher. Never rejects: a source that cannot be scanned now is scanned at its next change. */
  async watched(paths: readonly string[]): Promise<void> {
    this.#version += 1;
    if (this.#closed) return;
    const { catalog, logger } = this.#options;
    try {
      await this.#during(paths.includes('') ? catalog.refresh() : catalog.refreshPaths(paths));
    } catch (error) {
      if (isSkillError(error, 'PROVIDER_CLOSED')) return;
      logger.error('the scan failed, what was served before stays', { error: messageOf(error) });
    } finally {
      this.#broadcaster.requestIfNoted();
    }
  }

  /** Tells what changed beside the skills; the version, which counts their changes, stays. */
  tell(updated: readonly string[], lists: ChangedLists): void {
    if (this.#closed) return;
    this.#broadcaster.add([], updated, lists);
    this.#broadcaster.request();
  }

  /** Calls `listener` after each change found and each refresh. */
  onChange(listener: (changes: CatalogChanges) => void): () => void {
    return subscribe(this.#listeners, listener);
  }

  /** Calls `listener` with each broadcast. */
  onBroadcast(listener: (broadcast: Broadcast) => void): () => void {
    return subscribe(this.#hearers, listener);
  }

  /** Resolves when every call that was made has been scanned. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled([...this.#running]);
  }

  /** Tells what waits, as soon as the interval allows. */
  async drain(): Promise<void> {
    await this.settled();
    await this.#broadcaster.drain();
  }

  /** Tells nothing from now on; versions go on. */
  close(): void {
    this.#closed = true;
    this.#unwatch();
    this.#broadcaster.close();
    this.#listeners.clear();
    this.#hearers.clear();
  }

  /** What a change of skills concerns. */
  get #lists(): ChangedLists {
    return { resources: true, prompts: this.#options.skillsArePrompts };
  }

  async #during<T>(scan: Promise<T>): Promise<T> {
    this.#running.add(scan);
    try {
      return await scan;
    } finally {
      this.#running.delete(scan);
    }
  }

  #changed(changes: CatalogChanges): void {
    const scanning = this.#running.size > 0;
    // A call that is under way was counted when it was made.
    if (!scanning || this.#version === this.#changedAt) this.#version += 1;
    this.#changedAt = this.#version;
    const { alsoUpdated, clock, logger } = this.#options;
    const timestamp = clock.date().toISOString();
    this.#broadcaster.add(
      changes.files.map(({ path, action, digest }) => ({
        path,
        action,
        timestamp,
        ...(digest !== undefined && { digest }),
      })),
      [...changes.files.map(({ uri }) => uri), ...alsoUpdated(changes)],
      this.#lists,
    );
    logChange(logger, changes, this.#version);
    this.#logRefusals();
    this.#told += 1;
    this.#call(this.#listeners, changes);
    if (!scanning) this.#broadcaster.request();
  }

  #call<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
    for (const listener of [...listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#options.logger.error('a change listener threw', { error: messageOf(error) });
      }
    }
  }
}

function subscribe<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  // Wrapped, so that a function given twice is called twice and each call of the result ends one of them.
  const each = (value: T): void => listener(value);
  listeners.add(each);
  return () => {
    listeners.delete(each);
  };
}

/** URIs of skills that one log line names. */
const NAMED = 5;

function logChange(
  logger: Logger,
  { added, removed, changed, files }: CatalogChanges,
  version: number,
): void {
  const skills = [...added, ...removed, ...changed];
  logger.info('skills changed', {
    added: added.length,
    removed: removed.length,
    changed: changed.length,
    files: files.length,
    version,
    skills: skills.length > NAMED ? [...skills.slice(0, NAMED), `and ${skills.length - NAMED} more`] : skills,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : typeof error;
}
