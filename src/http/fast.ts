/**
 * The short way of a modern request whose result is prepared: what the SDK's handler would answer, without its objects.
 *
 * @module
 */
import type { ServerResponse } from 'node:http';
import { type PreparedResults, preparedOf } from '../server/prepared.ts';
import type { PreparedBytes } from '../server/prepared-cache.ts';
import { PREPARED_REVISION, type PreparedRequest, preparedRequest } from '../server/prepared-request.ts';
import type { SkillProvider } from '../server/provider.ts';
import { type GzipAnswer, gzipAnswer } from './gzip-answer.ts';

/** Writes an answer; `head` is everything before the id. */
export type SendFast = (id: string | number, head: PreparedBytes) => void;

/** Headers by name in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Answers a request that has the short way, and says whether it did. Every other, and one whose result cannot be had, is
 * left to the SDK's handler: it says what is wrong.
 *
 * @example
 * if (await answeredFast(provider, request.headers, body, sendTo(response))) return
 */
export function answeredFast(
  provider: SkillProvider,
  headers: RequestHeaders,
  body: unknown,
  send: SendFast,
): boolean | Promise<boolean> {
  const prepared = preparedOf(provider, 'http', 'modern');
  const fast = prepared && fastRequest(headers, body, prepared);
  if (prepared === undefined || fast === undefined) return false;
  const startTime = prepared.startTime();
  const sent = (head: PreparedBytes): true => {
    if (startTime !== undefined) prepared.tell(fast.method, fast.params, startTime);
    send(fast.id, head);
    return true;
  };
  let head: PreparedBytes | Promise<PreparedBytes>;
  try {
    head = prepared.answer(fast.method, fast.params);
  } catch {
    return false;
  }
  return head instanceof Promise ? head.then(sent, () => false) : sent(head);
}

/** The request in a body, if its answer is prepared and its headers agree with it (the SDK's checks, in its words). */
function fastRequest(
  headers: RequestHeaders,
  body: unknown,
  prepared: PreparedResults,
): PreparedRequest | undefined {
  if (headers['mcp-protocol-version'] !== PREPARED_REVISION) return undefined;
  const asked = preparedRequest(body, 'modern', prepared);
  if (asked === undefined || headers['mcp-method'] !== asked.method) return undefined;
  if (asked.method === 'resources/read' && headers['mcp-name'] !== asked.params.uri) return undefined;
  return asked;
}

/** What writes an answer to a response of Node's, with its length; a large one in gzip where the client takes it. */
export function sendTo(response: ServerResponse, inGzip: boolean): SendFast {
  return (id, head) => {
    if (response.destroyed || response.headersSent) return;
    const after = `${JSON.stringify(id)}}`;
    const gzip = inGzip ? gzipAnswer(head, after) : undefined;
    if (gzip !== undefined) {
      sendGzip(response, gzip);
      return;
    }
    const bytes = Buffer.byteLength(after);
    response.writeHead(200, {
      'x-content-type-options': 'nosniff',
      'content-type': 'application/json',
      'content-length': head.length + bytes,
    });
    if (typeof head === 'string') {
      // In one piece with the headers, which costs the system less than the three of the other way.
      response.end(head + after, bytes === after.length ? 'latin1' : 'utf8');
      return;
    }
    response.write(head);
    response.end(after);
  };
}

function sendGzip(response: ServerResponse, { front, end }: GzipAnswer): void {
  response.writeHead(200, {
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    vary: 'accept-encoding',
    'content-length': front.length + end.length,
  });
  response.write(front);
  response.end(end);
}
