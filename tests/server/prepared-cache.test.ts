import { describe, expect, it } from 'vitest';
import { countWith, PreparedCache } from '../../src/server/prepared-cache.ts';

describe('answers that are kept', () => {
  it('are those of the state in force', () => {
    const cache = new PreparedCache(10_000);
    const [before, now] = [{}, {}];
    cache.set('list', before, { answer: 'old' });
    expect([cache.get('list', before)?.answer, cache.get('list', now), cache.get('other', before)]).toEqual([
      'old',
      undefined,
      undefined,
    ]);
    cache.set('list', now, { answer: 'new' });
    expect([cache.get('list', before), cache.get('list', now)?.answer]).toEqual([undefined, 'new']);
  });

  it('go over into another state with their subject alone', () => {
    const cache = new PreparedCache(10_000);
    const [before, now, file, other] = [{}, {}, {}, {}];
    cache.set('read', before, { answer: 'x' }, file);
    cache.set('list', before, { answer: 'y' });
    expect([
      cache.move('read', now, other),
      cache.move('list', now, file),
      cache.move('none', now, file),
    ]).toEqual([undefined, undefined, undefined]);
    expect(cache.get('read', now)).toBe(undefined);
    expect(cache.move('read', now, file)?.answer).toBe('x');
    expect([cache.get('read', now)?.answer, cache.get('read', before)]).toEqual(['x', undefined]);
  });

  it('give way, longest unused first, to no more than the room', () => {
    const cache = new PreparedCache(8_000);
    const state = {};
    const has = (...keys: string[]): boolean[] => keys.map((key) => cache.get(key, state) !== undefined);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, state, { answer: Buffer.alloc(1_400) });
    expect(has('a')).toEqual([true]);
    cache.set('e', state, { answer: 'x'.repeat(1_400) });
    expect(has('b', 'c', 'd', 'a', 'e')).toEqual([false, true, true, true, true]);
    cache.set('f', state, { answer: Buffer.alloc(1_700) });
    expect(has('f', 'c')).toEqual([false, true]);
    cache.delete('a');
    cache.delete('a');
    cache.set('b', state, { answer: Buffer.alloc(1_400) });
    expect(has('a', 'b', 'c', 'd', 'e')).toEqual([false, true, true, true, true]);
  });

  it('count with what was made of them, for as long as they are kept', () => {
    const cache = new PreparedCache(8_000);
    const state = {};
    const has = (...keys: string[]): boolean[] => keys.map((key) => cache.get(key, state) !== undefined);
    const [a, b, c] = [Buffer.alloc(1_400), Buffer.alloc(1_400), Buffer.alloc(1_400)];
    cache.set('a', state, { answer: a });
    cache.set('b', state, { answer: b });
    cache.set('c', state, { answer: c });
    countWith(b, 2_000);
    expect(has('a', 'b', 'c')).toEqual([true, true, true]);
    countWith(c, 1_000);
    expect(has('a', 'b', 'c')).toEqual([false, true, true]);
    // Gone: it counts nowhere, and its key may stand for another by now.
    countWith(a, 8_000);
    expect(has('b', 'c')).toEqual([true, true]);
    cache.delete('b');
    cache.delete('c');
    for (const key of ['d', 'e', 'f', 'g']) cache.set(key, state, { answer: Buffer.alloc(1_400) });
    expect(has('d', 'e', 'f', 'g')).toEqual([true, true, true, true]);
    countWith(Buffer.alloc(10), 8_000);
    expect(has('d', 'e', 'f', 'g')).toEqual([true, true, true, true]);
  });
});
