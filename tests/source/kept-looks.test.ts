import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeptLooks, KeptLooksWriter } from '../../src/source/kept-looks.ts';

interface Folder {
  readonly above: number;
  readonly names: readonly string[];
  readonly stamps: readonly string[];
}

function bytesOf(folders: readonly Folder[]): Buffer {
  const writer = new KeptLooksWriter();
  for (const { above, names, stamps } of folders) writer.add(above, names, stamps);
  return Buffer.concat(writer.pieces());
}

const FOLDERS: readonly Folder[] = [
  { above: 0, names: ['file:/srv'], stamps: [''] },
  { above: 0, names: ['pdf', 'SKILL.md', 'ü\n.md'], stamps: ['1.2.3.4', '', '5.6.7.8'] },
  { above: 1, names: ['sub'], stamps: ['9.a.b.c'] },
];

describe('what looks found', () => {
  it('is read from any folder on', () => {
    const looks = new KeptLooks(bytesOf(FOLDERS));
    expect(looks.folders).toBe(3);
    for (const at of [2, 0, 1]) {
      expect(looks.names(at)).toEqual(FOLDERS[at]?.names);
      expect(looks.stamps(at)).toEqual(FOLDERS[at]?.stamps);
      expect(looks.above(at)).toBe(FOLDERS[at]?.above);
    }
    expect(new KeptLooks(bytesOf([])).folders).toBe(0);
  });

  it('is read from shared memory, and from the middle of other bytes', () => {
    const bytes = bytesOf(FOLDERS);
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 7), 5, bytes.length);
    shared.set(bytes);
    expect(new KeptLooks(shared).names(1)).toEqual(['pdf', 'SKILL.md', 'ü\n.md']);
    expect(new KeptLooks(shared).stamps(2)).toEqual(['9.a.b.c']);
  });

  it('comes back as it was written', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
    const stamp = fc.stringMatching(/^[0-9a-v.]{0,40}$/);
    const folder = fc.record({
      names: fc.array(name, { minLength: 1, maxLength: 5 }),
      stamps: fc.array(stamp, { minLength: 1, maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(folder, { maxLength: 20 }), (folders) => {
        const written = folders.map((each, at) => ({ ...each, above: at >> 1 }));
        const looks = new KeptLooks(bytesOf(written));
        const read = written.map((_, at) => ({
          names: looks.names(at),
          stamps: looks.stamps(at),
          above: looks.above(at),
        }));
        expect(read).toEqual(written);
      }),
    );
  });

  it('is refused in another form', () => {
    const bytes = bytesOf(FOLDERS);
    for (const length of [0, 11, 12, 40, bytes.length - 1]) {
      expect(() => new KeptLooks(bytes.subarray(0, length))).toThrow(
        expect.objectContaining({ code: 'INTERNAL' }),
      );
    }
    const looks = new KeptLooks(bytes);
    expect(() => looks.names(3)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    const looped = new KeptLooks(
      bytesOf([
        { above: 0, names: ['a'], stamps: [''] },
        { above: 1, names: ['b'], stamps: [''] },
      ]),
    );
    expect(() => looped.above(1)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
