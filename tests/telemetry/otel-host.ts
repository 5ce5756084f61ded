/** OpenTelemetry as a host sets it up, and what it was told. */
import * as api from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** A tracer provider that keeps its spans. */
export interface Tracing {
  readonly provider: BasicTracerProvider;
  spans(): ReadableSpan[];
  close(): Promise<void>;
}

export function tracing(): Tracing {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return { provider, spans: () => exporter.getFinishedSpans(), close: () => provider.shutdown() };
}

/** A span as a table row. */
export function rowOf(span: ReadableSpan): Record<string, unknown> {
  return {
    name: span.name,
    attributes: span.attributes,
    events: span.events.map(({ name, attributes }) => [name, attributes]),
    status: span.status.code,
  };
}

/** A meter provider that keeps its sums. */
export function metering(): {
  readonly provider: MeterProvider;
  sums(): Promise<Record<string, [Record<string, unknown>, number][]>>;
  close(): Promise<void>;
} {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  return {
    provider,
    sums: async () => {
      await provider.forceFlush();
      const found: Record<string, [Record<string, unknown>, number][]> = {};
      for (const { scopeMetrics } of exporter.getMetrics().slice(-1)) {
        for (const { metrics } of scopeMetrics) {
          for (const { descriptor, dataPoints } of metrics) {
            found[descriptor.name] = dataPoints.map(({ attributes, value }) => [attributes, value as number]);
          }
        }
      }
      return found;
    },
    close: () => provider.shutdown(),
  };
}

export { api };
