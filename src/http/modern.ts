/**
 * The 2026-07-28 side of `/mcp`: stateless requests, and `subscriptions/listen` streams.
 *
 * @module
 */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';

/** The modern handlers, one for each provider. */
export interface ModernHandlers {
  /**
   * The handler of a provider, for one request. While a request that listens is there, the provider's changes are
   * published to its streams. `leave` is due when the request is over; again is fine.
   */
  enter(
    provider: SkillProvider,
    request: { readonly listens: boolean },
  ): { readonly handler: McpHttpHandler; readonly leave: () => void };
  /** Ends requests under way, and all streams, each with its result. */
  close(): Promise<void>;
}

/** Options of {@link createModernHandlers}. */
export interface ModernHandlersOptions {
  readonly logger: Logger;
}

interface Held {
  readonly handler: McpHttpHandler;
  requests: number;
  listeners: number;
  unsubscribe: () => void;
}

/**
 * Handlers made on demand and held only by their provider and by what is under way, so that a provider its owner
 * drops is dropped here too, with its caches.
 *
 * @example
 * const { handler, leave } = handlers.enter(provider, { listens: false })
 */
export function createModernHandlers(options: ModernHandlersOptions): ModernHandlers {
  const held = new WeakMap<SkillProvider, Held>();
  const inUse = new Set<Held>();

  const holdOf = (provider: SkillProvider): Held => {
    let hold = held.get(provider);
    if (hold === undefined) {
      const handler = createMcpHandler(
        () => provider.createServer({ transport: 'http', listChanged: true }),
        {
          legacy: 'reject',
          // The places are counted over all providers and both eras; the SDK's own count must not come first.
          maxSubscriptions: Number.MAX_SAFE_INTEGER,
          onerror: (error) =>
            options.logger.debug('the modern handler refused or failed', { error: error.message }),
        },
      );
      hold = { handler, requests: 0, listeners: 0, unsubscribe: () => undefined };
      held.set(provider, hold);
    }
    return hold;
  };

  return {
    enter(provider, { listens }) {
      const hold = holdOf(provider);
      if (listens && hold.listeners === 0) {
        hold.unsubscribe = provider.onChange(() => hold.handler.notify.resourcesChanged());
      }
      hold.requests += 1;
      if (listens) hold.listeners += 1;
      inUse.add(hold);
      let inside = true;
      const leave = (): void => {
        if (!inside) return;
        inside = false;
        hold.requests -= 1;
        if (listens) hold.listeners -= 1;
        if (listens && hold.listeners === 0) hold.unsubscribe();
        if (hold.requests === 0) inUse.delete(hold);
      };
      return { handler: hold.handler, leave };
    },
    async close() {
      await Promise.all([...inUse].map((hold) => hold.handler.close()));
    },
  };
}
