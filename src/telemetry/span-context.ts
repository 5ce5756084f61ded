/**
 * Which span a new one belongs to, also where the host handed in no context manager.
 *
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type {
  OpenTelemetryApi,
  OtelContext,
  OtelSpan,
  OtelSpanContext,
  OtelTraceState,
} from './open-telemetry.ts';
import type { RemoteTrace } from './trace-context.ts';

/** A span of ours while its operation runs. */
export interface Frame {
  readonly span: Pick<OtelSpan, 'spanContext'>;
  /** What an inner span recorded, so that no outer one records it again. */
  recorded?: { readonly error: unknown };
}

const frames = new AsyncLocalStorage<Frame>();

/** The key under which the API keeps the current span; its versions share it, so that they work together. */
const SPAN_KEY = Symbol.for('OpenTelemetry Context Key SPAN');

/** A context where the API is not at hand. */
class PlainContext implements OtelContext {
  readonly #values: ReadonlyMap<symbol, unknown>;

  constructor(values: ReadonlyMap<symbol, unknown> = new Map()) {
    this.#values = values;
  }

  getValue(key: symbol): unknown {
    return this.#values.get(key);
  }

  setValue(key: symbol, value: unknown): OtelContext {
    return new PlainContext(new Map(this.#values).set(key, value));
  }

  deleteValue(key: symbol): OtelContext {
    const values = new Map(this.#values);
    values.delete(key);
    return new PlainContext(values);
  }
}

/**
 * The operation that is running here, or undefined.
 *
 * @example
 * currentFrame()?.span.spanContext().traceId
 */
export function currentFrame(): Frame | undefined {
  return frames.getStore();
}

/**
 * Runs `run` with `frame` as the operation that is running.
 *
 * @example
 * inFrame({ span }, () => client.request(request))
 */
export function inFrame<T>(frame: Frame, run: () => T): T {
  return frames.run(frame, run);
}

/**
 * The context that a new span starts in: that of a caller on the other side where one came with the request, else the
 * host's own, else the operation that is running. Undefined leaves it to the tracer.
 *
 * @example
 * tracer.startActiveSpan(name, options, parentContext(api, undefined) ?? …, run)
 */
export function parentContext(
  api: OpenTelemetryApi | undefined,
  remote: RemoteTrace | undefined,
): OtelContext | undefined {
  const base = api?.context.active();
  if (remote !== undefined) {
    const traceState = remote.tracestate === undefined ? undefined : parseState(api, remote.tracestate);
    const spanContext: OtelSpanContext = {
      ...remote.spanContext,
      ...(traceState !== undefined && { traceState }),
    };
    return (base ?? new PlainContext()).setValue(SPAN_KEY, { spanContext: () => spanContext });
  }
  if (base?.getValue(SPAN_KEY) !== undefined) return base;
  const frame = currentFrame();
  return frame === undefined ? base : (base ?? new PlainContext()).setValue(SPAN_KEY, frame.span);
}

/** The span that a request belongs to, or undefined. */
export function activeSpanContext(api: OpenTelemetryApi | undefined): OtelSpanContext | undefined {
  const span = api?.context.active().getValue(SPAN_KEY);
  return isSpan(span) ? span.spanContext() : currentFrame()?.span.spanContext();
}

function isSpan(value: unknown): value is Pick<OtelSpan, 'spanContext'> {
  return typeof value === 'object' && value !== null && 'spanContext' in value;
}

function parseState(api: OpenTelemetryApi | undefined, raw: string): OtelTraceState | undefined {
  return api?.createTraceState(raw);
}
