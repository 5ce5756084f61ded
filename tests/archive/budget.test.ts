import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ArchiveCaps, openReader, unpackArchive } from '../../src/archive/index.ts';
import { bzip2 } from './build-bzip2.ts';
import { paxRecord, type TarPart, tar, tarGz } from './build-tar.ts';
import { extraField, zip } from './build-zip.ts';
import { codeOf } from './code-of.ts';

type Part = { readonly name: string; readonly body: Buffer };
const FORMATS: Readonly<Record<string, (parts: readonly Part[]) => Buffer>> = {
  'tar.gz': (parts) => tarGz(parts),
  'tar.bz2': (parts) => bzip2(tar(parts)),
  zip: (parts) => zip(parts.map((part) => ({ ...part, method: 8 }))),
};
/** Bytes that hardly compress. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let at = 0; at < length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    bytes[at] = state >> 16;
  }
  return bytes;
}
const code = (bytes: Buffer, caps: ArchiveCaps): Promise<string | undefined> =>
  codeOf(() => unpackArchive(bytes, caps));

describe.each(Object.entries(FORMATS))('the caps of a %s', (_, build) => {
  const two = build([
    { name: 'a', body: Buffer.from('12345') },
    { name: 'b', body: Buffer.from('12345') },
  ]);

  it.each<[ArchiveCaps, string | undefined]>([
    [{ maxBytes: 10 }, undefined],
    [{ maxBytes: 9 }, 'ARCHIVE_TOO_LARGE'],
    [{ maxBytes: -1 }, undefined],
    [{ maxBytes: 0 }, undefined],
    [{ maxEntryBytes: 5 }, undefined],
    [{ maxEntryBytes: 4 }, 'ARCHIVE_TOO_LARGE'],
    [{ maxEntries: 2 }, undefined],
    [{ maxEntries: 1 }, 'ARCHIVE_TOO_MANY_ENTRIES'],
    [{ maxRatio: 1 }, undefined],
  ])('%j: %s', async (caps, expected) => {
    expect(await code(two, caps)).toBe(expected);
  });

  it('count folders, dropped entries and depth', async () => {
    const noisy = build([
      { name: '__MACOSX/._a', body: Buffer.from('123') },
      { name: 'd/e/f', body: Buffer.from('123') },
    ]);
    expect(await code(noisy, { maxBytes: 5 })).toBe('ARCHIVE_TOO_LARGE');
    expect(await code(noisy, { maxEntries: 1 })).toBe('ARCHIVE_TOO_MANY_ENTRIES');
    expect(await code(noisy, { maxDepth: 2 })).toBe('ARCHIVE_TOO_DEEP');
    expect(await code(noisy, { maxDepth: 3 })).toBeUndefined();
  });

  it('judge a name before sizes', async () => {
    expect(
      await code(build([{ name: '../a', body: Buffer.alloc(50) }]), { maxBytes: 10, maxEntries: 1 }),
    ).toBe('ARCHIVE_PATH_TRAVERSAL');
  });
});

describe('the ratio', () => {
  const zeros = Buffer.alloc(1_048_577);

  it.each<[string, Buffer]>([
    ['tar.gz', tarGz([{ name: 'a', body: zeros }])],
    ['zip', zip([{ name: 'a', body: zeros, method: 8 }])],
    [
      'zip of two files',
      zip([
        { name: 'a', body: zeros.subarray(5), method: 8 },
        { name: 'b', body: zeros.subarray(0, 9), method: 8 },
      ]),
    ],
  ])('refuses a %s beyond 200:1 and 1 MiB, and can be switched off', async (_, bytes) => {
    expect(await code(bytes, {})).toBe('ARCHIVE_RATIO');
    expect(await code(bytes, { maxRatio: 2_000 })).toBeUndefined();
    expect(await code(bytes, { maxRatio: -1 })).toBeUndefined();
  });

  it('does not judge up to 1 MiB', async () => {
    const body = zeros.subarray(1);
    expect(await code(tarGz([{ name: 'a', body }]), {})).toBeUndefined();
    expect(await code(zip([{ name: 'a', body, method: 8 }]), {})).toBeUndefined();
  });

  it('is that of the whole, wherever the zeros stand', async () => {
    const random = noise(20_000);
    for (const bodies of [
      [random, zeros],
      [zeros, random],
    ]) {
      const parts = bodies.map((body, index) => ({ name: `f${index}`, body }));
      expect(await code(tarGz(parts), {})).toBeUndefined();
      expect(await code(zip(parts.map((part) => ({ ...part, method: 8 }))), {})).toBeUndefined();
    }
  });

  it('of a stream is that of what came so far', async () => {
    async function* stream(bytes: Buffer): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 500) yield bytes.subarray(at, at + 500);
    }
    expect(
      await codeOf(() => openReader(stream(tarGz([{ name: 'a', body: Buffer.alloc(3_000_000) }])))),
    ).toBe('ARCHIVE_RATIO');
    const text = tarGz([
      { name: 'a', body: noise(50_000) },
      { name: 'b', body: zeros },
    ]);
    expect(await codeOf(() => openReader(stream(text)))).toBeUndefined();
  });
});

describe('declared sizes', () => {
  it('refuse and never allocate', async () => {
    const huge = { name: 'SKILL.md', size: 8 ** 11 - 1, body: 'hello' };
    expect(await code(tarGz([huge]), { maxEntryBytes: -1, maxBytes: -1, maxRatio: -1 })).toBe(
      'ARCHIVE_CORRUPT',
    );
    const over = zip([{ name: 'SKILL.md', size: 536_870_912, body: 'hello', method: 8 }]);
    expect(await code(over, {})).toBe('ARCHIVE_TOO_LARGE');
    expect(await code(over, { maxEntryBytes: -1, maxBytes: -1, maxRatio: -1 })).toBe('ARCHIVE_CORRUPT');
  });
});

describe('headers without files', () => {
  it('of a tar are counted', async () => {
    const comment = paxRecord('comment', 'c'.repeat(8_388_608));
    const parts: TarPart[] = [...Array(4).keys()].map(() => ({ name: 'g', type: 'g', body: comment }));
    expect(await code(gzipSync(tar(parts), { level: 1 }), { maxRatio: -1 })).toBe('ARCHIVE_TOO_LARGE');
    expect(await code(gzipSync(tar(parts.slice(1)), { level: 1 }), {})).toBeUndefined();
  });

  it('of a zip are counted before they are read', async () => {
    const parts = [...Array(600).keys()].map((index) => ({
      name: `${index}`,
      body: '',
      extra: extraField(9, Buffer.alloc(65_000)),
      local: { extra: Buffer.alloc(0) },
    }));
    expect(await code(zip(parts), {})).toBe('ARCHIVE_TOO_LARGE');
    expect(await code(zip(parts.slice(100)), {})).toBeUndefined();
    const many = zip([{ name: 'a', body: 'x' }], { zip64: true, entries: 2_000_000_000 });
    expect(await code(many, {})).toBe('ARCHIVE_TOO_MANY_ENTRIES');
    expect(await code(many, { maxEntries: -1 })).toBe('ARCHIVE_CORRUPT');
  });
});

describe('20,000 entries', () => {
  it.each(['tar.gz', 'zip'])('fit a %s, and not one more', async (format) => {
    const parts = [...Array(20_001).keys()].map((index) => ({ name: `d/${index}`, body: Buffer.alloc(0) }));
    const build = FORMATS[format] as (typeof FORMATS)[string];
    expect(await code(build(parts.slice(1)), {})).toBeUndefined();
    expect(await code(build(parts), {})).toBe('ARCHIVE_TOO_MANY_ENTRIES');
    const bad = [...parts.slice(1), { name: '../../evil', body: Buffer.from('x') }];
    expect(await code(build(bad), {})).toBe(
      format === 'zip' ? 'ARCHIVE_TOO_MANY_ENTRIES' : 'ARCHIVE_PATH_TRAVERSAL',
    );
    expect(await code(build(bad), { maxEntries: 30_000 })).toBe('ARCHIVE_PATH_TRAVERSAL');
  });
});
