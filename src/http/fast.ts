/**
 * The short way of a modern request whose result is prepared: what the SDK's handler would answer, without its objects.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type PreparedResults, preparedOf } from '../server/prepared.ts';
import { PREPARED_REVISION, type PreparedRequest, preparedRequest } from '../server/prepared-request.ts';
import type { SkillProvider } from '../server/provider.ts';

/**
 * Answers a request that has the short way, and says whether it did. Every other, and one whose result cannot be had, is
 * left to the SDK's handler: it says what is wrong.
 *
 * @example
 * if (await answeredFast(provider, request, response, body)) return
 */
export function answeredFast(
  provider: SkillProvider,
  request: IncomingMessage,
  response: ServerResponse,
  body: unknown,
): boolean | Promise<boolean> {
  const prepared = preparedOf(provider, 'http', 'modern');
  const fast = prepared && fastRequest(request, body, prepared);
  if (prepared === undefined || fast === undefined) return false;
  const startTime = performance.timeOrigin + performance.now();
  const send = (head: Buffer): true => {
    prepared.tell(fast.method, fast.params, startTime);
    writeAnswer(response, fast.id, head);
    return true;
  };
  let head: Buffer | Promise<Buffer>;
  try {
    head = prepared.answer(fast.method, fast.params);
  } catch {
    return false;
  }
  return head instanceof Promise ? head.then(send, () => false) : send(head);
}

/** The request in a body, if its answer is prepared and its headers agree with it (the SDK's checks, in its words). */
function fastRequest(
  { headers }: IncomingMessage,
  body: unknown,
  prepared: PreparedResults,
): PreparedRequest | undefined {
  if (headers['mcp-protocol-version'] !== PREPARED_REVISION) return undefined;
  const asked = preparedRequest(body, 'modern', prepared);
  if (asked === undefined || headers['mcp-method'] !== asked.method) return undefined;
  if (asked.method === 'resources/read' && headers['mcp-name'] !== asked.params.uri) return undefined;
  return asked;
}

/** Writes the answer to a request, with its length; `head` is everything before the id, shared and not copied. */
function writeAnswer(response: ServerResponse, id: string | number, head: Buffer): void {
  if (response.destroyed || response.headersSent) return;
  const after = `${JSON.stringify(id)}}`;
  response.writeHead(200, {
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json',
    'content-length': head.length + Buffer.byteLength(after),
  });
  response.write(head);
  response.end(after);
}
