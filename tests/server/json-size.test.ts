import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Bytes, jsonBytes, jsonTextBytes } from '../../src/server/json-size.ts';

describe('the size of JSON', () => {
  it.each([
    [{}, 2],
    [{ a: 'é' }, 10],
    [[1, null, '"'], 13],
  ])('%j', (value, expected) => {
    expect(jsonBytes(value)).toBe(expected);
  });

  it('is endless for what has no JSON form', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(jsonBytes(circle)).toBe(Number.POSITIVE_INFINITY);
    expect(jsonBytes({ n: 1n })).toBe(Number.POSITIVE_INFINITY);
  });

  it('is measured once for each object', () => {
    let times = 0;
    const value = {
      toJSON: () => {
        times += 1;
        return 'x';
      },
    };
    expect(jsonBytes(value)).toBe(3);
    expect(jsonBytes(value)).toBe(3);
    expect(times).toBe(1);
  });

  it('of text is that of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const expected = Buffer.byteLength(JSON.stringify(text)) - 2;
        expect(jsonTextBytes(Buffer.from(text))).toBe(expected);
      }),
    );
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('');
    expect(jsonTextBytes(Buffer.from(all))).toBe(Buffer.byteLength(JSON.stringify(all)) - 2);
  });

  it('of base64 is that of Buffer', () => {
    for (let length = 0; length < 20; length++) {
      expect(base64Bytes(length)).toBe(Buffer.alloc(length).toString('base64').length);
    }
  });
});
