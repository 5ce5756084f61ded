/** Answers that cannot be compressed. */
import { crc32, gunzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';

const failing = vi.hoisted(() => ({ way: 'none' as 'none' | 'throws' | 'fails' }));
vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  return {
    ...zlib,
    deflateRaw: (bytes: Buffer, options: object, done: (error: Error | null, bytes: Buffer) => void) => {
      if (failing.way === 'throws') throw new Error('Initialization failed');
      if (failing.way === 'fails') setImmediate(() => done(new Error('no memory'), Buffer.alloc(0)));
      else zlib.deflateRaw(bytes, options, done);
    },
  };
});

import { gzipAnswer } from '../../src/http/gzip-answer.ts';

it.each(['throws', 'fails'] as const)(
  'go out plain where compressing %s, and others are compressed after',
  async (way) => {
    const refused = Buffer.alloc(20_000, `{"${way}":`);
    failing.way = way;
    for (let at = 0; at < 4; at++) {
      expect(gzipAnswer(refused, '1}')).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
    }
    failing.way = 'none';
    const head = Buffer.alloc(20_000, `{"after ${way}":`);
    const answer = await vi.waitUntil(() => gzipAnswer(head, '2}'));
    const whole = gunzipSync(Buffer.concat([answer.front, answer.end]));
    expect(crc32(whole)).toBe(crc32(Buffer.concat([head, Buffer.from('2}')])));
    expect(gzipAnswer(refused, '1}')).toBeUndefined();
  },
);
