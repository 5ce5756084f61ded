/**
 * What every request of a provider knows: its options with their defaults filled in.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { silentLogger } from '../logger.ts';
import { VERSION } from '../version.ts';
import { META_PREFIX } from '../wire/index.ts';
import type { Era, SurfaceContext } from './context.ts';
import { createHandlers, type ServedParts, type SkillMethod } from './handlers.ts';
import { PreparedResults } from './prepared.ts';
import type { ProviderOptions } from './provider.ts';
import { type WireHandler, wireHandlers } from './register.ts';

/** How a server reaches its client: decides how large a response may be. */
export type ServedOver = 'stdio' | 'http';

/** The prefix of extra frontmatter in a resource's `_meta`. */
export function metaPrefixOf({ metaPrefix = META_PREFIX }: ProviderOptions): string {
  return metaPrefix;
}

/**
 * The context of the requests of an era over a transport.
 *
 * @example
 * surfaceContext(options, 'modern', 'http').responseBytes // 24 MiB
 */
export function surfaceContext(options: ProviderOptions, era: Era, transport: ServedOver): SurfaceContext {
  const { pageSize, ttlMs = LIMITS.ttlMs, cacheScope = 'private' } = options;
  return {
    era,
    ttlMs,
    cacheScope,
    ...(pageSize !== undefined && { pageSize }),
    pageBytes: LIMITS.pageBytes,
    responseBytes: transport === 'stdio' ? LIMITS.responseBytesStdio : LIMITS.responseBytesHttp,
    metaPrefix: metaPrefixOf(options),
  };
}

/** What a server says that it is. */
export function serverInfoOf({ serverInfo }: ProviderOptions): {
  readonly name: string;
  readonly version: string;
} {
  return { name: 'skillwire', version: VERSION, ...serverInfo };
}

/** The results that go out over HTTP as bytes, without a server for each request. */
export function preparedResults(served: ServedParts, options: ProviderOptions): PreparedResults {
  return new PreparedResults({
    served,
    handlers: createHandlers(served),
    context: surfaceContext(options, 'modern', 'http'),
    serverInfo: serverInfoOf(options),
    maxBytes: LIMITS.preparedBytes,
  });
}

/** The handlers of what is served, ready for servers of each transport; made once, since HTTP has a server a request. */
export function wireBoth(
  served: ServedParts,
  options: ProviderOptions,
): Readonly<Record<ServedOver, ReadonlyMap<SkillMethod, WireHandler>>> {
  const { logger = silentLogger } = options;
  const wire = (transport: ServedOver): ReadonlyMap<SkillMethod, WireHandler> => {
    const contexts = {
      modern: surfaceContext(options, 'modern', transport),
      legacy: surfaceContext(options, 'legacy', transport),
    };
    return wireHandlers({ handlers: createHandlers(served), contextOf: (era) => contexts[era], logger });
  };
  return { stdio: wire('stdio'), http: wire('http') };
}
