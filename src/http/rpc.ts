/**
 * What the HTTP room must know of a JSON-RPC body: its ids, and which era it belongs to.
 *
 * @module
 */
import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';

/** The id of a JSON-RPC request. */
export type RpcId = string | number;

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function messagesOf(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** The ids of the requests in a body, in order. */
export function requestIds(body: unknown): RpcId[] {
  const ids: RpcId[] = [];
  for (const message of messagesOf(body)) {
    if (!isObject(message) || typeof message.method !== 'string') continue;
    const id = message.id;
    if (typeof id === 'string' || typeof id === 'number') ids.push(id);
  }
  return ids;
}

/** Whether an id stands twice in `ids`, or stands in `taken` already. */
export function repeatedId(ids: readonly RpcId[], taken: ReadonlySet<RpcId>): boolean {
  return new Set(ids).size < ids.length || ids.some((id) => taken.has(id));
}

/** The ids that a body's `notifications/cancelled` name. */
export function cancelledIds(body: unknown): RpcId[] {
  const ids: RpcId[] = [];
  for (const message of messagesOf(body)) {
    if (!isObject(message) || message.method !== 'notifications/cancelled' || !isObject(message.params))
      continue;
    const id = message.params.requestId;
    if (typeof id === 'string' || typeof id === 'number') ids.push(id);
  }
  return ids;
}

/** The id to put on an error that answers this body as a whole. */
export function answerId(body: unknown): RpcId | undefined {
  return Array.isArray(body) ? undefined : requestIds(body)[0];
}

/** The method of a single request or notification. */
export function methodOf(body: unknown): string | undefined {
  return isObject(body) && typeof body.method === 'string' ? body.method : undefined;
}

/** Whether a body opens a session: an `initialize`, alone or in a batch by itself. */
export function isInitialize(body: unknown): boolean {
  return methodOf(Array.isArray(body) && body.length === 1 ? body[0] : body) === 'initialize';
}

/**
 * Whether a POST belongs to a 2025-era session. Everything else, invalid requests too, is the modern handler's to answer.
 *
 * A request that names its protocol version in `_meta` is never legacy, but for `initialize`; the SDK's own
 * classification, which costs as much as the rest of a small request, decides the others.
 *
 * @example
 * if (isLegacy(request.headers, body)) answerInSession()
 */
export function isLegacy(headers: IncomingHttpHeaders, body: unknown): boolean {
  if (isObject(body) && body.method !== 'initialize' && isObject(body.params)) {
    const meta = body.params._meta;
    if (isObject(meta) && PROTOCOL_VERSION_META_KEY in meta) return false;
  }
  const version = headers['mcp-protocol-version'];
  const method = headers['mcp-method'];
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(typeof version === 'string' ? { protocolVersionHeader: version } : {}),
    ...(typeof method === 'string' ? { mcpMethodHeader: method } : {}),
    body,
  });
  return outcome.kind === 'legacy';
}
