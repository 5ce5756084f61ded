/**
 * What every request of a provider knows: its options with their defaults filled in.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { silentLogger } from '../logger.ts';
import { createTelemetry, type Telemetry } from '../telemetry/index.ts';
import { VERSION } from '../version.ts';
import { META_PREFIX } from '../wire/index.ts';
import type { Era, Exposed, ServedOver, SurfaceContext } from './context.ts';
import type { Exposure, HandlersByClient } from './exposure.ts';
import { createHandlers, type ServedParts, type SkillMethod } from './handlers.ts';
import { type PreparedFor, PreparedResults } from './prepared.ts';
import type { ProviderOptions } from './provider.ts';
import { type WireHandler, wireHandlers } from './register.ts';

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

/** Where the provider tells its requests: on channels at the least. */
export function telemetryOf({ telemetry }: ProviderOptions): Telemetry {
  return telemetry ?? createTelemetry();
}

/** The answers that go out as bytes, without the SDK; those of an era over a transport are made with its first request. */
export function preparedFor(served: ServedParts, options: ProviderOptions): PreparedFor {
  const handlers = createHandlers(served);
  const made = new Map<string, PreparedResults>();
  return (transport, era) => {
    const key = `${transport} ${era}`;
    let prepared = made.get(key);
    if (prepared === undefined) {
      prepared = new PreparedResults({
        served,
        handlers,
        context: surfaceContext(options, era, transport),
        serverInfo: serverInfoOf(options),
        maxBytes: LIMITS.preparedBytes,
        telemetry: telemetryOf(options),
        sharesLooks: transport === 'http',
      });
      made.set(key, prepared);
    }
    return prepared;
  };
}

/**
 * The handlers of what is served, ready for servers of each transport; made once, since HTTP has a server a request. For
 * each there are two sets: for clients that are shown what is exposed, and for the others.
 */
export function wireBoth(
  served: ServedParts,
  exposure: Exposure,
  options: ProviderOptions,
): Readonly<Record<ServedOver, HandlersByClient>> {
  const { logger = silentLogger } = options;
  const telemetry = telemetryOf(options);
  const handlers = createHandlers(served);
  const perClient = exposure.to !== 'all' && (exposure.tools || exposure.prompts);
  const wire = (transport: ServedOver, exposed: Exposed): ReadonlyMap<SkillMethod, WireHandler> => {
    const contexts = {
      modern: { ...surfaceContext(options, 'modern', transport), exposed },
      legacy: { ...surfaceContext(options, 'legacy', transport), exposed },
    };
    return wireHandlers({ handlers, contextOf: (era) => contexts[era], logger, telemetry });
  };
  const { tools, prompts } = exposure;
  const both = (transport: ServedOver): HandlersByClient => ({
    shown: wire(transport, { tools, prompts, perClient }),
    withheld: wire(transport, { tools: false, prompts: false, perClient }),
  });
  return { stdio: both('stdio'), http: both('http') };
}
