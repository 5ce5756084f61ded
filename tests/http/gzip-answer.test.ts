import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GzipAnswer, gzipAnswer } from '../../src/http/gzip-answer.ts';

const BEGUN = '{"result":{"x":"VALUE"},"jsonrpc":"2.0","id":';

function headOf(value: string): Buffer {
  return Buffer.from(BEGUN.replace('VALUE', value));
}

/** An answer once it is compressed. */
async function compressed(head: Buffer, after: string): Promise<GzipAnswer> {
  for (let look = 0; look < 500; look++) {
    const answer = gzipAnswer(head, after);
    if (answer !== undefined) return answer;
    await sleep(2);
  }
  throw new Error('it is never compressed');
}

function whole({ front, end }: GzipAnswer): Buffer {
  return Buffer.concat([front, end]);
}

/** What a reader makes of the one member that must be all there is: its parts of RFC 1952 by themselves. */
function member(bytes: Buffer): { body: string; crc: number; size: number } {
  expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x1f, 0x8b, 8, 0]));
  return {
    body: inflateRawSync(bytes.subarray(10, -8)).toString(),
    crc: bytes.readUInt32LE(bytes.length - 8),
    size: bytes.readUInt32LE(bytes.length - 4),
  };
}

/** CRC-32 as RFC 1952 writes it down, a bit at a time. */
function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

describe('an answer in gzip', () => {
  it('is one member with the head and the id', async () => {
    const head = headOf('ab'.repeat(10_000));
    const bytes = whole(await compressed(head, '7}'));
    const body = `${head}7}`;
    expect(gunzipSync(bytes).toString()).toBe(body);
    expect(member(bytes)).toEqual({ body, crc: crcOf(Buffer.from(body)), size: 20_042 });
    expect(bytes.length).toBeLessThan(200);
  });

  it('has the id as it is, and the same bytes before it', async () => {
    const head = headOf('ab'.repeat(10_000));
    const [one, other] = [await compressed(head, '"one"}'), await compressed(head, '"other"}')];
    expect(one.front).toBe(other.front);
    expect(one.end.toString('latin1')).toContain('"one"}');
    expect(one.end).toHaveLength(5 + 6 + 8);
  });

  it('is the answer, whatever head and id are', async () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
    );
    await fc.assert(
      fc.asyncProperty(value, fc.integer({ min: 100, max: 400 }), value, async (part, times, id) => {
        const head = headOf(JSON.stringify(`${part} and so on `.repeat(times * 15)));
        const after = `${JSON.stringify(id)}}`;
        expect(gunzipSync(whole(await compressed(head, after))).equals(Buffer.from(`${head}${after}`))).toBe(
          true,
        );
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['a short answer', headOf('x'.repeat(16_383 - BEGUN.length + 5))],
    ['a text', headOf('x'.repeat(20_000)).toString()],
    ['what does not shrink', Buffer.from(randomBytes(40_000))],
  ])('is none of %s', async (_what, head) => {
    for (let ask = 0; ask < 20; ask++) {
      expect(gzipAnswer(head, '1}')).toBeUndefined();
      await sleep(2);
    }
  });

  it('is one from this length on', async () => {
    const head = headOf('x'.repeat(16_384 - BEGUN.length + 5));
    expect(head).toHaveLength(16_384);
    expect(gunzipSync(whole(await compressed(head, '1}'))).toString()).toBe(`${head}1}`);
  });

  it('is not made of what is asked for once', async () => {
    const head = headOf('ab'.repeat(10_000));
    expect(gzipAnswer(head, '1}')).toBeUndefined();
    await sleep(50);
    // The first that may begin it.
    expect(gzipAnswer(head, '1}')).toBeUndefined();
    await compressed(head, '1}');
  });

  it('ends where no block could hold the id', async () => {
    const head = headOf('ab'.repeat(10_000));
    const longest = `"${'x'.repeat(65_535 - 3)}"}`;
    expect(gunzipSync(whole(await compressed(head, longest))).toString()).toBe(`${head}${longest}`);
    expect(gzipAnswer(head, `${longest} `)).toBeUndefined();
  });

  it('comes of several heads that are asked for at once', async () => {
    const heads = ['a', 'b', 'c', 'd'].map((letter) => headOf(letter.repeat(30_000)));
    for (const head of heads) for (let ask = 0; ask < 3; ask++) gzipAnswer(head, '1}');
    for (const head of heads)
      expect(gunzipSync(whole(await compressed(head, '1}'))).toString()).toBe(`${head}1}`);
  });
});

/** Bytes without a pattern, the same ones each time. */
function randomBytes(count: number): number[] {
  let state = 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}
