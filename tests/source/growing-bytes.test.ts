import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GrowingBytes } from '../../src/source/growing-bytes.ts';

type Added = readonly [kind: 'uint32' | 'double' | 'byte' | 'utf8' | 'latin1', value: number | string];

function grown(added: readonly Added[]): GrowingBytes {
  const bytes = new GrowingBytes();
  for (const [kind, value] of added) {
    if (kind === 'uint32') bytes.addUint32(value as number);
    else if (kind === 'double') bytes.addDouble(value as number);
    else if (kind === 'byte') bytes.addByte(value as number);
    else bytes.addText(value as string, kind);
  }
  return bytes;
}

describe('growing bytes', () => {
  it.each<[string, readonly Added[], string]>([
    ['nothing', [], ''],
    ['a whole number, the lowest byte first', [['uint32', 0x01020304]], '04030201'],
    ['the largest whole number', [['uint32', 0xffff_ffff]], 'ffffffff'],
    ['a number', [['double', -2]], '00000000000000c0'],
    ['a byte', [['byte', 255]], 'ff'],
    ['an empty text', [['utf8', '']], ''],
    ['UTF-8', [['utf8', 'é\u{1f600}']], 'c3a9f09f9880'],
    ['Latin-1', [['latin1', 'é']], 'e9'],
    [
      'all of them, in order',
      [
        ['byte', 1],
        ['latin1', 'a'],
        ['uint32', 2],
        ['utf8', 'é'],
      ],
      '016102000000c3a9',
    ],
  ])('hold %s', (_, added, hex) => {
    const bytes = grown(added);
    expect(Buffer.concat(bytes.pieces()).toString('hex')).toBe(hex);
    expect(bytes.length).toBe(hex.length / 2);
  });

  it('are whole wherever a piece ends', () => {
    const size = 1_048_576;
    for (let before = size - 9; before <= size + 1; before += 1) {
      const bytes = grown([
        ['latin1', 'x'.repeat(before)],
        ['double', 1],
        ['utf8', 'é'],
      ]);
      const all = Buffer.concat(bytes.pieces());
      expect(all.length).toBe(before + 10);
      expect(bytes.length).toBe(before + 10);
      expect(all.subarray(before).toString('hex')).toBe('000000000000f03fc3a9');
    }
  });

  it('hold a text that is longer than a piece', () => {
    const bytes = grown([
      ['byte', 7],
      ['utf8', 'é'.repeat(1_000_000)],
      ['byte', 8],
    ]);
    const all = Buffer.concat(bytes.pieces());
    expect(all.length).toBe(2_000_002);
    expect([all[0], all[1], all[2_000_000], all[2_000_001]]).toEqual([7, 0xc3, 0xa9, 8]);
  });

  it('hold whatever is added, in order', () => {
    const each: fc.Arbitrary<Added> = fc.oneof(
      fc.tuple(fc.constant('uint32' as const), fc.nat(0xffff_ffff)),
      fc.tuple(fc.constant('double' as const), fc.double({ noNaN: true })),
      fc.tuple(fc.constant('byte' as const), fc.nat(255)),
      fc.tuple(fc.constant('utf8' as const), fc.string({ unit: 'grapheme', maxLength: 40_000 })),
    );
    fc.assert(
      fc.property(fc.array(each, { maxLength: 30 }), (added) => {
        const expected = added.map(([kind, value]) => {
          if (kind === 'utf8') return Buffer.from(value as string);
          const number = Buffer.alloc(kind === 'double' ? 8 : kind === 'uint32' ? 4 : 1);
          if (kind === 'double') number.writeDoubleLE(value as number);
          else if (kind === 'uint32') number.writeUInt32LE(value as number);
          else number.writeUInt8(value as number);
          return number;
        });
        expect(Buffer.concat(grown(added).pieces()).equals(Buffer.concat(expected))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
