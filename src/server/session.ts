/**
 * Change notifications for the session of one server.
 *
 * @module
 */
import {
  type Notification,
  PerRequestHTTPServerTransport,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import { startPace } from '../pace.ts';
import type { Broadcast } from './notify.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Revisions of the protocol are dates; from this one on, clients say in a stream what they want to hear. */
const MODERN = '2026-07-28';

/**
 * Sends `notifications/resources/list_changed` and `notifications/prompts/list_changed` where they are due, and
 * `notifications/resources/updated` for what is subscribed to, to the server's session with each broadcast, from when it is connected until its transport closes. Nothing is held before or
 * after, so a server that is dropped leaves nothing behind; a server that is connected again hears of changes again.
 *
 * Before a session is negotiated nothing is sent: the client has not listed anything yet. To a modern client everything
 * is sent, since the SDK's stdio gives each of its streams what that asked for; to a server of one HTTP request nothing,
 * since its client hears of changes in a stream of its own.
 *
 * @example
 * notifySession(server, { onBroadcast: (listener) => provider.onBroadcast(listener), subscriptions, logger })
 */
export function notifySession(
  server: Server,
  options: {
    readonly onBroadcast: (listener: (broadcast: Broadcast) => void) => () => void;
    readonly subscriptions: Subscriptions;
    readonly logger: Logger;
  },
): void {
  const { onBroadcast, subscriptions, logger } = options;
  const notify = (method: string, params: Readonly<Record<string, unknown>>): void => {
    // Not waited for: what is asked for after a change must be answered after it was told.
    server.notification({ method, params } as Notification).catch((error: unknown) => {
      logger.debug('a change could not be told', {
        error: error instanceof Error ? error.message : 'unknown',
      });
    });
  };
  const tell = async ({ params, promptsChanged, updated }: Broadcast): Promise<void> => {
    const revision = server.getNegotiatedProtocolVersion();
    if (revision === undefined) return;
    if (params !== undefined) notify('notifications/resources/list_changed', params);
    if (promptsChanged) notify('notifications/prompts/list_changed', {});
    const pace = startPace();
    for (const changed of updated) {
      for (const uri of revision < MODERN ? subscriptions.heard(changed) : [changed]) {
        if (pace.due()) await pace.rest();
        notify('notifications/resources/updated', { uri });
      }
    }
  };
  const connect = server.connect.bind(server);
  server.connect = async (transport: Transport): Promise<void> => {
    if (transport instanceof PerRequestHTTPServerTransport) return connect(transport);
    const end = onBroadcast((broadcast) => void tell(broadcast));
    // The transport's own hook, since `server.onclose` belongs to whoever uses the server.
    const onclose = transport.onclose;
    transport.onclose = () => {
      end();
      onclose?.();
    };
    try {
      await connect(transport);
    } catch (error) {
      end();
      throw error;
    }
  };
}
