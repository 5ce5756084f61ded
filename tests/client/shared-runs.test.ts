import { describe, expect, it } from 'vitest';
import { SharedRuns } from '../../src/client/shared-runs.ts';

interface Gate {
  readonly promise: Promise<string>;
  readonly open: (value: string) => void;
  readonly fail: (error: Error) => void;
}

function gate(): Gate {
  let open: Gate['open'] = () => {};
  let fail: Gate['fail'] = () => {};
  const promise = new Promise<string>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

describe('SharedRuns', () => {
  it('does the work once for all who wait, and anew for who comes later', async () => {
    const runs = new SharedRuns<string>();
    const door = gate();
    let count = 0;
    const work = (): Promise<string> => {
      count += 1;
      return door.promise;
    };
    const both = [runs.run('a', work), runs.run('a', work)];
    door.open('done');
    expect(await Promise.all(both)).toEqual(['done', 'done']);
    expect(count).toBe(1);
    await runs.run('a', work);
    expect(count).toBe(2);
  });

  it('keeps keys apart', async () => {
    const runs = new SharedRuns<string>();
    expect(await Promise.all([runs.run('a', async () => 'of a'), runs.run('b', async () => 'of b')])).toEqual(
      ['of a', 'of b'],
    );
  });

  it('gives one error to all, and forgets it', async () => {
    const runs = new SharedRuns<string>();
    const door = gate();
    const both = [runs.run('a', () => door.promise), runs.run('a', () => door.promise)];
    door.fail(new Error('broken'));
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await runs.run('a', async () => 'again')).toBe('again');
  });

  it('lets one caller leave without ending the work of the other', async () => {
    const runs = new SharedRuns<string>();
    const door = gate();
    const leaving = new AbortController();
    let told: AbortSignal | undefined;
    const work = (signal: AbortSignal): Promise<string> => {
      told = signal;
      return door.promise;
    };
    const left = runs.run('a', work, leaving.signal);
    const stays = runs.run('a', work);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    expect(told?.aborted).toBe(false);
    door.open('done');
    expect(await stays).toBe('done');
  });

  it('tells the work to end when the last caller left, and joins nobody to it', async () => {
    const runs = new SharedRuns<string>();
    const leaving = new AbortController();
    let told: AbortSignal | undefined;
    const never = (signal: AbortSignal): Promise<string> => {
      told = signal;
      return new Promise(() => {});
    };
    const left = runs.run('a', never, leaving.signal);
    leaving.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    expect(told?.aborted).toBe(true);
    expect(await runs.run('a', async () => 'new')).toBe('new');
  });

  it('does nothing for a caller that has left before', async () => {
    let ran = false;
    const work = async (): Promise<string> => {
      ran = true;
      return '';
    };
    await expect(
      new SharedRuns<string>().run('a', work, AbortSignal.abort(new Error('gone'))),
    ).rejects.toThrow('gone');
    expect(ran).toBe(false);
  });
});
