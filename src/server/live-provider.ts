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
import { INDEX_URI, type IndexEntry, type PathChange } from '../wire/index.ts';
import { type AttachOptions, attachHandlers } from './attach.ts';
import { ChangeFeed } from './change-feed.ts';
import type { ServedDialect } from './dialects.ts';
import { Ending } from './ending.ts';
import { type Exposure, exposureOf, type HandlersByClient, handlersFor, isShownTo } from './exposure.ts';
import { everyResource, listingOf, type ServedParts, templatesOf } from './handlers.ts';
import { registerIndexParts } from './indexer.ts';
import { instructionsOf } from './instructions.ts';
import type { Broadcast } from './notify.ts';
import { OtherChanges } from './other-changes.ts';
import { registerPrepared } from './prepared.ts';
import { promptWarnings } from './prompt-warnings.ts';
import type { CreateServerOptions, ListRevisions, ProviderOptions, SkillProvider } from './provider.ts';
import {
  metaPrefixOf,
  preparedFor,
  serverInfoOf,
  surfaceContext,
  telemetryOf,
  wireBoth,
} from './provider-context.ts';
import { indexPartsOf, servedPartsOf, wellKnownOf } from './provider-parts.ts';
import { capabilitiesOf, registerHandlers } from './register.ts';
import { type ServedUris, servedUris } from './served-uris.ts';
import { notifySession } from './session.ts';
import { Subscriptions } from './subscriptions.ts';
import { catalogEntries, indexBytesAtLeast } from './surfaces/draft-index.ts';
import { setOf } from './surfaces/prompt-list.ts';
import type { SkillResource } from './surfaces/resources.ts';
import { templateItems } from './surfaces/templates.ts';
import { type ProviderWarning, warningsOf } from './warnings.ts';
import type { WellKnown } from './well-known.ts';
import { wellKnownWarnings } from './well-known-warnings.ts';

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
  readonly wellKnown: WellKnown | undefined;
  readonly #options: ProviderOptions;
  readonly #logger: Logger;
  readonly #metaPrefix: string;
  readonly #served: ServedParts;
  /** Made once: over HTTP a server is created for each request. */
  readonly #wired: Readonly<Record<'stdio' | 'http', HandlersByClient>>;
  readonly #exposure: Exposure;
  readonly #uris: ServedUris;
  readonly #feed: ChangeFeed;
  readonly #others: OtherChanges;
  readonly #watcher: SourceWatcher | undefined;
  readonly #ending: Ending;

  constructor({ catalog, dialects, watcher }: LiveProviderParts, options: ProviderOptions) {
    this.catalog = catalog;
    this.cacheScope = options.cacheScope ?? 'private';
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#metaPrefix = metaPrefixOf(options);
    this.#watcher = watcher;
    const indexParts = indexPartsOf(
      {
        catalog,
        dialects,
        follows: watcher !== undefined,
        version: () => this.version,
        settled: () => this.#feed.settled(),
      },
      options,
    );
    registerIndexParts(this, indexParts);
    this.#served = servedPartsOf(indexParts, dialects, options);
    this.#uris = servedUris(this.#served);
    this.wellKnown = wellKnownOf(indexParts, dialects, options);
    this.#exposure = exposureOf(options);
    this.#wired = wireBoth(this.#served, this.#exposure, options);
    registerPrepared(this, preparedFor(this.#served, options));
    this.#feed = new ChangeFeed({
      catalog,
      clock: indexParts.clock,
      coalesceWindowMs: options.coalesceWindowMs ?? 0,
      maxWaitMs: options.maxWaitMs ?? 0,
      minBroadcastIntervalMs: options.minBroadcastIntervalMs ?? 0,
      alsoUpdated: (changes) => this.#served.synthetic.updatedBy(changes),
      skillsArePrompts: this.#exposure.prompts,
      logger: this.#logger,
    });
    this.#others = new OtherChanges(options, (updated, lists) => this.#feed.tell(updated, lists));
    this.#ending = new Ending({
      drain: () => this.#drain(),
      silence: () => {
        this.#others.close();
        this.#feed.close();
      },
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

  get listRevisions(): ListRevisions {
    const { docs, prompts } = this.#others;
    const ofSkills = this.#exposure.prompts ? this.revision : '';
    return { resources: `${this.revision} ${docs}`, prompts: `${ofSkills} ${prompts}` };
  }

  get closed(): boolean {
    return this.#ending.began;
  }

  createServer(options: CreateServerOptions): Server {
    const listChanged = options.listChanged ?? options.transport === 'stdio';
    const { ttlMs = LIMITS.ttlMs } = this.#options;
    const hint = { ttlMs, cacheScope: this.cacheScope };
    const server = new Server(serverInfoOf(this.#options), {
      capabilities: capabilitiesOf({ ...this.#served, listChanged }),
      cacheHints: { 'server/discover': hint },
      ...this.#instructions(),
    });
    registerHandlers(server, handlersFor(server, this.#exposure, this.#wired[options.transport]));
    if (listChanged) {
      const subscriptions = new Subscriptions(this.#uris);
      registerHandlers(
        server,
        subscriptions.handlers({ logger: this.#logger, telemetry: telemetryOf(this.#options) }),
      );
      notifySession(server, {
        onBroadcast: (listener) => this.onBroadcast(listener),
        subscriptions,
        logger: this.#logger,
      });
    }
    return server;
  }

  attach(server: McpServer | Server, options: AttachOptions = {}): void {
    attachHandlers(server, options, {
      handlers: handlersFor(server, this.#exposure, this.#wired[options.transport ?? 'stdio']),
      pageBytes: LIMITS.pageBytes,
      declared: this.#served,
      uris: this.#uris,
      hasPrompt: (name, context) => this.#hasPrompt(name, isShownTo(server, this.#exposure, context)),
      onBroadcast: (listener) => this.onBroadcast(listener),
      logger: this.#logger,
      telemetry: telemetryOf(this.#options),
    });
  }

  instructions(): string {
    return instructionsOf(this.catalog.snapshot, this.#exposure);
  }

  #instructions(): { readonly instructions?: string } {
    const { tools, prompts } = this.#exposure;
    const { instructions = tools || prompts } = this.#options;
    if (instructions === false) return {};
    return { instructions: instructions === true ? this.instructions() : instructions };
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
    const lists = warningsOf(
      {
        released: this.#served.released,
        snapshot,
        resources: listingOf(this.#served, this.#metaPrefix),
        templates: templateItems(snapshot, templatesOf(this.#served)),
        indexBytes: this.#served.synthetic.has(INDEX_URI) ? indexBytesAtLeast(snapshot, pins) : 0,
      },
      surfaceContext(this.#options, 'modern', transport),
    );
    const serves = transport === 'http' && this.wellKnown !== undefined;
    const { prompts } = this.#options;
    return [
      ...lists,
      ...(serves ? wellKnownWarnings(snapshot) : []),
      ...(this.#exposure.prompts && prompts !== undefined ? promptWarnings(snapshot, prompts.snapshot) : []),
    ];
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

  #hasPrompt(name: unknown, shown: boolean): boolean {
    const { tools, prompts } = this.#exposure;
    const context = surfaceContext(this.#options, 'modern', 'stdio');
    const exposed = { tools: shown && tools, prompts: shown && prompts, perClient: true };
    return setOf(this.#served.promptSets, name, { ...context, exposed }) !== undefined;
  }
}
