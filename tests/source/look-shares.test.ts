import { describe, expect, it } from 'vitest';
import { LookShares } from '../../src/source/look-shares.ts';

/** Both sides of the same shares; `looked` are the folders that the second one looked at. */
function sides(folders: number): { first: LookShares; second: LookShares; looked: number[] } {
  const first = new LookShares(folders);
  return { first, second: new LookShares(folders, first.memory), looked: [] };
}

describe('shares of folders', () => {
  it('that the other one looked at tell what it found, all others nothing', () => {
    const { first, second, looked } = sides(200);
    expect([0, 63].map((at) => first.isSame(at))).toEqual([false, false]);
    second.look((at) => {
      looked.push(at);
      return at % 3 !== 0;
    });
    // 64 folders a share: the first one was taken before.
    expect(looked).toEqual(Array.from({ length: 136 }, (_, index) => 199 - index));
    const same = Array.from({ length: 200 }, (_, at) => at).filter((at) => first.isSame(at));
    expect(same).toEqual(Array.from({ length: 136 }, (_, index) => 64 + index).filter((at) => at % 3 !== 0));
  });

  it('are each taken by one side, wherever they meet', () => {
    for (const meet of [0, 1, 64, 100, 128, 129]) {
      const { first, second, looked } = sides(130);
      const mine: number[] = [];
      for (let at = 0; at < meet; at += 1) if (!first.isSame(at)) mine.push(at);
      second.look((at) => {
        looked.push(at);
        return true;
      });
      for (let at = meet; at < 130; at += 1) if (!first.isSame(at)) mine.push(at);
      expect([...mine, ...looked].sort((a, b) => a - b)).toEqual(Array.from({ length: 130 }, (_, at) => at));
    }
  });

  it('that the other one is still looking at tell nothing, and nothing later', () => {
    const { first, second } = sides(128);
    const told: boolean[] = [];
    expect(() =>
      second.look((at) => {
        if (at === 70) told.push(first.isSame(127), first.isSame(70));
        if (at === 65) throw new Error('ends');
        return true;
      }),
    ).toThrow('ends');
    expect(told).toEqual([false, false]);
    expect([64, 127, 0].map((at) => first.isSame(at))).toEqual([false, false, false]);
  });

  it('may be none', () => {
    const { second, looked } = sides(0);
    second.look((at) => looked.push(at) > 0);
    expect(looked).toEqual([]);
  });
});
