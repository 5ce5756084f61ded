import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bunzip2 } from '../../src/archive/bzip2.ts';
import { bzip2 } from './build-bzip2.ts';
import { codeOf } from './code-of.ts';

async function unpack(bytes: Uint8Array): Promise<Buffer> {
  const out: Buffer[] = [];
  await bunzip2(bytes, (chunk) => out.push(chunk));
  return Buffer.concat(out);
}

/** What `printf 'hello hello hello\n' | bzip2 -1` printed. */
const HELLO = Buffer.from(
  '425a6831314159265359e5b5f3090000045100001040000244a00021b5180c029069c2a30bb9229c284872daf98480',
  'hex',
);
/** 46,000,000 zeros packed by the `bzip2` program. */
const ZEROS =
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZudCH0AAAxdAAwAAEAAAIIAAgpTQZjUhbBQvF3JFOFCQpcNCbgA==';

describe('bunzip2', () => {
  it('unpacks what the program packs', async () => {
    expect((await unpack(HELLO)).toString()).toBe('hello hello hello\n');
  });

  it('unpacks whatever was packed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.array(fc.constantFrom(0, 1, 255), { maxLength: 400 }).map((bytes) => Uint8Array.from(bytes)),
          fc
            .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 1_500 }))
            .map(([byte, run]) => new Uint8Array(run).fill(byte)),
        ),
        async (bytes) => {
          expect((await unpack(bzip2(bytes))).equals(Buffer.from(bytes))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('unpacks streams one after the other, as parallel packers write them', async () => {
    expect(
      (await unpack(Buffer.concat([bzip2(Buffer.from('a')), HELLO, bzip2(Buffer.alloc(0))]))).toString(),
    ).toBe('ahello hello hello\n');
  });

  it('is not slowed down by streams without content, each of the largest block size', async () => {
    const streams = Buffer.concat(Array(200_000).fill(bzip2(Buffer.alloc(0))));
    expect(await unpack(Buffer.concat([streams, HELLO]))).toHaveLength(18);
  });

  it('gives a huge block in small pieces, so that the sink can stop it', async () => {
    const bytes = Buffer.from(ZEROS, 'base64');
    expect(bytes.length).toBeLessThan(100);
    let seen = 0;
    let largest = 0;
    await bunzip2(bytes, (chunk) => {
      seen += chunk.length;
      largest = Math.max(largest, chunk.length);
    });
    expect([seen, largest]).toEqual([46_000_000, 65_536]);
    const stop = new Error('stop');
    seen = 0;
    await expect(
      bunzip2(bytes, (chunk) => {
        seen += chunk.length;
        if (seen > 100_000) throw stop;
      }),
    ).rejects.toBe(stop);
    expect(seen).toBe(131_072);
  });

  const runs = (count: number): number[] => [...Array(count).fill(0), 2];
  const one = Buffer.from('a');

  it.each<[string, Buffer, string, string]>([
    ['nothing', Buffer.alloc(0), 'ARCHIVE_CORRUPT', 'the bzip2 stream ends early'],
    ['no bzip2', Buffer.from('hello'), 'ARCHIVE_CORRUPT', 'no bzip2 header'],
    [
      'a block size of 0',
      bzip2(one, { level: '0' }),
      'ARCHIVE_CORRUPT',
      'the bzip2 header has no block size',
    ],
    [
      'bytes behind',
      Buffer.concat([HELLO, Buffer.from('tail')]),
      'ARCHIVE_CORRUPT',
      'bytes follow the bzip2 stream',
    ],
    [
      'a wrong checksum of a block',
      bzip2(one, { crc: 1 }),
      'ARCHIVE_CORRUPT',
      'the checksum of a bzip2 block is wrong',
    ],
    [
      'a wrong checksum of the stream',
      bzip2(one, { combined: 1 }),
      'ARCHIVE_CORRUPT',
      'the checksum of the bzip2 stream is wrong',
    ],
    [
      'a beginning outside the block',
      bzip2(one, { origin: 1 }),
      'ARCHIVE_CORRUPT',
      'a bzip2 block begins outside itself',
    ],
    ['a randomised block', bzip2(one, { randomised: true }), 'ARCHIVE_UNSUPPORTED', ''],
    [
      'one code table',
      bzip2(one, { tables: 1 }),
      'ARCHIVE_CORRUPT',
      'a bzip2 block has too few or too many code tables',
    ],
    [
      'seven code tables',
      bzip2(one, { tables: 7 }),
      'ARCHIVE_CORRUPT',
      'a bzip2 block has too few or too many code tables',
    ],
    [
      'codes of impossible length',
      bzip2(one, { lengths: [21, 21, 21] }),
      'ARCHIVE_CORRUPT',
      'a code of a bzip2 block has an impossible length',
    ],
    [
      'more codes than there can be',
      bzip2(one, { lengths: [1, 1, 1] }),
      'ARCHIVE_CORRUPT',
      'a Huffman table of the bzip2 stream is not valid',
    ],
    [
      'a run beyond the block',
      bzip2(one, { symbols: runs(20), level: '1' }),
      'ARCHIVE_CORRUPT',
      'a bzip2 block is longer than its header allows',
    ],
    [
      'a run beyond 31 bits',
      bzip2(one, { symbols: runs(40) }),
      'ARCHIVE_CORRUPT',
      'a bzip2 block is longer than its header allows',
    ],
    [
      'a code that stands for nothing',
      bzip2(one, { symbols: [3] }),
      'ARCHIVE_CORRUPT',
      'a code of the bzip2 stream stands for nothing',
    ],
  ])('refuses %s', async (_, bytes, code, problem) => {
    await expect(unpack(bytes)).rejects.toMatchObject({
      code,
      ...(problem === '' ? {} : { details: { problem } }),
    });
  });

  it('refuses every shorter stream', async () => {
    for (let length = 0; length < HELLO.length; length += 1) {
      expect(await codeOf(() => unpack(HELLO.subarray(0, length)))).toBe('ARCHIVE_CORRUPT');
    }
  });

  it('refuses every flipped bit that changes what comes out', async () => {
    for (let bit = 0; bit < HELLO.length * 8; bit += 1) {
      const flipped = Buffer.from(HELLO);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (0x80 >> (bit & 7));
      const code = await codeOf(async () =>
        expect((await unpack(flipped)).toString()).toBe('hello hello hello\n'),
      );
      if (code !== undefined) expect(code).toMatch(/^ARCHIVE_(CORRUPT|UNSUPPORTED)$/);
    }
  });
});
