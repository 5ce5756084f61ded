/**
 * Telemetry: diagnostics channels always, OpenTelemetry when the host hands it in.
 *
 * @module
 */
import type { Channel } from 'node:diagnostics_channel';
import { VERSION } from '../version.ts';
import { channelOf, published } from './channels.ts';
import type { OpenTelemetryApi, OtelMeterProvider, OtelTracerProvider } from './open-telemetry.ts';
import {
  type OperationAttributes,
  type OperationName,
  type OperationSpan,
  type OperationStart,
  SILENT_SPAN,
} from './operation.ts';
import { requestAttributes, type ServedRequest } from './served-request.ts';
import { activeSpanContext } from './span-context.ts';
import { SpanSink } from './span-sink.ts';
import { remoteTraceOf, type TraceMeta, traceMetaOf } from './trace-context.ts';

/** Options of {@link createTelemetry}. With none of them there are the channels alone. */
export interface TelemetryOptions {
  /** `import * as api from '@opentelemetry/api'`: its providers, and the context that the host's own spans stand in. */
  readonly openTelemetry?: OpenTelemetryApi | undefined;
  /** Instead of the provider of `openTelemetry`, or without it (seed `WithTracerProvider`). @default that of `openTelemetry` */
  readonly tracerProvider?: OtelTracerProvider | undefined;
  /** Instead of the provider of `openTelemetry`, or without it. @default that of `openTelemetry` */
  readonly meterProvider?: OtelMeterProvider | undefined;
}

/** Where operations are told. It never changes what an operation gives or throws. */
export interface Telemetry {
  /**
   * What `run` gives, an operation of a client; it ends when `run` does, or when the promise that `run` gave settles.
   * `startTime` in ms since 1970 is for one whose moment was noted elsewhere. @default now
   */
  span<T>(
    name: OperationName,
    attributes: OperationAttributes,
    run: (span: OperationSpan) => T,
    startTime?: number,
  ): T;
  /** What `run` gives, a request that a server answers; its span continues the trace that the request names. */
  request<T>(request: ServedRequest, run: (span: OperationSpan) => T): T;
  /** Whether anybody is told of a request now. */
  hearsRequests(): boolean;
  /** What to add to the `_meta` of a request, so that the server's spans belong to the span that runs here. */
  requestMeta(): TraceMeta;
}

/**
 * Telemetry that tells operations on the diagnostics channels, as spans and as counters. An operation that nobody
 * listens to is run as it is.
 *
 * Recorded are URIs, names, counts, digests and the kinds of errors; never what a file holds, never a description, never
 * the words of an error.
 *
 * @example
 * import * as api from '@opentelemetry/api'
 * const telemetry = createTelemetry({ openTelemetry: api })
 * const bytes = await telemetry.span('skills.read', { 'mcp.skill.uri': uri }, () => fetchBytes(uri))
 */
export function createTelemetry(options: TelemetryOptions = {}): Telemetry {
  const { openTelemetry: api } = options;
  const tracers = options.tracerProvider ?? api?.trace.getTracerProvider();
  const meters = (): OtelMeterProvider | undefined =>
    options.meterProvider ?? api?.metrics.getMeterProvider();
  const sink =
    tracers === undefined && options.meterProvider === undefined
      ? undefined
      : new SpanSink({ api, tracer: tracers?.getTracer('skillwire', VERSION), meters }, VERSION);

  const operate = <T>(start: OperationStart, channel: Channel, run: (span: OperationSpan) => T): T => {
    const traced = (span: OperationSpan): T => (sink === undefined ? run(span) : sink.run(start, span, run));
    return channel.hasSubscribers ? published(channel, start, traced) : traced(SILENT_SPAN);
  };
  const hearsRequests = (): boolean => sink !== undefined || channelOf('server.request').hasSubscribers;
  return {
    span: (name, attributes, run, startTime) =>
      operate({ name, attributes, startTime }, channelOf(name), run),
    hearsRequests,
    request: (request, run) => {
      const channel = channelOf('server.request');
      if (!hearsRequests()) return run(SILENT_SPAN);
      const attributes = requestAttributes(request);
      const remote = sink === undefined ? undefined : remoteTraceOf(request.meta);
      return operate(
        { name: request.method, attributes, startTime: request.startTime, served: { remote } },
        channel,
        run,
      );
    },
    requestMeta: () => (tracers === undefined ? {} : traceMetaOf(activeSpanContext(api))),
  };
}
