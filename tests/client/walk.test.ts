import { describe, expect, it } from 'vitest';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { walkPages } from '../../src/client/walk.ts';
import { systemClock } from '../../src/clock.ts';
import { SkillError } from '../../src/errors.ts';
import { fakeClock } from '../server/fake-clock.ts';

const LIMITS = { maxPages: 1_000, maxEntries: 200_000, clock: systemClock };
const skill = (name: string): JsonRecord => ({ uri: `skill://${name}/SKILL.md` });
const names = (items: readonly unknown[]): string[] =>
  items.map((item) => /\/\/([^/]*)/.exec((item as { uri: string }).uri)?.[1] ?? '?');

/** A server that answers the n-th request with the n-th page, and the last one over and over. */
function pages(...answers: readonly JsonRecord[]): {
  ask: (cursor: string | undefined) => Promise<JsonRecord>;
  asked: (string | undefined)[];
} {
  const asked: (string | undefined)[] = [];
  return {
    asked,
    ask: (cursor) => {
      asked.push(cursor);
      return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? {});
    },
  };
}

describe('walkPages', () => {
  it('gives all pages in order and tells the shortest ttl', async () => {
    const { ask, asked } = pages(
      { skills: [skill('a')], nextCursor: '1', ttlMs: 900 },
      { skills: [skill('b')], nextCursor: '2', ttlMs: 100 },
      { skills: [skill('c')], ttlMs: 500 },
    );
    const walk = await walkPages(ask, 'skills', LIMITS);
    expect(names(walk.items)).toEqual(['a', 'b', 'c']);
    expect(walk).toMatchObject({ complete: true, problems: [], ttlMs: 100 });
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it('tells no ttl when one page has none', async () => {
    const { ask } = pages({ skills: [], nextCursor: '1', ttlMs: 900 }, { skills: [] });
    expect(await walkPages(ask, 'skills', LIMITS)).not.toHaveProperty('ttlMs');
  });

  it('takes an empty cursor for one, and only an absent one for the end (mt-cursor-loop)', async () => {
    const { ask, asked } = pages({ skills: [skill('r1')], nextCursor: '' }, { skills: [skill('r2')] });
    const walk = await walkPages(ask, 'skills', LIMITS);
    expect(names(walk.items)).toEqual(['r1', 'r2']);
    expect(walk.complete).toBe(true);
    expect(asked).toEqual([undefined, '']);
  });

  it('follows a server that uses one token for every page (mt-constant-cursor-legal)', async () => {
    const { ask } = pages(
      { skills: [skill('s1')], nextCursor: 'next' },
      { skills: [skill('s2')], nextCursor: 'next' },
      { skills: [skill('s3')] },
    );
    const walk = await walkPages(ask, 'skills', LIMITS);
    expect(names(walk.items)).toEqual(['s1', 's2', 's3']);
    expect(walk.complete).toBe(true);
  });

  it('ends a circle of cursors as incomplete, with each entry once (mt-cursor-loop)', async () => {
    const asked: (string | undefined)[] = [];
    const at: Record<string, JsonRecord> = {
      start: { skills: [skill('r1')], nextCursor: 'A' },
      A: { skills: [skill('r2')], nextCursor: 'B' },
      B: { skills: [skill('r3')], nextCursor: 'A' },
    };
    const walk = await walkPages(
      (cursor) => {
        asked.push(cursor);
        return Promise.resolve(at[cursor ?? 'start'] ?? {});
      },
      'skills',
      LIMITS,
    );
    expect(names(walk.items)).toEqual(['r1', 'r2', 'r3']);
    expect(walk.complete).toBe(false);
    expect(walk.problems).toMatchObject([{ code: 'LISTING_INCOMPLETE' }]);
    expect(asked).toEqual([undefined, 'A', 'B', 'A']);
  });

  it('ends a server that repeats a page under ever new cursors', async () => {
    let asked = 0;
    const walk = await walkPages(
      () => Promise.resolve({ skills: [skill('a')], nextCursor: String(asked++) }),
      'skills',
      LIMITS,
    );
    expect(asked).toBe(33);
    expect(names(walk.items)).toEqual(['a']);
    expect(walk.complete).toBe(false);
  });

  it('ends a server that sends empty pages for ever', async () => {
    let asked = 0;
    const walk = await walkPages(
      () => Promise.resolve({ skills: [], nextCursor: String(asked++) }),
      'skills',
      LIMITS,
    );
    expect(asked).toBe(32);
    expect(walk).toMatchObject({ items: [], complete: false });
  });

  it('keeps repeats of a list that ends, so that they can be refused', async () => {
    const { ask } = pages({ skills: [skill('a')], nextCursor: '1' }, { skills: [skill('a')] });
    expect(names((await walkPages(ask, 'skills', LIMITS)).items)).toEqual(['a', 'a']);
  });

  it.each([
    ['pages', { ...LIMITS, maxPages: 3 }, 3],
    ['entries', { ...LIMITS, maxEntries: 5 }, 5],
  ])('stops at the cap of %s', async (_, limits, count) => {
    let asked = 0;
    const walk = await walkPages(
      () => Promise.resolve({ skills: [skill(`s${asked++}`)], nextCursor: 'x' }),
      'skills',
      limits,
    );
    expect(walk.items).toHaveLength(count);
    expect(walk.complete).toBe(false);
    expect(walk.problems[0]?.message).toContain('raise max');
  });

  it('stops inside a giant page', async () => {
    const walk = await walkPages(
      () => Promise.resolve({ skills: Array.from({ length: 250_000 }, (_, at) => skill(`s${at}`)) }),
      'skills',
      LIMITS,
    );
    expect(walk.items).toHaveLength(200_000);
    expect(walk.complete).toBe(false);
  });

  it('stops once the entries weigh too much', async () => {
    const heavy = 'x'.repeat(1_000_000);
    let asked = 0;
    const walk = await walkPages(
      () => Promise.resolve({ skills: [{ ...skill(`s${asked++}`), heavy }], nextCursor: String(asked) }),
      'skills',
      LIMITS,
    );
    expect(walk.items.length).toBeLessThan(269);
    expect(walk).toMatchObject({ complete: false, problems: [{ code: 'LISTING_INCOMPLETE' }] });
  });

  it('stops once it takes too long', async () => {
    const clock = fakeClock();
    let asked = 0;
    const walk = await walkPages(
      () => {
        clock.pass(100_000);
        return Promise.resolve({ skills: [skill(`s${asked++}`)], nextCursor: String(asked) });
      },
      'skills',
      { ...LIMITS, clock },
    );
    expect(asked).toBe(4);
    expect(walk.complete).toBe(false);
  });

  it('keeps what came before a page that fails', async () => {
    let asked = 0;
    const walk = await walkPages(
      () => {
        asked += 1;
        if (asked === 2) return Promise.reject(new SkillError('SERVER_ERROR', 'no'));
        return Promise.resolve({ skills: [skill('a')], nextCursor: 'x' });
      },
      'skills',
      LIMITS,
    );
    expect(names(walk.items)).toEqual(['a']);
    expect(walk.problems).toEqual([{ code: 'SERVER_ERROR', message: 'page 2 failed: no' }]);
  });

  it('throws when the first page fails', async () => {
    const ask = (): Promise<JsonRecord> => Promise.reject(new SkillError('SERVER_ERROR', 'no'));
    await expect(walkPages(ask, 'skills', LIMITS)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
  });

  it.each([
    ['no list', { skills: 'x' }],
    ['nothing', {}],
    ['a cursor that is a number', { skills: [], nextCursor: 3 }],
  ])('refuses a first page with %s', async (_, page) => {
    await expect(walkPages(pages(page).ask, 'skills', LIMITS)).rejects.toMatchObject({
      code: 'INVALID_RESULT',
    });
  });

  it('ends at a later page that is none, and at a cursor without measure', async () => {
    const first = { skills: [skill('a')], nextCursor: 'x' };
    const late = await walkPages(pages(first, { skills: null }).ask, 'skills', LIMITS);
    expect(late).toMatchObject({ complete: false, problems: [{ code: 'INVALID_RESULT' }] });
    const long = await walkPages(pages({ ...first, nextCursor: 'x'.repeat(65_537) }).ask, 'skills', LIMITS);
    expect(long).toMatchObject({ complete: false, problems: [{ code: 'LISTING_INCOMPLETE' }] });
    expect(names(long.items)).toEqual(['a']);
  });
});
