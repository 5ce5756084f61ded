/**
 * `skillwire/telemetry`: what clients and servers do, told on diagnostics channels and to OpenTelemetry.
 *
 * @module
 */
export { CHANNELS, type OperationMessage } from './channels.ts';
export type {
  OpenTelemetryApi,
  OtelContext,
  OtelCounter,
  OtelMeterProvider,
  OtelSpan,
  OtelSpanContext,
  OtelSpanOptions,
  OtelTracer,
  OtelTracerProvider,
  OtelTraceState,
} from './open-telemetry.ts';
export type { AttributeName, OperationAttributes, OperationName, OperationSpan } from './operation.ts';
export type { ServedRequest } from './served-request.ts';
export { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
export type { TraceMeta } from './trace-context.ts';
