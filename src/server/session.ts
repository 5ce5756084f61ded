/**
 * Change notifications for the session of one server.
 *
 * @module
 */
import type { Server, Transport } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';

/**
 * Sends `notifications/resources/list_changed` to the server's session on each change, from when it is connected until
 * its transport closes. Nothing is held before or after, so a server that is dropped leaves nothing behind; a server
 * that is connected again hears of changes again.
 *
 * Before a session is negotiated nothing is sent: the client has not listed anything yet.
 *
 * @example
 * notifySession(server, (listener) => provider.onChange(listener), logger)
 */
export function notifySession(
  server: Server,
  onChange: (listener: () => void) => () => void,
  logger: Logger,
): void {
  const send = (): void => {
    if (server.getNegotiatedProtocolVersion() === undefined) return;
    server.sendResourceListChanged().catch((error: unknown) => {
      logger.debug('list_changed could not be sent', {
        error: error instanceof Error ? error.message : 'unknown',
      });
    });
  };
  const connect = server.connect.bind(server);
  server.connect = async (transport: Transport): Promise<void> => {
    const end = onChange(send);
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
