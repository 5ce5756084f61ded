import { describe, expect, it } from 'vitest';
import { BackOff } from '../../src/client/back-off.ts';
import { ByteBudget } from '../../src/client/budget.ts';
import { ContentCache } from '../../src/client/content-cache.ts';
import { DynamicGuard } from '../../src/client/dynamic.ts';
import { ListingCache } from '../../src/client/listing-cache.ts';
import { SkillError } from '../../src/errors.ts';
import { type FakeClock, fakeClock } from '../server/fake-clock.ts';

const error = new SkillError('SERVER_ERROR', 'no', { details: { method: 'm' } });

describe('BackOff', () => {
  function failing(backOff: BackOff, clock: FakeClock): number {
    backOff.failed('k', error, clock.now());
    try {
      backOff.require('k');
    } catch (refused) {
      return (refused as SkillError).details.retryAfterMs as number;
    }
    return 0;
  }

  it('doubles the pause up to a minute, and begins anew after a success', () => {
    const clock = fakeClock();
    const backOff = new BackOff(clock, () => 1);
    const pauses = Array.from({ length: 9 }, () => {
      const pause = failing(backOff, clock);
      clock.pass(pause);
      expect(() => backOff.require('k')).not.toThrow();
      return pause;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    backOff.succeeded('k');
    expect(failing(backOff, clock)).toBe(1_000);
  });

  it('leaves up to half of the pause to chance', () => {
    const clock = fakeClock();
    expect(failing(new BackOff(clock, () => 0), clock)).toBe(500);
  });

  it('repeats the code of the failure and says when to ask again', () => {
    const clock = fakeClock();
    const backOff = new BackOff(clock, () => 1);
    backOff.failed('k', error, clock.now());
    expect(() => backOff.require('k')).toThrow(
      expect.objectContaining({ code: 'SERVER_ERROR', details: { method: 'm', retryAfterMs: 1_000 } }),
    );
    expect(() => backOff.require('other')).not.toThrow();
  });

  it('counts failures that were under way at once as one, and lets free ones pass', () => {
    const clock = fakeClock();
    clock.pass(10);
    const backOff = new BackOff(clock, () => 1);
    backOff.failed('k', error, 10);
    backOff.failed('k', error, 5);
    backOff.failed('k', error, 6);
    expect(() => backOff.require('k')).toThrow(
      expect.objectContaining({ details: { method: 'm', retryAfterMs: 1_000 } }),
    );
    backOff.failed('free', error, 10, 1);
    expect(() => backOff.require('free')).not.toThrow();
  });
});

describe('ListingCache', () => {
  it('gives a listing again while it is fresh, and no longer', () => {
    const clock = fakeClock();
    const cache = new ListingCache<string>(clock);
    cache.began();
    cache.ended('one', 5_000, clock.now());
    clock.pass(4_999);
    expect(cache.current()).toBe('one');
    clock.pass(1);
    expect(cache.current()).toBeUndefined();
  });

  it('believes no server that calls a listing fresh for years', () => {
    const clock = fakeClock();
    const cache = new ListingCache<string>(clock);
    cache.began();
    cache.ended('one', Number.MAX_VALUE, clock.now());
    clock.pass(3_600_000);
    expect(cache.current()).toBeUndefined();
  });

  it('lets a burst through, then one walk a second', () => {
    const clock = fakeClock();
    const cache = new ListingCache<number>(clock);
    let walks = 0;
    const list = (): void => {
      if (cache.current() !== undefined) return;
      walks += 1;
      cache.began();
      cache.ended(walks, 0, clock.now());
    };
    for (let turn = 0; turn < 1_000; turn++) list();
    expect(walks).toBe(10);
    for (let turn = 0; turn < 1_000; turn++) {
      clock.pass(10);
      list();
    }
    expect(walks).toBe(20);
  });

  it('asks no server for more than half of the time', () => {
    const clock = fakeClock();
    const cache = new ListingCache<string>(clock);
    const startedAt = clock.now();
    cache.began();
    clock.pass(20_000);
    cache.ended('slow', 0, startedAt);
    clock.pass(19_999);
    expect(cache.current()).toBe('slow');
    clock.pass(1);
    expect(cache.current()).toBeUndefined();
  });

  it('forgets what it holds, and not how often it asked', () => {
    const clock = fakeClock();
    const cache = new ListingCache<string>(clock);
    for (let walk = 0; walk < 10; walk++) cache.began();
    cache.ended('one', 5_000, clock.now());
    cache.forget();
    expect(cache.current()).toBeUndefined();
    expect(cache.waitMs()).toBe(1_000);
  });
});

describe('ByteBudget', () => {
  it('counts nothing without a budget', () => {
    for (const limit of [undefined, 0, -1]) {
      const budget = new ByteBudget(limit);
      budget.charge('u', 1_000);
      expect(budget.consumed).toBe(0);
    }
  });

  it('takes up to the budget, refuses what exceeds it and does not count that', () => {
    const budget = new ByteBudget(10);
    budget.charge('u', 6);
    expect(() => budget.charge('u', 5)).toThrow(
      expect.objectContaining({ code: 'SERVER_BYTE_BUDGET_EXCEEDED' }),
    );
    expect(budget.consumed).toBe(6);
    budget.charge('u', 4);
    expect(budget.consumed).toBe(10);
  });
});

describe('ContentCache', () => {
  it('gives copies under exactly one URI and digest', () => {
    const cache = new ContentCache(10_000);
    const bytes = Buffer.from('abc');
    cache.keep('u', 'd', { bytes, mimeType: 'text/plain' });
    bytes.fill(0);
    const first = cache.get('u', 'd');
    expect(first).toMatchObject({ mimeType: 'text/plain' });
    first?.bytes.fill(1);
    expect(Buffer.from(cache.get('u', 'd')?.bytes ?? []).toString()).toBe('abc');
    expect(cache.get('v', 'd')).toBeUndefined();
    expect(cache.get('u', 'e')).toBeUndefined();
  });

  it('drops the longest unused beyond its bytes, and keeps nothing too large', () => {
    const cache = new ContentCache(4_000);
    for (const name of ['a', 'b', 'c', 'd']) cache.keep(name, 'd', { bytes: Buffer.alloc(700) });
    cache.get('a', 'd');
    cache.keep('e', 'd', { bytes: Buffer.alloc(700) });
    cache.keep('big', 'd', { bytes: Buffer.alloc(701) });
    expect(['a', 'b', 'c', 'd', 'e', 'big'].filter((name) => cache.get(name, 'd') !== undefined)).toEqual([
      'a',
      'c',
      'd',
      'e',
    ]);
    const none = new ContentCache(0);
    none.keep('a', 'd', { bytes: Buffer.alloc(0) });
    expect(none.get('a', 'd')).toBeUndefined();
  });
});

describe('DynamicGuard', () => {
  it.each([undefined, false])('refuses for %s', (option) => {
    expect(() => new DynamicGuard(option).allowance('s', 'f')).toThrow(
      expect.objectContaining({ code: 'DYNAMIC_REFUSED' }),
    );
  });

  it('counts each file as it was read last, and stops at the caps', () => {
    const guard = new DynamicGuard({ maxBytes: 10, maxFiles: 2 });
    guard.took('s', 'a', 6);
    guard.took('s', 'a', 4);
    expect(guard.allowance('s', 'b')).toBe(6);
    expect(() => guard.took('s', 'b', 7)).toThrow(expect.objectContaining({ code: 'RESOURCE_TOO_LARGE' }));
    guard.took('s', 'b', 6);
    expect(() => guard.allowance('s', 'c')).toThrow(expect.objectContaining({ code: 'DYNAMIC_REFUSED' }));
    expect(guard.allowance('s', 'a')).toBe(4);
    expect(guard.allowance('other', 'c')).toBe(10);
  });

  it('has the caps of the extension by default', () => {
    expect(new DynamicGuard(true).allowance('s', 'f')).toBe(16_777_216);
  });
});
