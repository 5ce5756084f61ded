/**
 * The 2026-07-28 side of `/mcp`: stateless requests, and `subscriptions/listen` streams.
 *
 * @module
 */
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import { startPace } from '../pace.ts';
import type { Broadcast } from '../server/notify.ts';
import type { SkillProvider } from '../server/provider.ts';
import { failureText } from './failure.ts';

/** The modern handlers, one for each provider. */
export interface ModernHandlers {
  /**
   * The handler of a provider, for one request. While a request that listens is there, the provider's broadcasts are
   * published to its streams, which end when the provider closes. `leave` is due when the request is over; again is fine.
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
  readonly requests: McpHttpHandler;
  /** Of its own, so that streams can be ended without the requests under way. */
  readonly streams: McpHttpHandler;
  entered: number;
  listening: number;
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

  const handlerOf = (provider: SkillProvider): McpHttpHandler =>
    createMcpHandler(() => provider.createServer({ transport: 'http', listChanged: true }), {
      legacy: 'reject',
      // The places are counted over all providers and both eras; the SDK's own count must not come first.
      maxSubscriptions: Number.MAX_SAFE_INTEGER,
      onerror: (error) =>
        options.logger.debug('the modern handler refused or failed', { error: error.message }),
    });

  const holdOf = (provider: SkillProvider): Held => {
    let hold = held.get(provider);
    if (hold === undefined) {
      hold = {
        requests: handlerOf(provider),
        streams: handlerOf(provider),
        entered: 0,
        listening: 0,
        unsubscribe: () => undefined,
      };
      held.set(provider, hold);
    }
    return hold;
  };

  /** Publishes the provider's broadcasts to the streams, and ends them with it. */
  const follow = (provider: SkillProvider, hold: Held): (() => void) => {
    const { bus } = hold.streams;
    const publish = async ({ params, promptsChanged, updated }: Broadcast): Promise<void> => {
      if (params !== undefined) bus.publish({ kind: 'resources_list_changed', params });
      if (promptsChanged) bus.publish({ kind: 'prompts_list_changed' });
      // Each is compared with what each stream asked for, which takes a while when thousands of files changed.
      const pace = startPace();
      for (const uri of updated) {
        if (pace.due()) await pace.rest();
        bus.publish({ kind: 'resource_updated', uri });
      }
    };
    const endBroadcasts = provider.onBroadcast((broadcast) => void publish(broadcast));
    const endClose = provider.onClose(() => {
      // A stream that is asked for later gets a handler that is not closed, and with it the provider's own answer.
      held.delete(provider);
      hold.streams.close().catch((error: unknown) => {
        options.logger.warn('streams of a closed provider did not end', { error: failureText(error) });
      });
    });
    return () => {
      endBroadcasts();
      endClose();
    };
  };

  return {
    enter(provider, { listens }) {
      const hold = holdOf(provider);
      if (listens && hold.listening === 0) hold.unsubscribe = follow(provider, hold);
      hold.entered += 1;
      if (listens) hold.listening += 1;
      inUse.add(hold);
      let inside = true;
      const leave = (): void => {
        if (!inside) return;
        inside = false;
        hold.entered -= 1;
        if (listens) hold.listening -= 1;
        if (listens && hold.listening === 0) hold.unsubscribe();
        if (hold.entered === 0) inUse.delete(hold);
      };
      return { handler: listens ? hold.streams : hold.requests, leave };
    },
    async close() {
      await Promise.all([...inUse].flatMap((hold) => [hold.requests.close(), hold.streams.close()]));
    },
  };
}
