/**
 * The provider: a catalog with its surfaces, ready for MCP servers.
 *
 * @module
 */
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { Catalog, CatalogChanges, CatalogOptions } from '../catalog/catalog.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Docs, PromptRegistry } from '../prompts/index.ts';
import type { Source } from '../source/source.ts';
import type { WatchOptions } from '../source/watcher.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { IndexEntry, PathChange } from '../wire/index.ts';
import type { AttachOptions } from './attach.ts';
import type { ServedDialect, SupportingFiles } from './dialects.ts';
import type { ExposedWay, ExposeTo } from './exposure.ts';
import type { Broadcast } from './notify.ts';
import type { PackFormat } from './skill-packer.ts';
import type { SupportingDigests } from './surfaces/draft-index.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { ProviderWarning } from './warnings.ts';
import type { WellKnown } from './well-known.ts';

export { createProvider } from './create-provider.ts';

/** Options of {@link createProvider}. */
export interface ProviderOptions extends Omit<CatalogOptions, 'logger' | 'onProgress'> {
  /** Where the skills are. Missing, with neither `prompts` nor `docs`: `PROVIDER_MISSING_FS`. */
  readonly source?: Source;
  /**
   * What is served beside each other. Without `released` the extension is not declared, since its name promises
   * `skills/list`, and there is no `resources/directory/read`. `well-known` is
   * for HTTP alone. @default all: 'released', 'draft-index', 'fastmcp', 'well-known'
   */
  readonly dialects?: readonly ServedDialect[];
  /**
   * How a client learns of the files beside `SKILL.md`: `template` is one template for each skill (dialect `fastmcp`),
   * `resources` a definition of each file in `resources/list`. Readable they are either way. @default 'template'
   */
  readonly supportingFiles?: SupportingFiles;
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
  /** Serve `skill://index.json` (dialect `draft-index`). @default true */
  readonly index?: boolean;
  /**
   * How long the index is kept, in ms. 0: each read of it makes it anew, which looks at the source first unless `watch` is
   * on; where that takes longer than 50 ms, for a tenth of the time at most. An index that is kept ends with the next
   * change that the provider knows of. @default 0
   */
  readonly indexCacheTtlMs?: number;
  /** Whether the index states a digest for each supporting file. @default 'per-file' */
  readonly supportingDigests?: SupportingDigests;
  /**
   * Archive mode: the index names an archive for each skill instead of its `SKILL.md`. Files stay readable by their URI
   * while `released` or `fastmcp` is served. A skill that cannot be packed, or whose archive would stand where a file of another skill
   * stands, is indexed by its `SKILL.md` then, and left out otherwise. @default off
   */
  readonly archive?: PackFormat;
  /** Unpacked bytes of one archive; 0 or absent is the default, -1 is off. @default 100 MiB */
  readonly archiveMaxBytes?: number;
  /**
   * Prompts to serve beside the skills: as resources, and by `prompts/list` and `prompts/get`. What a reload or a watch of
   * theirs changes is told as changes of skills are. They stay the caller's to close. @default none
   */
  readonly prompts?: PromptRegistry;
  /**
   * Markdown to serve as `resource://docs/…`, and in `resources/list` where it is to be listed. What is told of changes is
   * what `docs` knows of: open it with `listed` or `watch`. It stays the caller's to close. @default none
   */
  readonly docs?: Docs;
  /**
   * What shows the skills to clients that cannot read resources: `tools` for models (`list_skills`, `load_skill`,
   * `read_skill_file`, `read_resource`, all read-only), `prompts` for people, each skill by its name. @default none
   */
  readonly expose?: readonly ExposedWay[];
  /**
   * Who is shown that. A client that declares the extension `io.modelcontextprotocol/skills` has better ways: it sees no
   * such tools and prompts, unless this is `all`. @default 'clients-without-skills'
   */
  readonly exposeTo?: ExposeTo;
  /**
   * The `instructions` that a client is given when it connects, at most 2,000 characters: true names the skills to start
   * from and how to reach them, as they are then; a text is sent as it is. @default true with `expose`, else false
   */
  readonly instructions?: boolean | string;
  /** Follow the source by itself. @default false */
  readonly watch?: boolean | WatchOptions;
  /** A broadcast waits until so long nothing more changed, in ms; 0: none waits. @default 0 */
  readonly coalesceWindowMs?: number;
  /** But never longer than this after the first change it tells, in ms; 0: without end. @default 0 */
  readonly maxWaitMs?: number;
  /** Time between two broadcasts in ms, which wins over both. @default 0 */
  readonly minBroadcastIntervalMs?: number;
  /** Name and version that the server reports. @default skillwire and its version */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  readonly logger?: Logger;
  /** Where requests are told, such as `createTelemetry({ openTelemetry: api })`. @default channels alone */
  readonly telemetry?: Telemetry;
  readonly onProgress?: NonNullable<CatalogOptions['onProgress']>;
  /** The time, for tests. @default that of this machine */
  readonly clock?: Clock;
}

/** Options of {@link SkillProvider.createServer}. */
export interface CreateServerOptions {
  /** Decides how large a response may be: 9 MiB over stdio, 24 MiB over HTTP. */
  readonly transport: 'stdio' | 'http';
  /**
   * Advertise `resources.listChanged` and `resources.subscribe`, and send what changes to this server's own session.
   * Say true over HTTP only where it arrives: a session with a stream, or an endpoint that publishes
   * {@link SkillProvider.onBroadcast} to its `subscriptions/listen` streams. @default true over stdio, false over HTTP
   */
  readonly listChanged?: boolean;
}

/** What the lists of a provider are made from; see {@link SkillProvider.listRevisions}. */
export interface ListRevisions {
  readonly resources: string;
  readonly prompts: string;
}

/** A catalog with its surfaces, ready for MCP servers. */
export interface SkillProvider {
  readonly catalog: Catalog;
  readonly cacheScope: 'private' | 'public';
  /** What an HTTP server serves at `/.well-known`; absent without that dialect. */
  readonly wellKnown?: WellKnown | undefined;
  /**
   * Counts calls of `refresh`, `notifyChanged` and `notifyChangedEvents`, batches of the watcher, and changes found beside
   * them; starts at 0 (decision 13).
   */
  readonly version: number;
  /** Hash of all entries and their digests. */
  readonly revision: string;
  /** Texts that change when `resources/list` or `prompts/list` may have another answer, and what was told of it is over. */
  readonly listRevisions: ListRevisions;
  /** Whether `close()` was called, or a shutdown came so far. */
  readonly closed: boolean;
  /** A new official low-level server with everything registered, not yet connected. One per session or request. */
  createServer(options: CreateServerOptions): Server;
  /**
   * Serves the skills on a server of the caller's, beside its tools, resources and prompts; before it is connected.
   * Errors, each leaving the server as it was: `SERVER_CONNECTED`, `ALREADY_ATTACHED`, `HANDLER_TAKEN`, `USAGE` (no server of
   * the SDK).
   */
  attach(server: McpServer | Server, options?: AttachOptions): void;
  /**
   * Every file as a resource definition, and the archives of archive mode, in code-point order by URI (seed 000's
   * `Resources`); archives alone where files are not readable.
   */
  resources(): readonly SkillResource[];
  /** The index entries of all skills but hidden ones, each by its `SKILL.md` and without digest (seed 000's `Catalog`). */
  catalogEntries(): readonly IndexEntry[];
  /**
   * What names the skills to start from, at most 2,000 characters, for the `instructions` of a server of the caller's;
   * what {@link SkillProvider.createServer} sends where the option is true.
   */
  instructions(): string;
  /** What a client of this catalog would run into over a transport (stdio by default); for a report at start-up. */
  warnings(transport?: 'stdio' | 'http'): readonly ProviderWarning[];
  /**
   * Scans the source again and tells every session, also when nothing changed. Adds 1 to `version` at once, also after
   * `close()`, which then rejects with `PROVIDER_CLOSED`.
   */
  refresh(): Promise<CatalogChanges>;
  /**
   * Says that these paths of the source changed: they are scanned and told, also when nothing is found. Adds 1 to
   * `version` at once, also after `close()`, which then does no more. May be left alone: a scan that fails rejects, the
   * paths are told all the same.
   */
  notifyChanged(...paths: readonly string[]): Promise<void>;
  /** As {@link SkillProvider.notifyChanged}, with what is known of each change. Errors: `USAGE`, thrown at once. */
  notifyChangedEvents(...events: readonly PathChange[]): Promise<void>;
  /** Calls `listener` after each change found and after each `refresh`; the returned function ends that. */
  onChange(listener: (changes: CatalogChanges) => void): () => void;
  /**
   * Calls `listener` with each broadcast: what sessions are told, once the windows of time have passed. For an endpoint
   * with streams of its own; the returned function ends that.
   */
  onBroadcast(listener: (broadcast: Broadcast) => void): () => void;
  /** Calls `listener` when the provider closes; the returned function ends that. */
  onClose(listener: () => void): () => void;
  /** Ends the watcher, drops what was not told, closes catalog and source. Twice is fine. */
  close(): Promise<void>;
  /**
   * Takes what the watcher has seen, tells it in a last broadcast, then closes. An abort closes at once and rejects with
   * the reason of the signal. After `close()` nothing, and the other way round.
   */
  shutdown(options?: { readonly signal?: AbortSignal }): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
