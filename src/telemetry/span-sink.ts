/**
 * Operations as spans and counters of OpenTelemetry.
 *
 * @module
 */
import { failureOf } from './failure.ts';
import type {
  OpenTelemetryApi,
  OtelCounter,
  OtelMeterProvider,
  OtelSpan,
  OtelTracer,
} from './open-telemetry.ts';
import {
  attributeValue,
  boundedAttributes,
  type OperationName,
  type OperationSpan,
  type OperationStart,
} from './operation.ts';
import { settle } from './settle.ts';
import { currentFrame, type Frame, inFrame, parentContext } from './span-context.ts';

/** Where spans and counters go; either may be absent. */
export interface SinkParts {
  readonly api: OpenTelemetryApi | undefined;
  readonly tracer: OtelTracer | undefined;
  /** Asked each time: the API has no provider of meters that stands for one registered later. */
  readonly meters: () => OtelMeterProvider | undefined;
}

/** `SpanKind` of OpenTelemetry. */
const KIND = { internal: 0, server: 1, client: 2 } as const;
/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const STATUS_ERROR = 2;
/** Causes of an error that are looked through. */
const CAUSES = 8;

/** Operations that ask the server by themselves. */
const ASKS: ReadonlySet<string> = new Set<OperationName>([
  'skills.list',
  'skills.get',
  'skills.read',
  'skills.read_directory',
]);

/** The counters of one provider. */
interface Counters {
  readonly provider: OtelMeterProvider;
  readonly operations: OtelCounter;
  readonly bytes: OtelCounter;
}

/** Tells operations to OpenTelemetry. */
export class SpanSink {
  readonly #api: OpenTelemetryApi | undefined;
  readonly #tracer: OtelTracer | undefined;
  readonly #meters: () => OtelMeterProvider | undefined;
  readonly #version: string;
  #held: Counters | undefined;

  constructor({ api, tracer, meters }: SinkParts, version: string) {
    this.#api = api;
    this.#tracer = tracer;
    this.#meters = meters;
    this.#version = version;
  }

  /** What `run` gives, told as a span that stands in the right trace, and counted. */
  run<T>(start: OperationStart, outer: OperationSpan, run: (span: OperationSpan) => T): T {
    const tracer = this.#tracer;
    if (tracer === undefined) return this.#count(start, outer, undefined, run);
    const around = currentFrame();
    const options = {
      kind: start.served !== undefined ? KIND.server : ASKS.has(start.name) ? KIND.client : KIND.internal,
      attributes: boundedAttributes(start.attributes),
      ...(start.startTime !== undefined && { startTime: start.startTime }),
    };
    const inSpan = (span: OtelSpan): T => {
      const frame: Frame = { span };
      return inFrame(frame, () =>
        settle(
          () => this.#count(start, outer, span, run),
          () => span.end(),
          (error) => {
            record(span, frame, error, start);
            if (around !== undefined) around.recorded = { error };
            span.end();
          },
        ),
      );
    };
    const parent = parentContext(this.#api, start.served?.remote);
    return parent === undefined
      ? tracer.startActiveSpan(start.name, options, inSpan)
      : tracer.startActiveSpan(start.name, options, parent, inSpan);
  }

  #count<T>(
    start: OperationStart,
    outer: OperationSpan,
    span: OtelSpan | undefined,
    run: (span: OperationSpan) => T,
  ): T {
    const handle: OperationSpan = {
      set: (name, value) => {
        outer.set(name, value);
        span?.setAttribute(name, attributeValue(value));
      },
      readBytes: (bytes) => this.#counters()?.bytes.add(bytes),
    };
    const operation = { 'skillwire.operation': start.name };
    return settle(
      () => run(handle),
      () => this.#counters()?.operations.add(1, operation),
      (error) => this.#counters()?.operations.add(1, { ...operation, 'error.type': failureOf(error).type }),
    );
  }

  #counters(): Counters | undefined {
    const provider = this.#meters();
    if (provider === undefined) return undefined;
    if (this.#held?.provider === provider) return this.#held;
    const meter = provider.getMeter('skillwire', this.#version);
    this.#held = {
      provider,
      operations: meter.createCounter('skillwire.operations', {
        description: 'Operations that have ended, by their name and by how they failed',
      }),
      bytes: meter.createCounter('skillwire.bytes_read', {
        description: 'Bytes of resources that servers sent',
        unit: 'By',
      }),
    };
    return this.#held;
  }
}

/** Only on the innermost span: an outer one passes on what an inner one recorded, as it is or as the cause of its own. */
function record(span: OtelSpan, frame: Frame, error: unknown, start: OperationStart): void {
  const failure = failureOf(error);
  if (start.served !== undefined && failure.rpcCode !== undefined) {
    span.setAttribute('mcp.error.code', String(failure.rpcCode));
  }
  if (frame.recorded !== undefined && comesFrom(error, frame.recorded.error)) return;
  span.setAttribute('error.type', failure.type);
  span.recordException({ code: failure.type, message: failure.message });
  span.setStatus({ code: STATUS_ERROR, message: failure.type });
}

function comesFrom(error: unknown, recorded: unknown): boolean {
  let each = error;
  for (let depth = 0; depth < CAUSES; depth++) {
    if (each === recorded) return true;
    if (typeof each !== 'object' || each === null || !('cause' in each)) return false;
    each = each.cause;
  }
  return false;
}
