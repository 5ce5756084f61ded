/**
 * The provider: a catalog with its surfaces, ready for MCP servers.
 *
 * @module
 */
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChanges, CatalogOptions } from '../catalog/catalog.ts';
import type { Logger } from '../logger.ts';
import type { Source } from '../source/source.ts';
import type { AttachOptions } from './attach.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { ProviderWarning } from './warnings.ts';

export { createProvider } from './create-provider.ts';

/** Options of {@link createProvider}. */
export interface ProviderOptions extends Omit<CatalogOptions, 'logger' | 'onProgress'> {
  /** Where the skills are. Missing: `PROVIDER_MISSING_FS`. */
  readonly source: Source;
  /** Freshness hint of modern results in ms; 0 says "do not cache". @default 5000 */
  readonly ttlMs?: number;
  /** Who may cache a result. @default 'private' */
  readonly cacheScope?: 'private' | 'public';
  /** Entries on a page of any list; 0 or absent is the default, -1 is off (the cap in bytes stays). @default max(500, ⌈n/40⌉) */
  readonly pageSize?: number;
  /** Prefix of extra frontmatter in a resource's `_meta`; empty: none goes out. @default 'io.modelcontextprotocol.skills/' */
  readonly metaPrefix?: string;
  /** Serve `resources/directory/read`. @default true */
  readonly directoryRead?: boolean;
  /** Name and version that the server reports. @default skillwire and its version */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  readonly logger?: Logger;
  readonly onProgress?: NonNullable<CatalogOptions['onProgress']>;
}

/** Options of {@link SkillProvider.createServer}. */
export interface CreateServerOptions {
  /** Decides how large a response may be: 9 MiB over stdio, 24 MiB over HTTP. */
  readonly transport: 'stdio' | 'http';
  /**
   * Advertise `resources.listChanged` and send `notifications/resources/list_changed` to this server's own session.
   * Say true over HTTP only where it arrives: a session with a stream, or an endpoint that publishes
   * {@link SkillProvider.onChange} to its `subscriptions/listen` streams. @default true over stdio, false over HTTP
   */
  readonly listChanged?: boolean;
}

/** A catalog with its surfaces, ready for MCP servers. */
export interface SkillProvider {
  readonly catalog: Catalog;
  readonly cacheScope: 'private' | 'public';
  /** Counts calls of `refresh` and changes found beside them; starts at 0 (decision 13). */
  readonly version: number;
  /** Hash of all entries and their digests. */
  readonly revision: string;
  /** A new official low-level server with everything registered, not yet connected. One per session or request. */
  createServer(options: CreateServerOptions): Server;
  /**
   * Serves the skills on a server of the caller's, beside its tools, resources and prompts; before it is connected.
   * Errors, each leaving the server as it was: `SERVER_CONNECTED`, `ALREADY_ATTACHED`, `HANDLER_TAKEN`.
   */
  attach(server: McpServer | Server, options?: AttachOptions): void;
  /** Every file as a resource definition, in code-point order by URI (seed 000's `Resources`). */
  resources(): readonly SkillResource[];
  /** What a client of this catalog would run into over a transport (stdio by default); for a report at start-up. */
  warnings(transport?: 'stdio' | 'http'): readonly ProviderWarning[];
  /** Scans the source again. Adds 1 to `version` at once, also after `close()`, which then rejects with `PROVIDER_CLOSED`. */
  refresh(): Promise<CatalogChanges>;
  /** Calls `listener` after each change found and after each `refresh`; the returned function ends that. */
  onChange(listener: (changes: CatalogChanges) => void): () => void;
  /** Closes catalog and source. Twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
