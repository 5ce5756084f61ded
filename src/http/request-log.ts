/**
 * One line of the log for each request.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../logger.ts';

/**
 * Logs a request at debug when its response is closed; `facts` are what is known of it by then.
 *
 * @example
 * logWhenDone(request, response, '/mcp', facts, logger)
 */
export function logWhenDone(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  facts: Readonly<Record<string, unknown>>,
  logger: Logger,
): void {
  const begun = performance.now();
  response.once('close', () => {
    logger.debug('request', {
      method: request.method,
      // Without the query, which is where other programs put secrets.
      path: path.slice(0, 200),
      status: response.headersSent ? response.statusCode : 'none',
      ms: Math.round(performance.now() - begun),
      ...facts,
    });
  });
}
