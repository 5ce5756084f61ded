import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gunzip } from '../../src/archive/gunzip.ts';
import { codeOf } from './code-of.ts';

async function unpack(...input: Uint8Array[]): Promise<Buffer> {
  const out: Buffer[] = [];
  await gunzip(input, (chunk) => out.push(chunk));
  return Buffer.concat(out);
}

const text = Buffer.from('hello hello hello\n'.repeat(5_000));
const packed = gzipSync(text);
const body = packed.subarray(10);
const withHeader = (flags: number, ...rest: (string | Buffer)[]): Buffer =>
  Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 2, 3]),
    ...rest.map((each) => Buffer.from(each)),
    body,
  ]);

describe('gunzip', () => {
  it.each([
    ['in one piece', [packed]],
    ['byte by byte', [...packed].map((byte) => Uint8Array.of(byte))],
    [
      'with empty pieces',
      [new Uint8Array(0), packed.subarray(0, 9), new Uint8Array(0), packed.subarray(9), new Uint8Array(0)],
    ],
    ['cut before the trailer', [packed.subarray(0, -8), packed.subarray(-8)]],
    [
      'with name, comment and extra field',
      [withHeader(0x1c, Buffer.from([2, 0, 7, 7]), 'name\0', 'comment\0')],
    ],
    ['marked as text', [withHeader(1)]],
  ])('unpacks %s', async (_, pieces) => {
    expect((await unpack(...pieces)).equals(text)).toBe(true);
  });

  it('unpacks nothing and much', async () => {
    expect(await unpack(gzipSync(Buffer.alloc(0)))).toHaveLength(0);
    const zeros = gzipSync(Buffer.alloc(3_000_001));
    expect(await unpack(zeros)).toHaveLength(3_000_001);
  });

  it('unpacks what zlib packs, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5_000 }),
        fc.integer({ min: 1, max: 700 }),
        async (bytes, step) => {
          const whole = gzipSync(bytes);
          const pieces: Uint8Array[] = [];
          for (let at = 0; at < whole.length; at += step) pieces.push(whole.subarray(at, at + step));
          expect((await unpack(...pieces)).equals(Buffer.from(bytes))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each<[string, Uint8Array[], string]>([
    ['nothing at all', [], 'the gzip stream ends early'],
    ['no gzip', [Buffer.from('hello world')], 'no gzip header'],
    ['another method than deflate', [Buffer.from('1f8b0900000000000000', 'hex')], 'no gzip header'],
    ['reserved flags', [withHeader(0x20)], 'unknown flags in the gzip header'],
    [
      'a name without end',
      [Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0]), Buffer.alloc(200_000, 0x61)])],
      'the gzip header does not end',
    ],
    [
      'a wrong checksum of the header',
      [withHeader(2, Buffer.from([0, 0]))],
      'the checksum of the gzip header is wrong',
    ],
    ['a second member', [packed, packed], 'a second gzip member follows the first'],
    [
      'a second member in the same piece',
      [Buffer.concat([packed, packed])],
      'a second gzip member follows the first',
    ],
    ['an empty second member', [packed, gzipSync('')], 'a second gzip member follows the first'],
    ['bytes behind', [packed, Buffer.from('x')], 'bytes follow the gzip stream'],
    ['zeros behind', [packed, Buffer.alloc(512)], 'bytes follow the gzip stream'],
    [
      'a wrong checksum',
      [Buffer.concat([packed.subarray(0, -8), Buffer.from('00000000', 'hex'), packed.subarray(-4)])],
      'the checksum of the gzip stream is wrong',
    ],
    [
      'a wrong length',
      [Buffer.concat([packed.subarray(0, -4), Buffer.from('01000000', 'hex')])],
      'the checksum of the gzip stream is wrong',
    ],
    [
      'damaged data',
      [Buffer.concat([packed.subarray(0, 10), Buffer.alloc(50, 0xff), packed.subarray(60)])],
      'the compressed data is not valid',
    ],
    [
      'data without its end',
      [Buffer.concat([packed.subarray(0, 10), deflateRawSync(text).subarray(0, -3)])],
      'the gzip stream ends early',
    ],
  ])('refuses %s', async (_, pieces, problem) => {
    await expect(unpack(...pieces)).rejects.toMatchObject({ code: 'ARCHIVE_CORRUPT', details: { problem } });
  });

  it('refuses every shorter stream', async () => {
    const short = gzipSync('hello');
    for (let length = 0; length < short.length; length += 1) {
      expect(await codeOf(() => unpack(short.subarray(0, length)))).toBe('ARCHIVE_CORRUPT');
    }
  });

  it('stops at once when the sink throws, with what it threw', async () => {
    let seen = 0;
    const stop = new Error('stop');
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    await expect(
      gunzip([bomb, bomb], (chunk) => {
        seen += chunk.length;
        if (seen > 1_000_000) throw stop;
      }),
    ).rejects.toBe(stop);
    expect(seen).toBeLessThan(1_200_000);
  });

  it('lets an error of the input through', async () => {
    const failed = new Error('gone');
    async function* input(): AsyncGenerator<Uint8Array> {
      yield packed.subarray(0, 20);
      throw failed;
    }
    await expect(gunzip(input(), () => undefined)).rejects.toBe(failed);
  });
});
