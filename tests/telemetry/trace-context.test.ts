import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remoteTraceOf, traceMetaOf } from '../../src/telemetry/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);

describe('the place of a trace in _meta', () => {
  it.each([
    [{ traceId: TRACE, spanId: SPAN, traceFlags: 1 }, { traceparent: `00-${TRACE}-${SPAN}-01` }],
    [{ traceId: TRACE, spanId: SPAN, traceFlags: 0 }, { traceparent: `00-${TRACE}-${SPAN}-00` }],
    [{ traceId: TRACE, spanId: SPAN, traceFlags: 0x1ff }, { traceparent: `00-${TRACE}-${SPAN}-ff` }],
    [{ traceId: ZERO_TRACE, spanId: SPAN, traceFlags: 1 }, {}],
    [{ traceId: TRACE, spanId: ZERO_SPAN, traceFlags: 1 }, {}],
    [{ traceId: TRACE.toUpperCase(), spanId: SPAN, traceFlags: 1 }, {}],
    [undefined, {}],
  ])('is written: %j', (context, meta) => {
    expect(traceMetaOf(context)).toEqual(meta);
  });

  it.each([
    ['a=1,b=2', 'a=1,b=2'],
    ['', undefined],
    ['a=1\r\nx: y', undefined],
    ['ä=1', undefined],
    ['a'.repeat(512), 'a'.repeat(512)],
    ['a'.repeat(513), undefined],
  ])('takes the tracestate %j along', (state, sent) => {
    const context = { traceId: TRACE, spanId: SPAN, traceFlags: 1, traceState: { serialize: () => state } };
    expect(traceMetaOf(context).tracestate).toBe(sent);
    expect(remoteTraceOf({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: state })?.tracestate).toBe(
      sent,
    );
  });

  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-03`, 1],
    [`cc-${TRACE}-${SPAN}-01`, 1],
    [`cc-${TRACE}-${SPAN}-01-what-comes-later`, 1],
  ])('is read: %s', (traceparent, traceFlags) => {
    expect(remoteTraceOf({ traceparent })).toEqual({
      spanContext: { traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true },
      tracestate: undefined,
    });
  });

  it.each([
    [`00-${TRACE}-${SPAN}-01-more`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${ZERO_TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${ZERO_SPAN}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}`],
    [`00-${TRACE}-${SPAN}-01\n`],
    [`cc-${TRACE}-${SPAN}-01-${'x'.repeat(1_000)}`],
    [''],
    [7],
    [undefined],
  ])('is not read: %j', (traceparent) => {
    expect(remoteTraceOf({ traceparent })).toBeUndefined();
  });

  it.each([[undefined], [null], ['text'], [[]]])('is not in a _meta that is %j', (meta) => {
    expect(remoteTraceOf(meta)).toBeUndefined();
  });

  it('reads what it writes, and no text makes it throw', () => {
    const hex = (length: number) =>
      fc
        .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
        .map((digits) => digits.join(''))
        .filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), fc.string(), (traceId, spanId, sampled, text) => {
        const traceFlags = sampled ? 1 : 0;
        const meta = traceMetaOf({ traceId, spanId, traceFlags });
        expect(remoteTraceOf(meta)?.spanContext).toEqual({ traceId, spanId, traceFlags, isRemote: true });
        expect(remoteTraceOf({ traceparent: text })).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
