import { describe, expect, it } from 'vitest';
import { Look } from '../../src/server/look.ts';
import { fakeClock } from './fake-clock.ts';

describe('looking at a source', () => {
  it('is as frequent as anybody asks while it is quick', async () => {
    const clock = fakeClock();
    const look = new Look(clock);
    const quick = look.during(Promise.resolve('found'));
    clock.pass(50);
    expect([await quick, look.isCostly()]).toEqual(['found', false]);
  });

  it('takes a tenth of the time at most when it is not', async () => {
    const clock = fakeClock();
    const look = new Look(clock);
    let end: () => void = () => undefined;
    const slow = look.during(
      new Promise<void>((resolve) => {
        end = resolve;
      }),
    );
    clock.pass(300);
    end();
    await slow;
    clock.pass(2_999);
    expect(look.isCostly()).toBe(true);
    clock.pass(1);
    expect(look.isCostly()).toBe(false);
  });

  it('that fails may be repeated at once', async () => {
    const clock = fakeClock();
    const look = new Look(clock);
    const failed = look.during(Promise.reject(new Error('no disk')));
    clock.pass(300);
    await expect(failed).rejects.toThrow('no disk');
    expect(look.isCostly()).toBe(false);
  });
});
