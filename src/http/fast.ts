/**
 * The short way of a modern request whose result is prepared: what the SDK's handler would answer, without its objects.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { type PreparedMethod, type PreparedResults, preparedOf } from '../server/prepared.ts';
import type { SkillProvider } from '../server/provider.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request that has the short way. */
interface FastRequest {
  readonly id: string | number;
  readonly method: PreparedMethod;
  readonly params: Fields;
}

/** The revision that the short way speaks. */
const REVISION = '2026-07-28';
/** The parameters that a prepared result depends on; a request with any other goes the long way. */
const PARAMS: Readonly<Record<PreparedMethod, readonly string[]>> = {
  'skills/list': ['cursor'],
  'skills/get': ['uri'],
  'resources/list': ['cursor'],
  'resources/read': ['uri'],
  'resources/directory/read': ['uri', 'cursor'],
};
/** Names of `_meta` that are others in each request of a trace. */
const TRACE_KEYS: ReadonlySet<string> = new Set(['traceparent', 'tracestate', 'baggage']);
/** Envelopes found to be right that are remembered, and how long one may be: clients send the same one each time. */
const ENVELOPES = 256;
const ENVELOPE_LENGTH = 4_096;
const envelopes: Set<string> = new Set();

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
  const prepared = preparedOf(provider);
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

/**
 * The request in a body, if it has the short way: one of 2026-07-28 that is right in every part, with headers that
 * agree with it, for a result that is prepared. Undefined for every other, which the SDK's handler answers or refuses.
 */
function fastRequest(
  request: IncomingMessage,
  body: unknown,
  prepared: PreparedResults,
): FastRequest | undefined {
  if (!isFields(body)) return undefined;
  const { jsonrpc, id, method, params, ...rest } = body;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isFields(params)) return undefined;
  for (const _ in rest) return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  if (!prepared.has(method)) return undefined;
  const { headers } = request;
  if (headers['mcp-protocol-version'] !== REVISION || headers['mcp-method'] !== method) return undefined;
  const known = PARAMS[method];
  for (const name in params) {
    if (name !== '_meta' && !(known.includes(name) && typeof params[name] === 'string')) return undefined;
  }
  if (known[0] === 'uri' && (params.uri === undefined || params.uri === '')) return undefined;
  if (method === 'resources/read' && headers['mcp-name'] !== params.uri) return undefined;
  if (!isEnvelope(params._meta, body, method)) return undefined;
  return { id: id as string | number, method, params };
}

/** The place in a trace is nothing that an envelope is judged by. */
function withoutTrace(key: string, value: unknown): unknown {
  return typeof value === 'string' && TRACE_KEYS.has(key) ? undefined : value;
}

/** Whether the SDK takes a request with this envelope for a modern one; it is asked once for each envelope. */
function isEnvelope(meta: unknown, body: Fields, method: string): boolean {
  if (!isFields(meta)) return false;
  const text = 'traceparent' in meta ? JSON.stringify(meta, withoutTrace) : JSON.stringify(meta);
  if (envelopes.has(text)) return true;
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: REVISION,
    mcpMethodHeader: method,
    body,
  });
  if (outcome.kind !== 'modern' || outcome.classification.revision !== REVISION) return false;
  if (text.length <= ENVELOPE_LENGTH) {
    if (envelopes.size >= ENVELOPES) envelopes.clear();
    envelopes.add(text);
  }
  return true;
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

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
