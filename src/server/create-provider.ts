/**
 * A provider made from a source.
 *
 * @module
 */
import { type McpServer, Server } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChanges } from '../catalog/catalog.ts';
import { openCatalog } from '../catalog/index.ts';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { VERSION } from '../version.ts';
import { META_PREFIX } from '../wire/index.ts';
import { type AttachOptions, attachHandlers } from './attach.ts';
import type { Era, SurfaceContext } from './context.ts';
import { createHandlers, type SkillHandler, type SkillMethod } from './handlers.ts';
import type { CreateServerOptions, ProviderOptions, SkillProvider } from './provider.ts';
import { capabilitiesOf, registerHandlers, type WireHandler, wireHandlers } from './register.ts';
import { notifySession } from './session.ts';
import { allResources, type SkillResource } from './surfaces/resources.ts';
import { type ProviderWarning, warningsOf } from './warnings.ts';

/**
 * A provider for the skills in a source, loaded and checked (seed 000's `NewProvider`).
 *
 * Errors: `PROVIDER_MISSING_FS` (no source), `USAGE` (`ttlMs` or `pageSize` is no whole number), and those of `openCatalog`,
 * such as `MANIFEST_NOT_IN_ROOT` (the source is itself a skill, and has no folder to be named after). When this fails
 * the source is still the caller's to close; otherwise `close()` closes it.
 *
 * @example
 * const provider = await createProvider({ source: directorySource('./skills') })
 * await serveStdio(provider).closed
 * await provider.close()
 */
export async function createProvider(options: ProviderOptions): Promise<SkillProvider> {
  const { source } = options;
  if (source === undefined || source === null) {
    throw new SkillError(
      'PROVIDER_MISSING_FS',
      'createProvider needs a source, such as directorySource(path)',
    );
  }
  requireWhole('ttlMs', options.ttlMs, 0, 'ms; 0 is "do not cache"');
  requireWhole('pageSize', options.pageSize, -1, 'entries; 0 is the default, -1 is off');
  return new Provider(await openCatalog(source, options), options);
}

function requireWhole(name: string, value: number | undefined, least: number, unit: string): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new SkillError('USAGE', `${name} is ${value}; it is a whole number of ${unit}`);
}

class Provider implements SkillProvider {
  readonly catalog: Catalog;
  readonly cacheScope: 'private' | 'public';
  readonly #options: ProviderOptions;
  readonly #logger: Logger;
  readonly #ttlMs: number;
  readonly #metaPrefix: string;
  readonly #handlers: Partial<Record<SkillMethod, SkillHandler>>;
  /** Made once: over HTTP a server is created for each request. */
  readonly #wired: Readonly<Record<'stdio' | 'http', ReadonlyMap<SkillMethod, WireHandler>>>;
  readonly #listeners = new Set<(changes: CatalogChanges) => void>();
  readonly #unwatch: () => void;
  #version = 0;
  #refreshing = 0;
  #told = 0;

  constructor(catalog: Catalog, options: ProviderOptions) {
    this.catalog = catalog;
    this.cacheScope = options.cacheScope ?? 'private';
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#ttlMs = options.ttlMs ?? LIMITS.ttlMs;
    this.#metaPrefix = options.metaPrefix ?? META_PREFIX;
    const { 'resources/directory/read': readDirectory, ...handlers } = createHandlers(catalog);
    this.#handlers =
      options.directoryRead === false ? handlers : { ...handlers, 'resources/directory/read': readDirectory };
    this.#wired = { stdio: this.#wireHandlers('stdio'), http: this.#wireHandlers('http') };
    this.#unwatch = catalog.onChange((changes) => this.#changed(changes));
  }

  get version(): number {
    return this.#version;
  }

  get revision(): string {
    return this.catalog.snapshot.revision;
  }

  createServer(options: CreateServerOptions): Server {
    const listChanged = options.listChanged ?? options.transport === 'stdio';
    const hint = { ttlMs: this.#ttlMs, cacheScope: this.cacheScope };
    const server = new Server(
      { name: 'skillwire', version: VERSION, ...this.#options.serverInfo },
      {
        capabilities: capabilitiesOf({ directoryRead: this.#directoryRead, listChanged }),
        cacheHints: { 'server/discover': hint },
      },
    );
    registerHandlers(server, this.#wired[options.transport]);
    if (listChanged) notifySession(server, (listener) => this.onChange(listener), this.#logger);
    return server;
  }

  attach(server: McpServer | Server, options: AttachOptions = {}): void {
    attachHandlers(server, options, {
      handlers: this.#wired[options.transport ?? 'stdio'],
      catalog: this.catalog,
      pageBytes: LIMITS.pageBytes,
      directoryRead: this.#directoryRead,
      onChange: (listener) => this.onChange(listener),
      logger: this.#logger,
    });
  }

  resources(): readonly SkillResource[] {
    return allResources(this.catalog.snapshot, this.#metaPrefix);
  }

  warnings(transport: 'stdio' | 'http' = 'stdio'): readonly ProviderWarning[] {
    return warningsOf(this.catalog.snapshot, this.#context('modern', transport));
  }

  async refresh(): Promise<CatalogChanges> {
    this.#version += 1;
    this.#refreshing += 1;
    const told = this.#told;
    try {
      const changes = await this.catalog.refresh();
      if (this.#told === told) this.#tell(changes);
      return changes;
    } finally {
      this.#refreshing -= 1;
    }
  }

  onChange(listener: (changes: CatalogChanges) => void): () => void {
    // Wrapped, so that a function given twice is called twice and each call of the result ends one of them.
    const each = (changes: CatalogChanges): void => listener(changes);
    this.#listeners.add(each);
    return () => {
      this.#listeners.delete(each);
    };
  }

  async close(): Promise<void> {
    this.#unwatch();
    this.#listeners.clear();
    await this.catalog.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  get #directoryRead(): boolean {
    return this.#handlers['resources/directory/read'] !== undefined;
  }

  #changed(changes: CatalogChanges): void {
    // A refresh has been counted when it was called.
    if (this.#refreshing === 0) this.#version += 1;
    this.#tell(changes);
  }

  #tell(changes: CatalogChanges): void {
    this.#told += 1;
    for (const listener of [...this.#listeners]) {
      try {
        listener(changes);
      } catch (error) {
        this.#logger.error('a change listener threw', {
          error: error instanceof Error ? (error.stack ?? error.message) : typeof error,
        });
      }
    }
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
      handlers: this.#handlers,
      contextOf: (era) => contexts[era],
      logger: this.#logger,
    });
  }
}
