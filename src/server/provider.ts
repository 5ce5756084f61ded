/**
 * The provider: a catalog with its surfaces, ready for MCP servers.
 *
 * @module
 */
import type { Server } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChanges, CatalogOptions } from '../catalog/catalog.ts';
import type { Logger } from '../logger.ts';
import type { Source } from '../source/source.ts';

/** Options of {@link createProvider}. */
export interface ProviderOptions extends Omit<CatalogOptions, 'logger' | 'onProgress'> {
  /** Where the skills are. Missing: `PROVIDER_MISSING_FS`. */
  readonly source: Source;
  /** Freshness hint of modern results in ms. @default 5000 */
  readonly ttlMs?: number;
  /** Who may cache a result. @default 'private' */
  readonly cacheScope?: 'private' | 'public';
  /** Entries on a page of any list. @default max(500, ⌈n/40⌉) */
  readonly pageSize?: number;
  /** Prefix of extra frontmatter in a resource's `_meta`; empty: none goes out. @default 'io.modelcontextprotocol.skills/' */
  readonly metaPrefix?: string;
  /** Serve `resources/directory/read`. @default true */
  readonly directoryRead?: boolean;
  /** Name and version that the server reports. @default skillwire and its version */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  readonly logger?: Logger;
  readonly onProgress?: CatalogOptions['onProgress'];
}

/** A catalog with its surfaces, ready for MCP servers. */
export interface SkillProvider {
  readonly catalog: Catalog;
  readonly cacheScope: 'private' | 'public';
  /** Counts calls of `refresh` and changes found; starts at 0. */
  readonly version: number;
  /** Hash of all entries and their digests. */
  readonly revision: string;
  /** A new official low-level server with everything registered, not yet connected. One per session or request. */
  createServer(options: { readonly transport: 'stdio' | 'http' }): Server;
  /** Scans the source again. */
  refresh(): Promise<CatalogChanges>;
  onChange(listener: (changes: CatalogChanges) => void): () => void;
  /** Closes catalog and source. Twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
