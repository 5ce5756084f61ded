import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLosslessText, textOf } from '../../src/integrity/index.ts';
import { codeOf } from '../uri/code-of.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

describe('isLosslessText', () => {
  test.each([
    ['nothing', '', true],
    ['a BOM', 'efbbbf68690a', true],
    ['two BOMs', 'efbbbfefbbbf', true],
    ['CRLF and CR', '610d0a620d', true],
    ['NUL', '6100', true],
    ['a decomposed letter', '65cc81', true],
    ['U+FFFD itself', 'efbfbd', true],
    ['a noncharacter', 'efbfbf', true],
    ['the last code point', 'f48fbfbf', true],
    ['a PNG', '89504e470d0a1a0a0000000d49484452', false],
    ['Latin-1', '636166e9', false],
    ['a lone continuation', '6180', false],
    ['a cut sequence', '61c3', false],
    ['an overlong slash', 'c0af', false],
    ['a surrogate', 'eda080', false],
    ['beyond the last code point', 'f4908080', false],
    ['UTF-16', 'fffe6100', false],
  ])('%s: %s', (_, bytes, text) => {
    expect(isLosslessText(hex(bytes))).toBe(text);
    if (text) expect(Buffer.from(textOf(hex(bytes)), 'utf8').toString('hex')).toBe(bytes);
    else expect(codeOf(() => textOf(hex(bytes)))).toBe('NOT_UTF8');
  });

  test('says yes exactly when decoding and encoding gives the same bytes, through JSON too', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 24 }),
      fc.string({ unit: 'binary' }).map((text) => new Uint8Array(Buffer.from(text))),
    );
    fc.assert(
      fc.property(bytes, (data) => {
        const decoded = new TextDecoder('utf-8', { ignoreBOM: true }).decode(data);
        const again = Buffer.from(JSON.parse(JSON.stringify(decoded)), 'utf8');
        expect(isLosslessText(data)).toBe(Buffer.from(data).equals(again));
        if (isLosslessText(data)) expect(textOf(data)).toBe(decoded);
      }),
      { numRuns: 3000 },
    );
  });

  test('reads a view into a larger buffer', () => {
    const whole = hex('ff6869ff');
    expect(textOf(new Uint8Array(whole).subarray(1, 3))).toBe('hi');
  });
});
