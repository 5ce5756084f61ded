/**
 * The parts of a client, put together from its options.
 *
 * @module
 */
import type { Client } from '@modelcontextprotocol/client';
import { systemClock } from '../clock.ts';
import { capOf, LIMITS } from '../limits.ts';
import { silentLogger } from '../logger.ts';
import { createTelemetry, type Telemetry } from '../telemetry/index.ts';
import { Connection } from './connection.ts';
import { ContentCache } from './content-cache.ts';
import { Dialects } from './detect.ts';
import { DynamicGuard } from './dynamic.ts';
import { Listings } from './listings.ts';
import type { SkillsClientOptions } from './options.ts';
import { readersOf } from './readers.ts';
import { SeedReads } from './seed-reads.ts';
import { SkillReads } from './skill-reads.ts';
import type { WalkLimits } from './walk.ts';

/** What a client is made of. */
export interface ClientParts {
  readonly connection: Connection;
  readonly dialects: Dialects;
  readonly listings: Listings;
  readonly seed: SeedReads;
  readonly reads: SkillReads;
  readonly telemetry: Telemetry;
  readonly walk: WalkLimits;
}

/**
 * The parts for one connected client of the official SDK. Errors: those of `readersOf`.
 *
 * @example
 * const { listings } = clientParts(client, { origin: 'docs' })
 */
export function clientParts(client: Client, options: SkillsClientOptions): ClientParts {
  const { clock = systemClock, random = Math.random, logger = silentLogger, cacheBytes, dialect } = options;
  const telemetry = createTelemetry(options);
  const { requestTimeoutMs, serverByteBudget, reconnect, maxResourceBytes } = options;
  const connection = new Connection(client, {
    requestTimeoutMs,
    serverByteBudget,
    reconnect,
    clock,
    random,
    telemetry,
  });
  const walk: WalkLimits = {
    maxPages: capOf(options.maxPages, LIMITS.clientPages),
    maxEntries: capOf(options.maxEntries, LIMITS.clientEntries),
    clock,
  };
  const readers = readersOf(
    {
      connection,
      walk,
      maxResourceBytes: capOf(maxResourceBytes, LIMITS.clientResourceBytesOther),
      clock,
      logger,
    },
    options,
  );
  const dialects = new Dialects(connection, readers, dialect !== undefined);
  const listings = new Listings({ connection, dialects, telemetry, clock });
  return {
    connection,
    dialects,
    listings,
    seed: new SeedReads({
      connection,
      dialects,
      telemetry,
      maxResourceBytes,
      elsewhere: options.wellKnown !== undefined || dialect !== undefined,
    }),
    reads: new SkillReads({
      dialects,
      listings,
      telemetry,
      maxResourceBytes,
      cache: new ContentCache(cacheBytes === false ? 0 : capOf(cacheBytes, LIMITS.clientCacheBytes)),
      dynamic: new DynamicGuard(options.dynamic),
    }),
    telemetry,
    walk,
  };
}
