import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { trueForTheTurn } from '../../src/server/turn.ts';

describe('what holds for a turn of the event loop', () => {
  it('is checked once in each turn, as long as it is so', async () => {
    let checks = 0;
    let state = true;
    const check = trueForTheTurn(() => {
      checks += 1;
      return state;
    });
    expect([check(), check(), await Promise.resolve().then(check), checks]).toEqual([true, true, true, 1]);
    await setImmediate();
    expect([check(), check(), checks]).toEqual([true, true, 2]);
    await setImmediate();
    state = false;
    expect([check(), check(), checks]).toEqual([false, false, 4]);
    state = true;
    expect([check(), check(), checks]).toEqual([true, true, 5]);
  });
});
