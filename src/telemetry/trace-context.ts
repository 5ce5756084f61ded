/**
 * The place of a trace in the `_meta` of a request: W3C Trace Context under the names that MCP reserves for it (SEP-414).
 *
 * @module
 */
import type { OtelSpanContext } from './open-telemetry.ts';

/** What is added to the `_meta` of a request; empty when there is no trace. */
export interface TraceMeta {
  /** Such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent?: string;
  /** Such as `vendor=value`. */
  readonly tracestate?: string;
}

/** What came with a request. */
export interface RemoteTrace {
  readonly spanContext: OtelSpanContext;
  /** Not yet parsed. */
  readonly tracestate: string | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;
/** Printable ASCII, of a length that every participant has to pass on. */
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

/**
 * `traceparent` and `tracestate` for a place in a trace; nothing for one that is not valid. `baggage` is not sent: it is
 * what a host says to its own services.
 *
 * @example
 * traceMetaOf(span.spanContext()) // { traceparent: '00-…-…-01' }
 */
export function traceMetaOf(context: OtelSpanContext | undefined): TraceMeta {
  if (context === undefined || !TRACE_ID.test(context.traceId) || !SPAN_ID.test(context.spanId)) return {};
  const flags = (context.traceFlags & 0xff).toString(16).padStart(2, '0');
  const state = context.traceState?.serialize() ?? '';
  return {
    traceparent: `00-${context.traceId}-${context.spanId}-${flags}`,
    ...(TRACESTATE.test(state) && { tracestate: state }),
  };
}

/**
 * The place in a trace that the `_meta` of a request names, or undefined. Later versions of the format are read as far
 * as version 00 goes; what is not valid starts a trace of its own.
 *
 * @example
 * remoteTraceOf({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' })?.spanContext.traceId
 */
export function remoteTraceOf(meta: unknown): RemoteTrace | undefined {
  if (typeof meta !== 'object' || meta === null) return undefined;
  const { traceparent, tracestate } = meta as Readonly<Record<string, unknown>>;
  const match = typeof traceparent === 'string' && traceparent.length <= 512 && TRACEPARENT.exec(traceparent);
  if (!match) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (!TRACE_ID.test(traceId) || !SPAN_ID.test(spanId)) return undefined;
  return {
    spanContext: { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true },
    tracestate: typeof tracestate === 'string' && TRACESTATE.test(tracestate) ? tracestate : undefined,
  };
}
