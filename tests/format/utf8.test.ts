import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUtf8 } from '../../src/format/utf8.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodes(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** `bytes` behind 0 to 7 ASCII bytes, in a buffer that begins at each of four alignments. */
function* placed(bytes: readonly number[]): Generator<Uint8Array> {
  for (let before = 0; before < 8; before++) {
    for (let offset = 0; offset < 4; offset++) {
      const buffer = new Uint8Array(offset + before + bytes.length + 8).fill(0xff);
      buffer.fill(0x61, offset, offset + before);
      buffer.set(bytes, offset + before);
      yield buffer.subarray(offset, offset + before + bytes.length);
    }
  }
}

describe('isUtf8', () => {
  it.each([
    ['nothing', []],
    ['ASCII', [0x00, 0x61, 0x7f]],
    ['two bytes', [0xc2, 0x80, 0xdf, 0xbf]],
    ['three bytes', [0xe0, 0xa0, 0x80, 0xed, 0x9f, 0xbf, 0xee, 0x80, 0x80, 0xef, 0xbf, 0xbf]],
    ['four bytes', [0xf0, 0x90, 0x80, 0x80, 0xf4, 0x8f, 0xbf, 0xbf]],
    ['a byte order mark', [0xef, 0xbb, 0xbf]],
  ])('takes %s at any address', (_, bytes) => {
    for (const view of placed(bytes)) expect(isUtf8(view)).toBe(true);
  });

  it.each([
    ['a tail alone', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['overlong forms of two bytes', [0xc1, 0xbf]],
    ['an overlong form of three bytes', [0xe0, 0x9f, 0xbf]],
    ['an overlong form of four bytes', [0xf0, 0x8f, 0xbf, 0xbf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a character beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a lead that no character has', [0xf5, 0x80, 0x80, 0x80]],
    ['a two-byte character cut off', [0xc3]],
    ['a three-byte character cut off', [0xe2, 0x82]],
    ['a four-byte character cut off', [0xf0, 0x9f, 0x98]],
    ['a letter inside a character', [0xe2, 0x61, 0x82]],
    ['Windows-1252', [0x63, 0x61, 0x66, 0xe9, 0x20, 0x61]],
  ])('refuses %s at any address', (_, bytes) => {
    for (const view of placed(bytes)) expect(isUtf8(view)).toBe(false);
    for (const view of placed([...bytes, 0x61, 0x61, 0x61, 0x61, 0x61])) expect(isUtf8(view)).toBe(false);
  });

  it('reads nothing beyond the end of its buffer', () => {
    for (let length = 0; length < 9; length++) {
      for (let offset = 0; offset <= length; offset++) {
        const whole = new Uint8Array(length).fill(0x61);
        expect(isUtf8(whole.subarray(offset))).toBe(true);
        expect(isUtf8(whole.fill(0xe9).subarray(offset))).toBe(offset === length);
      }
    }
  });

  it('looks only at what stands from its start on', () => {
    expect(isUtf8(new Uint8Array([0xff, 0x61]), 1)).toBe(true);
    expect(isUtf8(new Uint8Array([0xff, 0x61]), 0)).toBe(false);
    expect(isUtf8(new Uint8Array([0xc3, 0xa9]), 1)).toBe(false);
    expect(isUtf8(new Uint8Array([0x61]), 1)).toBe(true);
    expect(isUtf8(new Uint8Array([0x61]), 9)).toBe(true);
  });

  it('says what the decoder says, of every pair and triple at the borders', () => {
    const borders = [
      0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
    ];
    borders.push(0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff);
    for (const first of borders) {
      for (const second of borders) {
        for (const third of borders) {
          for (const bytes of [
            [first, second, third],
            [0xf0, first, second, third],
            [0xf4, first, second, third],
          ]) {
            const view = new Uint8Array(bytes);
            if (isUtf8(view) !== decodes(view)) expect(bytes).toBe('read alike');
          }
        }
      }
    }
  });

  it('says what the decoder says, of any bytes at any address', () => {
    const piece = fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }).map((text) => Buffer.from(text)) },
      { weight: 4, arbitrary: fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)) },
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.nat({ max: 7 }),
        fc.nat({ max: 9 }),
        (parts, offset, start) => {
          const whole = new Uint8Array(Buffer.concat([Buffer.alloc(offset, 0xff), ...parts]));
          const view = whole.subarray(offset);
          expect(isUtf8(view, start)).toBe(decodes(view.subarray(start)));
        },
      ),
      { numRuns: 10_000 },
    );
  });
});
