import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { SkillError } from '../../src/errors.ts';
import {
  CHANNELS,
  createTelemetry,
  type OpenTelemetryApi,
  type OperationMessage,
  type TelemetryOptions,
} from '../../src/telemetry/index.ts';
import { api, metering, rowOf, type Tracing, tracing } from './otel-host.ts';

const URI = 'skill://acme/pdf/SKILL.md';
const OK = 0;
const ERROR = 2;
const UNSET = OK;

const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function listen(...names: string[]): OperationMessage[] {
  const heard: OperationMessage[] = [];
  const listener = (message: unknown): void => void heard.push(message as OperationMessage);
  for (const name of names) {
    subscribe(name, listener);
    ends.push(() => void unsubscribe(name, listener));
  }
  return heard;
}

function spansOf(): Tracing {
  const host = tracing();
  ends.push(() => host.close());
  return host;
}

describe('channels', () => {
  it('have these names', () => {
    expect(Object.values(CHANNELS)).toEqual([
      'skillwire:client.list',
      'skillwire:client.get',
      'skillwire:client.read',
      'skillwire:client.read_manifest',
      'skillwire:client.read_and_verify',
      'skillwire:client.read_directory',
      'skillwire:client.activate',
      'skillwire:server.request',
    ]);
  });

  it('carry one message for each operation that has ended, with all its attributes as text', async () => {
    const heard = listen('skillwire:client.list');
    const before = Date.now();
    const result = await createTelemetry().span(
      'skills.list',
      { 'mcp.skill.uri': 'skill://index.json' },
      async (span) => {
        await Promise.resolve();
        expect(heard).toEqual([]);
        span.set('mcp.skill.count', 3);
        span.set('mcp.skill.index_absent', true);
        return 'listing';
      },
    );
    expect(result).toBe('listing');
    expect(heard).toEqual([
      {
        operation: 'skills.list',
        attributes: {
          'mcp.skill.uri': 'skill://index.json',
          'mcp.skill.count': '3',
          'mcp.skill.index_absent': 'true',
        },
        startTime: expect.any(Number),
        durationMs: expect.any(Number),
      },
    ]);
    expect(heard[0]?.startTime).toBeGreaterThanOrEqual(before);
    expect(heard[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it.each([
    ['a code of the table', new SkillError('DIGEST_MISMATCH', 'secret words'), 'DIGEST_MISMATCH'],
    ['a protocol error', Object.assign(new Error('secret words'), { code: -32601 }), '-32601'],
    [
      'a protocol error with a code of ours',
      Object.assign(new Error('secret words'), {
        code: -32602,
        data: { code: 'PATH_TRAVERSAL', uri: 'secret' },
      }),
      'PATH_TRAVERSAL',
    ],
    [
      'a code in data that a server made up',
      Object.assign(new Error('x'), { code: -32000, data: { code: 'secret words' } }),
      '-32000',
    ],
    ['an abort', new DOMException('secret words', 'AbortError'), 'AbortError'],
    ['a name that was set', Object.assign(new Error('x'), { name: 'secret words' }), 'Error'],
    ['a code that is text', Object.assign(new Error('x'), { code: 'secret words' }), 'Error'],
    ['text', 'secret words', 'string'],
    ['null', null, 'object'],
  ])('say of a failure its kind alone: %s', async (_, thrown, kind) => {
    const heard = listen('skillwire:client.read');
    const failing = createTelemetry().span('skills.read', {}, () => Promise.reject(thrown));
    await expect(failing).rejects.toBe(thrown);
    expect(heard.map(({ error }) => error)).toEqual([kind]);
    expect(JSON.stringify(heard)).not.toContain('secret');
  });

  it('end an operation that answers at once, or throws at once', () => {
    const heard = listen('skillwire:client.activate');
    const telemetry = createTelemetry();
    expect(telemetry.span('skills.activate', {}, () => 7)).toBe(7);
    const fault = new SkillError('INTERNAL');
    expect(() =>
      telemetry.span('skills.activate', {}, () => {
        throw fault;
      }),
    ).toThrow(fault);
    expect(heard.map(({ error }) => error)).toEqual([undefined, 'INTERNAL']);
  });

  it('begin when they are said to have begun', () => {
    const heard = listen('skillwire:client.activate');
    createTelemetry().span('skills.activate', {}, () => undefined, 1_700_000_000_000);
    expect(heard[0]?.startTime).toBe(1_700_000_000_000);
    expect(heard[0]?.durationMs).toBeGreaterThan(0);
  });

  it('bound what a server chooses', () => {
    const heard = listen('skillwire:client.read');
    const long = `skill://${'😀'.repeat(10_000)}`;
    createTelemetry().span('skills.read', { 'mcp.skill.uri': long }, (span) =>
      span.set('mcp.skill.name', long),
    );
    for (const value of Object.values(heard[0]?.attributes ?? {})) {
      expect(value.length).toBeLessThanOrEqual(8193);
      expect(encodeURI(value)).toContain('skill://'); // throws for half a surrogate pair
      expect(value.endsWith('…')).toBe(true);
    }
  });

  it('leave the operation alone when nobody listens: the very same promise comes back', () => {
    const promise = Promise.resolve(1);
    const telemetry = createTelemetry();
    expect(telemetry.span('skills.read', {}, () => promise)).toBe(promise);
    expect(telemetry.request({ method: 'resources/read' }, () => promise)).toBe(promise);
    expect(telemetry.requestMeta()).toEqual({});
  });
});

const hosts: [string, (host: Tracing) => TelemetryOptions][] = [
  ['a tracer provider alone', ({ provider }) => ({ tracerProvider: provider })],
  ['the API without a context manager', ({ provider }) => ({ openTelemetry: api, tracerProvider: provider })],
  [
    'the API with a context manager',
    ({ provider }) => {
      api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      ends.push(() => api.context.disable());
      return { openTelemetry: api, tracerProvider: provider };
    },
  ],
  [
    'the API with its global provider',
    ({ provider }) => {
      api.trace.setGlobalTracerProvider(provider);
      ends.push(() => api.trace.disable());
      return { openTelemetry: api };
    },
  ],
];

describe.each(hosts)('spans, given %s', (_, optionsOf) => {
  it('nest, carry their attributes and send their place', async () => {
    const host = spansOf();
    const telemetry = createTelemetry(optionsOf(host));
    const metas: unknown[] = [];
    await telemetry.span('skills.read_manifest', { 'mcp.skill.uri': URI }, async (outer) => {
      await Promise.resolve();
      await telemetry.span('skills.read', { 'mcp.skill.uri': URI }, async () => {
        await Promise.resolve();
        metas.push(telemetry.requestMeta());
      });
      outer.set('mcp.skill.path', 'acme/pdf');
      outer.set('mcp.skill.name', 'pdf');
    });
    const [inner, outer] = host.spans();
    expect(host.spans().map(rowOf)).toEqual([
      { name: 'skills.read', attributes: { 'mcp.skill.uri': URI }, events: [], status: UNSET },
      {
        name: 'skills.read_manifest',
        attributes: { 'mcp.skill.uri': URI, 'mcp.skill.path': 'acme/pdf', 'mcp.skill.name': 'pdf' },
        events: [],
        status: UNSET,
      },
    ]);
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(outer?.parentSpanContext).toBeUndefined();
    const { traceId, spanId } = inner?.spanContext() ?? {};
    expect(metas).toEqual([{ traceparent: `00-${traceId}-${spanId}-01` }]);
    expect(telemetry.requestMeta()).toEqual({});
  });

  it('keep apart what runs beside each other', async () => {
    const host = spansOf();
    const telemetry = createTelemetry(optionsOf(host));
    const one = (name: string): Promise<void> =>
      telemetry.span('skills.read_and_verify', { 'mcp.skill.uri': name }, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await telemetry.span('skills.read', { 'mcp.skill.uri': name }, () => Promise.resolve());
      });
    await Promise.all([one('a'), one('b'), one('c')]);
    const outer = new Map(
      host
        .spans()
        .filter(({ name }) => name === 'skills.read_and_verify')
        .map((span) => [span.attributes['mcp.skill.uri'], span.spanContext().spanId]),
    );
    const inner = host.spans().filter(({ name }) => name === 'skills.read');
    expect(inner).toHaveLength(3);
    for (const span of inner) {
      expect(span.parentSpanContext?.spanId).toBe(outer.get(span.attributes['mcp.skill.uri']));
    }
  });

  it('record an error on the innermost span alone, by its kind', async () => {
    const host = spansOf();
    const telemetry = createTelemetry(optionsOf(host));
    const fault = new SkillError('RESOURCE_NOT_FOUND', 'the marker');
    await expect(
      telemetry.span('skills.read_manifest', {}, () =>
        telemetry.span('skills.read', {}, () => Promise.reject(fault)),
      ),
    ).rejects.toBe(fault);
    await expect(
      telemetry.span('skills.read_manifest', {}, async () => {
        try {
          await telemetry.span('skills.read', {}, () => Promise.reject(fault));
        } catch (cause) {
          throw new SkillError('INTERNAL', 'wrapped', { cause });
        }
      }),
    ).rejects.toThrow('wrapped');
    const recorded = {
      events: [
        ['exception', { 'exception.type': 'RESOURCE_NOT_FOUND', 'exception.message': 'no such resource' }],
      ],
      attributes: { 'error.type': 'RESOURCE_NOT_FOUND' },
      status: ERROR,
    };
    const untouched = { events: [], attributes: {}, status: UNSET };
    expect(host.spans().map(rowOf)).toEqual([
      { name: 'skills.read', ...recorded },
      { name: 'skills.read_manifest', ...untouched },
      { name: 'skills.read', ...recorded },
      { name: 'skills.read_manifest', ...untouched },
    ]);
  });

  it('record the own error of an outer span', async () => {
    const host = spansOf();
    const telemetry = createTelemetry(optionsOf(host));
    await expect(
      telemetry.span('skills.read_and_verify', { 'mcp.skill.expected_digest': '' }, async () => {
        await telemetry
          .span('skills.read', {}, () => Promise.reject(new SkillError('INTERNAL')))
          .catch(() => {});
        throw new SkillError('DIGEST_MISMATCH', 'expected sha256:0 but got the marker');
      }),
    ).rejects.toThrow();
    expect(host.spans().map((span) => [span.name, span.attributes['error.type']])).toEqual([
      ['skills.read', 'INTERNAL'],
      ['skills.read_and_verify', 'DIGEST_MISMATCH'],
    ]);
    expect(JSON.stringify(host.spans().map(rowOf))).not.toContain('marker');
  });

  it('begin when they are said to have begun', () => {
    const host = spansOf();
    createTelemetry(optionsOf(host)).span('skills.activate', {}, () => undefined, 1_700_000_000_123);
    expect(host.spans()[0]?.startTime).toEqual([1_700_000_000, 123_000_000]);
  });

  it('continue the trace of a request, and say what it asked for', async () => {
    const host = spansOf();
    const telemetry = createTelemetry(optionsOf(host));
    const meta = {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'a=1',
    };
    await telemetry.request({ method: 'resources/read', uri: URI, sessionId: 's1', meta }, () =>
      Promise.resolve(),
    );
    const [span] = host.spans();
    expect(span?.spanContext().traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(span?.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true });
    expect(span?.kind).toBe(1);
    expect(rowOf(span!)).toMatchObject({
      name: 'resources/read',
      attributes: {
        'mcp.method': 'resources/read',
        'mcp.session.id': 's1',
        'mcp.resource.uri': URI,
        'mcp.skill.uri': URI,
        'mcp.skill.path': 'acme/pdf',
        'mcp.skill.file': 'SKILL.md',
      },
    });
  });

  it('say which protocol error a request ended with', async () => {
    const host = spansOf();
    const heard = listen('skillwire:server.request');
    const telemetry = createTelemetry(optionsOf(host));
    const fault = Object.assign(new Error('the marker'), { code: -32602, data: { uri: URI } });
    await expect(
      telemetry.request({ method: 'skills/get', uri: URI }, () => Promise.reject(fault)),
    ).rejects.toBe(fault);
    expect(host.spans()[0]?.attributes).toMatchObject({ 'mcp.error.code': '-32602', 'error.type': '-32602' });
    expect(heard[0]).toMatchObject({ error: '-32602', attributes: { 'mcp.error.code': '-32602' } });
  });
});

describe('spans of a host', () => {
  it('are the parents of ours, and tracestate travels on', async () => {
    const host = spansOf();
    api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    ends.push(() => api.context.disable());
    const telemetry = createTelemetry({ openTelemetry: api, tracerProvider: host.provider });
    const remote = {
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      spanId: '00f067aa0ba902b7',
      traceFlags: 1,
      traceState: api.createTraceState('vendor=value'),
    };
    const context = api.trace.setSpanContext(api.context.active(), remote);
    await api.context.with(context, async () => {
      expect(telemetry.requestMeta()).toEqual({
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        tracestate: 'vendor=value',
      });
      await telemetry.span('skills.read', {}, async () => {
        expect(telemetry.requestMeta().tracestate).toBe('vendor=value');
      });
    });
    expect(host.spans()[0]?.parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
  });

  it('keep the tracestate of a request where the API is at hand', async () => {
    const host = spansOf();
    const telemetry = createTelemetry({ openTelemetry: api, tracerProvider: host.provider });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const request = { method: 'skills/list', meta: { traceparent, tracestate: 'vendor=value' } };
    expect(telemetry.request(request, () => telemetry.requestMeta().tracestate)).toBe('vendor=value');
  });

  it('are told also where the host registers its providers later', async () => {
    const host = spansOf();
    const meters = metering();
    ends.push(() => meters.close());
    const telemetry = createTelemetry({ openTelemetry: api });
    telemetry.span('skills.read', {}, () => 1);
    expect(telemetry.requestMeta()).toEqual({});
    api.trace.setGlobalTracerProvider(host.provider);
    api.metrics.setGlobalMeterProvider(meters.provider);
    ends.push(
      () => api.trace.disable(),
      () => api.metrics.disable(),
    );
    telemetry.span('skills.read', {}, (span) => span.readBytes(3));
    expect(host.spans().map(({ name }) => name)).toEqual(['skills.read']);
    expect(await meters.sums()).toEqual({
      'skillwire.operations': [[{ 'skillwire.operation': 'skills.read' }, 1]],
      'skillwire.bytes_read': [[{}, 3]],
    });
  });

  it('that are not sampled are passed on as such', () => {
    const provider = new BasicTracerProvider({ sampler: new AlwaysOffSampler() });
    ends.push(() => provider.shutdown());
    const telemetry = createTelemetry({ tracerProvider: provider });
    const meta = telemetry.span('skills.read', {}, () => telemetry.requestMeta());
    expect(meta.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('take the API as it is', () => {
    const given: OpenTelemetryApi = api;
    expect(createTelemetry({ openTelemetry: given }).span('skills.read', {}, () => 1)).toBe(1);
  });
});

describe('counters', () => {
  it('count operations by name and kind of failure, and bytes', async () => {
    const host = metering();
    ends.push(() => host.close());
    const telemetry = createTelemetry({ meterProvider: host.provider });
    const read = (bytes: number): Promise<void> =>
      telemetry.span('skills.read', { 'mcp.skill.uri': URI }, async (span) => span.readBytes(bytes));
    await read(10);
    await read(32);
    await expect(
      telemetry.span('skills.read', {}, () => Promise.reject(new SkillError('DIGEST_MISMATCH'))),
    ).rejects.toThrow();
    expect(await host.sums()).toEqual({
      'skillwire.operations': [
        [{ 'skillwire.operation': 'skills.read' }, 2],
        [{ 'skillwire.operation': 'skills.read', 'error.type': 'DIGEST_MISMATCH' }, 1],
      ],
      'skillwire.bytes_read': [[{}, 42]],
    });
    expect(telemetry.requestMeta()).toEqual({});
  });
});
