/**
 * Which requests have a prepared answer: those that are right in every part, so that nothing is left to say but the result.
 *
 * @module
 */
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { Era } from './context.ts';
import type { PreparedMethod, PreparedResults } from './prepared.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A request that has a prepared answer. */
export interface PreparedRequest {
  readonly id: string | number;
  readonly method: PreparedMethod;
  readonly params: Fields;
}

/** The revision of modern requests. */
export const PREPARED_REVISION = '2026-07-28';

/** The parameters that a prepared result depends on; a request with any other is for the SDK to answer. */
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
/** The last of them, which most requests have again. */
let usual: Fields | undefined;
const NO_PARAMS: Fields = {};

/**
 * The request in a message, if it has a prepared answer: a request of the era that is right in every part, for a method
 * whose results are prepared. Undefined for every other, which the SDK answers or refuses.
 *
 * @example
 * const asked = preparedRequest(message, 'modern', prepared)
 */
export function preparedRequest(
  message: unknown,
  era: Era,
  prepared: PreparedResults,
): PreparedRequest | undefined {
  if (!isFields(message)) return undefined;
  const { jsonrpc, id, method, params: given } = message;
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !prepared.has(method)) return undefined;
  if (countOf(message) !== (given === undefined ? 3 : 4)) return undefined;
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  const params = given === undefined && era === 'legacy' ? NO_PARAMS : given;
  if (!isFields(params)) return undefined;
  const known = PARAMS[method];
  for (const name in params) {
    if (name !== '_meta' && !(known.includes(name) && typeof params[name] === 'string')) return undefined;
  }
  if (known[0] === 'uri' && (params.uri === undefined || params.uri === '')) return undefined;
  const fits = era === 'modern' ? isEnvelope(params._meta, message, method) : isLegacyMeta(params._meta);
  return fits ? { id: id as string | number, method, params } : undefined;
}

/** Nothing, or where to tell progress, of which there is none. */
function isLegacyMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isFields(meta)) return false;
  for (const name in meta) {
    if (name !== 'progressToken') return false;
  }
  const { progressToken: token } = meta;
  return token === undefined || typeof token === 'string' || Number.isSafeInteger(token);
}

/** The place in a trace is nothing that an envelope is judged by. */
function withoutTrace(key: string, value: unknown): unknown {
  return typeof value === 'string' && TRACE_KEYS.has(key) ? undefined : value;
}

/** Whether two values say the same, places in a trace apart. It goes no deeper than `right` does, whose length is bounded. */
function isAlike(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [given, known] = [left as Fields, right as Fields];
  let more = 0;
  for (const name in given) {
    if (!Object.hasOwn(known, name)) return false;
    const [value, before] = [given[name], known[name]];
    const isTrace = typeof value === 'string' && typeof before === 'string' && TRACE_KEYS.has(name);
    if (!isTrace && !isAlike(value, before)) return false;
    more += 1;
  }
  for (const _ in known) more -= 1;
  return more === 0;
}

/** Whether the SDK takes a request with this envelope for a modern one; it is asked once for each envelope. */
function isEnvelope(meta: unknown, body: Fields, method: string): boolean {
  if (!isFields(meta)) return false;
  if (usual !== undefined && isAlike(meta, usual)) return true;
  try {
    const text = 'traceparent' in meta ? JSON.stringify(meta, withoutTrace) : JSON.stringify(meta);
    // Written, a number beyond all bounds reads null, which may stand where it may not.
    if (!envelopes.has(text) || text.includes('null')) {
      if (!isModern(body, method)) return false;
      if (text.length > ENVELOPE_LENGTH) return true;
      if (envelopes.size >= ENVELOPES) envelopes.clear();
      envelopes.add(text);
    }
    usual = meta;
    return true;
  } catch {
    // Nested deeper than can be written or judged here.
    return false;
  }
}

function isModern(body: Fields, method: string): boolean {
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: PREPARED_REVISION,
    mcpMethodHeader: method,
    body,
  });
  return outcome.kind === 'modern' && outcome.classification.revision === PREPARED_REVISION;
}

/** How many members a parsed object has. */
function countOf(fields: Fields): number {
  let count = 0;
  for (const _ in fields) count += 1;
  return count;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
