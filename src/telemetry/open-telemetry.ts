/**
 * The parts of OpenTelemetry that are used, as shapes: whoever wants telemetry hands the real ones in, so that the
 * package depends on none.
 *
 * @module
 */

/** A place of a trace, as it travels. */
export interface OtelSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly isRemote?: boolean;
  readonly traceState?: OtelTraceState;
}

/** What vendors add to a trace. */
export interface OtelTraceState {
  serialize(): string;
}

/** A span that records. */
export interface OtelSpan {
  spanContext(): OtelSpanContext;
  setAttribute(name: string, value: string): unknown;
  setStatus(status: { readonly code: number; readonly message?: string }): unknown;
  recordException(exception: { readonly code: string; readonly message: string }): void;
  end(): void;
}

/** An immutable bag of values that belong to what is being done; the current span is one of them. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** What a span starts with. */
export interface OtelSpanOptions {
  readonly kind?: number;
  readonly attributes?: Record<string, string>;
  /** ms since 1970. */
  readonly startTime?: number;
}

/** Makes spans and holds them as the current ones. */
export interface OtelTracer {
  startActiveSpan<T>(name: string, options: OtelSpanOptions, run: (span: OtelSpan) => T): T;
  startActiveSpan<T>(
    name: string,
    options: OtelSpanOptions,
    context: OtelContext,
    run: (span: OtelSpan) => T,
  ): T;
}

/** A `TracerProvider` of OpenTelemetry, version 1 of its API. */
export interface OtelTracerProvider {
  getTracer(name: string, version?: string): OtelTracer;
}

/** A sum that grows. */
export interface OtelCounter {
  add(value: number, attributes?: Record<string, string>): void;
}

/** A `MeterProvider` of OpenTelemetry, version 1 of its API. */
export interface OtelMeterProvider {
  getMeter(
    name: string,
    version?: string,
  ): {
    createCounter(
      name: string,
      options?: { readonly description?: string; readonly unit?: string },
    ): OtelCounter;
  };
}

/** What `import * as api from '@opentelemetry/api'` gives, as far as it is used. */
export interface OpenTelemetryApi {
  readonly trace: { getTracerProvider(): OtelTracerProvider };
  readonly context: { active(): OtelContext };
  readonly metrics: { getMeterProvider(): OtelMeterProvider };
  createTraceState(raw: string): OtelTraceState;
}
