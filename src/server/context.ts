/**
 * What a surface knows of the request beside its parameters.
 *
 * @module
 */

/** `modern` is 2026-07-28 and later, `legacy` everything before. */
export type Era = 'modern' | 'legacy';

/** How a server reaches its client: decides how large a response may be. */
export type ServedOver = 'stdio' | 'http';

/** Facts and caps for one request; plain data, no type of the SDK. */
export interface SurfaceContext {
  readonly era: Era;
  /** Freshness hint in ms, sent on modern results only. */
  readonly ttlMs: number;
  readonly cacheScope: 'private' | 'public';
  /** Entries on a page; absent: max(500, ⌈n/40⌉). */
  readonly pageSize?: number;
  /** JSON bytes of one page. */
  readonly pageBytes: number;
  /** JSON bytes of one response. */
  readonly responseBytes: number;
  /** Prefix of extra frontmatter in a resource's `_meta`. */
  readonly metaPrefix: string;
  /** What this client is shown beside resources; absent: nothing. */
  readonly exposed?: Exposed;
}

/** What a client is shown beside resources. */
export interface Exposed {
  readonly tools: boolean;
  readonly prompts: boolean;
  /** Others are shown something else, so that no shared cache may keep a list. */
  readonly perClient: boolean;
}
