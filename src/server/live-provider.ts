/**
 * A provider that runs.
 *
 * @module
 */
import { type McpServer, Server } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChanges } from '../catalog/catalog.ts';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import type { SourceWatcher } from '../source/watcher.ts';
import { VERSION } from '../version.ts';
import { INDEX_URI, type IndexEntry, META_PREFIX, type PathChange } from '../wire/index.ts';
import { ArchiveShelf } from './archives.ts';
import { type AttachOptions, attachHandlers } from './attach.ts';
import { ChangeFeed } from './change-feed.ts';
import { systemClock } from './clock.ts';
import type { Era, SurfaceContext } from './context.ts';
import type { ServedDialect } from './dialects.ts';
import { draftDialect } from './draft-dialect.ts';
import { Ending } from './ending.ts';
import {
  createHandlers,
  everyResource,
  isServed,
  listingOf,
  type ServedParts,
  type SkillMethod,
} from './handlers.ts';
import { type IndexParts, LiveIndexer, registerIndexParts } from './indexer.ts';
import { Look } from './look.ts';
import type { Broadcast } from './notify.ts';
import type { CreateServerOptions, ProviderOptions, SkillProvider } from './provider.ts';
import { requireSkillsAlone } from './provider-settings.ts';
import {
  capabilitiesOf,
  type Declared,
  registerHandlers,
  type WireHandler,
  wireHandlers,
} from './register.ts';
import { notifySession } from './session.ts';
import { Subscriptions } from './subscriptions.ts';
import { catalogEntries, indexBytesAtLeast } from './surfaces/draft-index.ts';
import type { SkillResource } from './surfaces/resources.ts';
import { type ProviderWarning, warningsOf } from './warnings.ts';

/** What a provider is made of. */
export interface LiveProviderParts {
  readonly catalog: Catalog;
  readonly dialects: ReadonlySet<ServedDialect>;
  /** Absent: nothing watches the source. */
  readonly watcher: SourceWatcher | undefined;
}

/** A provider that runs; see `createProvider`. */
export class LiveProvider implements SkillProvider {
  readonly catalog: Catalog;
  readonly cacheScope: 'private' | 'public';
  readonly #options: ProviderOptions;
  readonly #logger: Logger;
  readonly #ttlMs: number;
  readonly #metaPrefix: string;
  readonly #declared: Omit<Declared, 'listChanged'>;
  readonly #served: ServedParts;
  /** Made once: over HTTP a server is created for each request. */
  readonly #wired: Readonly<Record<'stdio' | 'http', ReadonlyMap<SkillMethod, WireHandler>>>;
  readonly #feed: ChangeFeed;
  readonly #watcher: SourceWatcher | undefined;
  readonly #ending: Ending;

  constructor({ catalog, dialects, watcher }: LiveProviderParts, options: ProviderOptions) {
    this.catalog = catalog;
    this.cacheScope = options.cacheScope ?? 'private';
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#ttlMs = options.ttlMs ?? LIMITS.ttlMs;
    this.#metaPrefix = options.metaPrefix ?? META_PREFIX;
    this.#watcher = watcher;
    const released = dialects.has('released');
    this.#declared = { released, directoryRead: released && options.directoryRead !== false };
    const indexParts = this.#indexParts(dialects);
    registerIndexParts(this, indexParts);
    this.#served = {
      catalog,
      ...this.#declared,
      prompts: options.prompts,
      docs: options.docs,
      files: indexParts.servesFiles,
      synthetic: draftDialect({
        indexer:
          dialects.has('draft-index') && options.index !== false
            ? new LiveIndexer(indexParts, { ttlMs: options.indexCacheTtlMs ?? 0 })
            : undefined,
        shelf: indexParts.shelf,
        metaPrefix: this.#metaPrefix,
      }),
    };
    this.#wired = { stdio: this.#wireHandlers('stdio'), http: this.#wireHandlers('http') };
    this.#feed = new ChangeFeed({
      catalog,
      clock: indexParts.clock,
      coalesceWindowMs: options.coalesceWindowMs ?? 0,
      maxWaitMs: options.maxWaitMs ?? 0,
      minBroadcastIntervalMs: options.minBroadcastIntervalMs ?? 0,
      alsoUpdated: (changes) => this.#served.synthetic.updatedBy(changes),
      logger: this.#logger,
    });
    this.#ending = new Ending({
      drain: () => this.#drain(),
      silence: () => this.#feed.close(),
      release: () => this.#release(),
      logger: this.#logger,
    });
  }

  get version(): number {
    return this.#feed.version;
  }

  get revision(): string {
    return this.catalog.snapshot.revision;
  }

  get closed(): boolean {
    return this.#ending.began;
  }

  createServer(options: CreateServerOptions): Server {
    const listChanged = options.listChanged ?? options.transport === 'stdio';
    const hint = { ttlMs: this.#ttlMs, cacheScope: this.cacheScope };
    const server = new Server(
      { name: 'skillwire', version: VERSION, ...this.#options.serverInfo },
      {
        capabilities: capabilitiesOf({ ...this.#declared, listChanged, prompts: this.#served.prompts }),
        cacheHints: { 'server/discover': hint },
      },
    );
    registerHandlers(server, this.#wired[options.transport]);
    if (listChanged) {
      const subscriptions = this.#subscriptions();
      registerHandlers(server, subscriptions.handlers(this.#logger));
      notifySession(server, {
        onBroadcast: (listener) => this.onBroadcast(listener),
        subscriptions,
        logger: this.#logger,
      });
    }
    return server;
  }

  attach(server: McpServer | Server, options: AttachOptions = {}): void {
    requireSkillsAlone(this.#options);
    attachHandlers(server, options, {
      handlers: this.#wired[options.transport ?? 'stdio'],
      pageBytes: LIMITS.pageBytes,
      declared: this.#declared,
      isServed: (uri) => isServed(this.#served, uri),
      onBroadcast: (listener) => this.onBroadcast(listener),
      logger: this.#logger,
    });
  }

  resources(): readonly SkillResource[] {
    return everyResource(this.#served, this.#metaPrefix);
  }

  catalogEntries(): readonly IndexEntry[] {
    return catalogEntries(this.catalog.snapshot);
  }

  warnings(transport: 'stdio' | 'http' = 'stdio'): readonly ProviderWarning[] {
    const { snapshot } = this.catalog;
    const { archive, supportingDigests = 'per-file' } = this.#options;
    const pins = archive === undefined ? supportingDigests : 'off';
    return warningsOf(
      {
        released: this.#declared.released,
        snapshot,
        resources: listingOf(this.#served, this.#metaPrefix),
        indexBytes: this.#served.synthetic.has(INDEX_URI) ? indexBytesAtLeast(snapshot, pins) : 0,
      },
      this.#context('modern', transport),
    );
  }

  refresh(): Promise<CatalogChanges> {
    return this.#feed.refresh();
  }

  notifyChanged(...paths: readonly string[]): Promise<void> {
    return this.#feed.notify(paths.map((path) => ({ path })));
  }

  notifyChangedEvents(...events: readonly PathChange[]): Promise<void> {
    return this.#feed.notify(events);
  }

  /** What the watcher saw. */
  watched(paths: readonly string[]): Promise<void> {
    return this.#feed.watched(paths);
  }

  onChange(listener: (changes: CatalogChanges) => void): () => void {
    return this.#feed.onChange(listener);
  }

  onBroadcast(listener: (broadcast: Broadcast) => void): () => void {
    return this.#feed.onBroadcast(listener);
  }

  onClose(listener: () => void): () => void {
    return this.#ending.onClose(listener);
  }

  close(): Promise<void> {
    return this.#ending.close();
  }

  shutdown({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return this.#ending.shutdown(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #drain(): Promise<void> {
    await this.#watcher?.drain();
    await this.#feed.drain();
  }

  async #release(): Promise<void> {
    try {
      await this.#watcher?.close();
    } finally {
      await this.catalog.close();
    }
  }

  #indexParts(dialects: ReadonlySet<ServedDialect>): IndexParts {
    const { catalog } = this;
    const { archive, archiveMaxBytes, supportingDigests = 'per-file', clock = systemClock } = this.#options;
    const servesFiles = archive === undefined || dialects.has('released');
    const follows = this.#watcher !== undefined;
    const look = new Look(clock);
    return {
      catalog,
      version: () => this.version,
      settle: async () => {
        // Without a watcher nobody else looks.
        if (follows || look.isCostly()) await this.#feed.settled();
        else await look.during(catalog.refresh());
      },
      follows,
      supportingDigests,
      shelf:
        archive === undefined
          ? undefined
          : new ArchiveShelf({
              catalog,
              format: archive,
              maxBytes: archiveMaxBytes,
              servesFiles,
              logger: this.#logger,
            }),
      servesFiles,
      clock,
    };
  }

  #subscriptions(): Subscriptions {
    return new Subscriptions((uri) => isServed(this.#served, uri));
  }

  #context(era: Era, transport: 'stdio' | 'http'): SurfaceContext {
    const { pageSize } = this.#options;
    return {
      era,
      ttlMs: this.#ttlMs,
      cacheScope: this.cacheScope,
      ...(pageSize !== undefined && { pageSize }),
      pageBytes: LIMITS.pageBytes,
      responseBytes: transport === 'stdio' ? LIMITS.responseBytesStdio : LIMITS.responseBytesHttp,
      metaPrefix: this.#metaPrefix,
    };
  }

  #wireHandlers(transport: 'stdio' | 'http'): ReadonlyMap<SkillMethod, WireHandler> {
    const contexts = {
      modern: this.#context('modern', transport),
      legacy: this.#context('legacy', transport),
    };
    return wireHandlers({
      handlers: createHandlers(this.#served),
      contextOf: (era) => contexts[era],
      logger: this.#logger,
    });
  }
}
