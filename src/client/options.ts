/**
 * How a client of skills works.
 *
 * @module
 */
import type { Client } from '@modelcontextprotocol/client';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { CustomFetch, Net } from '../net/index.ts';
import type { TelemetryOptions } from '../telemetry/index.ts';
import type { ActivationEvent } from './activation.ts';
import type { DynamicCaps } from './dynamic.ts';
import type { ClientDialect } from './skill.ts';

/** An HTTP origin that may publish skills as documents. */
export interface WellKnownOptions {
  /**
   * The origin, or a folder on it: there it is looked first. Its host may be private; what the documents name on other
   * origins may not, and a fall back from `https` to `http` is not followed.
   */
  readonly url: string;
  /** What fetches, under a policy of its own. @default connections of our own, under that policy */
  readonly net?: Net;
  /** Makes the requests instead; hosts, redirects, caps and times are held all the same. @default none */
  readonly fetch?: CustomFetch;
  /**
   * Also take what is published against the rules and can still be checked: see `ParseWellKnownOptions.tolerant`. What was
   * wrong stands in the problems of the listing. @default false
   */
  readonly tolerant?: boolean;
  /** Sent to the origin of `url` and to no other. @default none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Options of `SkillsClient` (seed `Option`). Each cap: 0 or absent = default, -1 = off. */
export interface SkillsClientOptions extends TelemetryOptions {
  /** Reads this dialect and looks for no other. @default the first that is spoken */
  readonly dialect?: ClientDialect | undefined;
  /** Also look for bare `skill://` resources, which prove nothing by their scheme. @default false */
  readonly plain?: boolean | undefined;
  /** Also look for well-known documents on an HTTP origin. @default none */
  readonly wellKnown?: WellKnownOptions | undefined;
  /** The label that you gave this server; its own name for itself is never used. @default none */
  readonly origin?: string | undefined;
  /**
   * Take skills whose content the server makes anew, within caps.
   * **WARNING**: nothing can check such content.
   * @default false
   */
  readonly dynamic?: boolean | DynamicCaps | undefined;
  /** Bytes of one resource (seed `WithMaxResourceBytes`). @default 16 MiB of a released server, else 10 MiB */
  readonly maxResourceBytes?: number | undefined;
  /** Bytes that this server may send over the life of the client (seed `WithServerByteBudget`). @default off */
  readonly serverByteBudget?: number | undefined;
  /** Pages of one list. @default LIMITS.clientPages (1,000) */
  readonly maxPages?: number | undefined;
  /** Entries of one list. @default LIMITS.clientEntries (200,000) */
  readonly maxEntries?: number | undefined;
  /** Ms of one request. @default LIMITS.clientRequestMs (60 s) */
  readonly requestTimeoutMs?: number | undefined;
  /** Bytes of checked files that are kept in memory; false keeps none. @default LIMITS.clientCacheBytes (32 MiB) */
  readonly cacheBytes?: number | false | undefined;
  /**
   * Gives a client that is connected anew. It is called when the server no longer knows the session or the connection is
   * closed; the request is then sent once more, and what was known of the server is dropped. @default the error stands
   */
  readonly reconnect?: ((signal: AbortSignal) => Promise<Client>) | undefined;
  /** Called at every activation, at once (seed `WithActivationHook`). @default none */
  readonly onActivate?: ((event: ActivationEvent) => void) | undefined;
  /** @default silent */
  readonly logger?: Logger | undefined;
  /** Time, for tests. @default that of the machine */
  readonly clock?: Clock | undefined;
  /** Chance from 0 to 1, for tests. @default Math.random */
  readonly random?: (() => number) | undefined;
}
