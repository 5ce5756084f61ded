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
  /** The handler of a provider; its caches and streams are that provider's alone. */
  of(provider: SkillProvider): McpHttpHandler;
  /** Publishes the provider's changes to its listen streams until the returned function is called. */
  listen(provider: SkillProvider): () => void;
  /** Ends all listen streams, each with its result. */
  close(): Promise<void>;
}

/** Options of {@link createModernHandlers}. */
export interface ModernHandlersOptions {
  readonly maxStreams: number;
  readonly logger: Logger;
}

interface Held {
  readonly handler: McpHttpHandler;
  listeners: number;
  unsubscribe: () => void;
}

/**
 * Handlers made on demand and held only by their provider, so that a provider its owner drops is dropped here too.
 *
 * A provider is subscribed to while a listen stream of it is open, and at no other time.
 *
 * @example
 * const answer = await handlers.of(provider).fetch(web, { parsedBody })
 */
export function createModernHandlers(options: ModernHandlersOptions): ModernHandlers {
  const held = new WeakMap<SkillProvider, Held>();
  const listening = new Set<Held>();

  const holdOf = (provider: SkillProvider): Held => {
    let hold = held.get(provider);
    if (hold === undefined) {
      const handler = createMcpHandler(
        () => provider.createServer({ transport: 'http', listChanged: true }),
        {
          legacy: 'reject',
          // The places are counted over all providers and both eras; the SDK's own count must not come first.
          maxSubscriptions: Number.isFinite(options.maxStreams)
            ? options.maxStreams
            : Number.MAX_SAFE_INTEGER,
          onerror: (error) =>
            options.logger.debug('the modern handler refused or failed', { error: error.message }),
        },
      );
      hold = { handler, listeners: 0, unsubscribe: () => undefined };
      held.set(provider, hold);
    }
    return hold;
  };

  return {
    of: (provider) => holdOf(provider).handler,
    listen(provider) {
      const hold = holdOf(provider);
      hold.listeners += 1;
      if (hold.listeners === 1) {
        hold.unsubscribe = provider.onChange(() => hold.handler.notify.resourcesChanged());
        listening.add(hold);
      }
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        hold.listeners -= 1;
        if (hold.listeners > 0) return;
        hold.unsubscribe();
        listening.delete(hold);
      };
    },
    async close() {
      await Promise.all([...listening].map((hold) => hold.handler.close()));
    },
  };
}
