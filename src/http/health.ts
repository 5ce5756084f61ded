/**
 * `/healthz` and `/readyz`: the two paths that need neither token nor name, and tell nothing but ok.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse, sendText } from './reply.ts';

const PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Answers a health request and returns true, or returns false for any other path.
 *
 * `/healthz` says that the process answers; `/readyz` is 503 while `ready` says no.
 *
 * @example
 * if (answerHealth(path, request, response, () => !closing)) return
 */
export function answerHealth(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  ready: () => boolean,
): boolean {
  if (!PATHS.has(path)) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    refuse(request, response, {
      status: 405,
      code: -32000,
      message: 'Method not allowed',
      headers: { allow: 'GET, HEAD' },
    });
  } else if (path === '/healthz' || ready()) sendText(response, 200, 'ok\n');
  else sendText(response, 503, 'not ready\n');
  return true;
}
