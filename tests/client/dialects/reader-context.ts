import type { Client } from '@modelcontextprotocol/client';
import { Connection } from '../../../src/client/connection.ts';
import type { ReaderContext } from '../../../src/client/reader-context.ts';
import { type Clock, systemClock } from '../../../src/clock.ts';
import { silentLogger } from '../../../src/logger.ts';
import { createTelemetry } from '../../../src/telemetry/index.ts';

export interface ContextSetting {
  readonly clock?: Clock;
  readonly maxResourceBytes?: number;
  readonly serverByteBudget?: number;
  readonly maxPages?: number;
  readonly maxEntries?: number;
}

/** What a reader stands on, over a connected client. */
export function contextOf(client: Client, setting: ContextSetting = {}): ReaderContext {
  const {
    clock = systemClock,
    maxResourceBytes = 10_485_760,
    serverByteBudget,
    maxPages = 1_000,
    maxEntries = 200_000,
  } = setting;
  return {
    connection: new Connection(client, {
      serverByteBudget,
      clock,
      random: () => 0.5,
      telemetry: createTelemetry({}),
    }),
    walk: { maxPages, maxEntries, clock },
    maxResourceBytes,
    clock,
    logger: silentLogger,
  };
}

/** A clock that moves when told to. */
export function handClock(): Clock & { readonly advance: (ms: number) => void } {
  let now = 0;
  return {
    now: () => now,
    date: () => new Date(now),
    after: () => () => {},
    advance: (ms) => {
      now += ms;
    },
  };
}
