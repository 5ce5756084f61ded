import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Broadcast, Broadcaster } from '../../src/server/notify.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';

interface Sent {
  readonly at: number;
  readonly version: number;
  readonly paths: readonly string[];
  readonly updated: readonly string[];
}

interface Windows {
  readonly coalesce?: number;
  readonly wait?: number;
  readonly interval?: number;
}

class Bench {
  readonly clock: FakeClock = fakeClock();
  readonly sent: Sent[] = [];
  readonly raw: Broadcast[] = [];
  version = 0;
  heard = true;
  readonly broadcaster: Broadcaster;

  constructor({ coalesce = 0, wait = 0, interval = 0 }: Windows = {}) {
    this.broadcaster = new Broadcaster({
      coalesceWindowMs: coalesce,
      maxWaitMs: wait,
      minBroadcastIntervalMs: interval,
      version: () => this.version,
      heard: () => this.heard,
      send: (broadcast) => {
        const { version, paths } = payloadOf(broadcast);
        const at = this.clock.now();
        this.raw.push(broadcast);
        this.sent.push({ at, version, paths: Object.keys(paths ?? {}), updated: broadcast.updated });
      },
      clock: this.clock,
    });
  }

  report(...paths: string[]): void {
    this.version += 1;
    this.broadcaster.add(
      paths.map((path) => ({ path, action: 'modified', timestamp: this.clock.date().toISOString() })),
      [],
    );
    this.broadcaster.request();
  }

  /** When each broadcast went out, and with which paths. */
  get log(): readonly (readonly [number, string])[] {
    return this.sent.map(({ at, paths }) => [at, paths.join()]);
  }
}

describe('without windows', () => {
  it('each call is a broadcast inside the call', () => {
    const bench = new Bench();
    bench.report('a');
    bench.report('b', 'c');
    bench.report();
    expect(bench.sent).toEqual([
      { at: 0, version: 1, paths: ['a'], updated: [] },
      { at: 0, version: 2, paths: ['b', 'c'], updated: [] },
      { at: 0, version: 3, paths: [], updated: [] },
    ]);
    expect(bench.clock.waiting).toBe(0);
  });

  it('what is noted rides on the next broadcast', () => {
    const bench = new Bench();
    bench.broadcaster.add([{ path: 'a', timestamp: 'x' }], ['skill://a']);
    expect(bench.sent).toEqual([]);
    bench.broadcaster.requestIfNoted();
    bench.broadcaster.requestIfNoted();
    expect(bench.sent).toEqual([{ at: 0, version: 0, paths: ['a'], updated: ['skill://a'] }]);
  });
});

describe('the coalescing window', () => {
  it('begins anew with each call, and tells each path once, as it was reported last', () => {
    const bench = new Bench({ coalesce: 100 });
    for (let call = 0; call < 5; call++) {
      bench.report('a');
      bench.clock.pass(60);
    }
    expect(bench.sent).toEqual([]);
    bench.broadcaster.add([{ path: 'a', action: 'deleted', timestamp: 'late' }], []);
    bench.clock.pass(40);
    expect(bench.sent).toEqual([{ at: 340, version: 5, paths: ['a'], updated: [] }]);
    expect(decodePath(bench.raw[0], 'a')).toEqual({ action: 'deleted', timestamp: 'late' });
  });

  it('replaces an entry whole: a later report without digest has none', () => {
    const bench = new Bench({ coalesce: 10 });
    bench.broadcaster.add([{ path: 'a', action: 'created', timestamp: 't1', digest: 'sha256:1' }], []);
    bench.broadcaster.add([{ path: 'a', action: 'modified', timestamp: 't2' }], []);
    bench.broadcaster.request();
    bench.clock.pass(10);
    expect(decodePath(bench.raw[0], 'a')).toEqual({ action: 'modified', timestamp: 't2' });
  });

  it('without a maximum wait a steady stream is told when it ends', () => {
    const bench = new Bench({ coalesce: 100 });
    for (let call = 0; call < 1_000; call++) {
      bench.report(`f${call}`);
      bench.clock.pass(99);
    }
    expect(bench.sent).toEqual([]);
    bench.clock.pass(1);
    expect(bench.sent.map(({ at, paths }) => [at, paths.length])).toEqual([[99_001, 1_000]]);
  });

  it('with one, it is told at that time', () => {
    const bench = new Bench({ coalesce: 100, wait: 250 });
    for (let call = 0; call < 6; call++) {
      bench.report(String(call));
      bench.clock.pass(99);
    }
    expect(bench.log).toEqual([
      [250, '0,1,2'],
      [547, '3,4,5'],
    ]);
  });
});

describe('the minimum interval', () => {
  it('lets the first through and holds the next together until it is over', () => {
    const bench = new Bench({ interval: 200 });
    bench.report('a');
    bench.clock.pass(10);
    bench.report('b');
    bench.clock.pass(10);
    bench.report('c');
    bench.clock.pass(500);
    bench.report('d');
    expect(bench.log).toEqual([
      [0, 'a'],
      [200, 'b,c'],
      [520, 'd'],
    ]);
    expect(bench.sent[1]?.version).toBe(3);
  });

  it('comes after the window', () => {
    const bench = new Bench({ coalesce: 50, interval: 200 });
    bench.report('a');
    bench.clock.pass(60);
    bench.report('b');
    bench.clock.pass(300);
    expect(bench.log).toEqual([
      [50, 'a'],
      [250, 'b'],
    ]);
  });

  it('counts from what was heard', () => {
    const bench = new Bench({ interval: 200 });
    bench.heard = false;
    bench.report('a');
    bench.heard = true;
    bench.report('b');
    expect(bench.log).toEqual([[0, 'b']]);
  });
});

describe('the end', () => {
  it('of a drain is a last broadcast, at once without an interval', async () => {
    const bench = new Bench({ coalesce: 1_000 });
    bench.report('a');
    await bench.broadcaster.drain();
    expect(bench.log).toEqual([[0, 'a']]);
    expect(bench.clock.waiting).toBe(0);
  });

  it('of a drain keeps the interval, and what is reported meanwhile', async () => {
    const bench = new Bench({ coalesce: 1_000, interval: 200 });
    bench.report('a');
    bench.clock.pass(1_000);
    bench.report('b');
    let done = false;
    const drained = bench.broadcaster.drain().then(() => {
      done = true;
    });
    bench.clock.pass(199);
    bench.report('c');
    await Promise.resolve();
    expect(done).toBe(false);
    bench.clock.pass(1);
    await drained;
    expect(bench.log).toEqual([
      [1_000, 'a'],
      [1_200, 'b,c'],
    ]);
  });

  it('of a drain with nothing to tell is at once, and tells nothing', async () => {
    const bench = new Bench({ interval: 200 });
    bench.report('a');
    await bench.broadcaster.drain();
    expect(bench.log).toEqual([[0, 'a']]);
  });

  it('of a drain that nobody hears does not wait', async () => {
    const bench = new Bench({ interval: 200 });
    bench.report('a');
    bench.report('b');
    bench.heard = false;
    await bench.broadcaster.drain();
    expect([bench.log.length, bench.clock.waiting]).toEqual([1, 0]);
  });

  it('tells what was only noted', async () => {
    const bench = new Bench();
    bench.broadcaster.add([{ path: 'a', timestamp: 'x' }], []);
    await bench.broadcaster.drain();
    expect(bench.log).toEqual([[0, 'a']]);
  });

  it('by close drops what waits, ends a drain, and takes no more', async () => {
    const bench = new Bench({ interval: 200 });
    bench.report('a');
    bench.report('b');
    const drained = bench.broadcaster.drain();
    bench.broadcaster.close();
    await drained;
    bench.report('c');
    await bench.broadcaster.drain();
    bench.clock.pass(1_000);
    expect([bench.log, bench.clock.waiting]).toEqual([[[0, 'a']], 0]);
  });
});

describe('a broadcast of too many paths', () => {
  it.each([
    ['that fit', 5_000, 5_000],
    ['that do not', 20_000, 0],
  ])('%s', (_name, count, told) => {
    const bench = new Bench();
    bench.report(...Array.from({ length: count }, (_, at) => `skills/some-skill/references/file-${at}.md`));
    expect([bench.sent[0]?.paths.length, bench.sent[0]?.version]).toEqual([told, 1]);
    expect(JSON.stringify(bench.raw[0]?.params).length).toBeLessThan(1_048_576 + 200);
  });
});

describe('any sequence of calls', () => {
  const PATHS = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 });
  const step = fc.oneof(fc.integer({ min: 0, max: 400 }), PATHS);

  it('is told whole, not too often and not too late', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 0, max: 900 }),
        fc.integer({ min: 0, max: 700 }),
        fc.array(step, { maxLength: 60 }),
        fc.boolean(),
        async (coalesce, wait, interval, steps, drains) => {
          const bench = new Bench({ coalesce, wait, interval });
          const { clock, broadcaster } = bench;
          /** Paths that wait to be told, with the time of their first report. */
          const due = new Map<string, number>();
          const wrong: string[] = [];
          let checked = 0;
          let lastReport = 0;
          let previous = Number.NEGATIVE_INFINITY;
          const check = (): void => {
            for (const { at, paths } of bench.sent.slice(checked)) {
              if (at - previous < interval) wrong.push(`${at} comes too soon after ${previous}`);
              for (const path of paths) {
                const since = due.get(path);
                if (since === undefined) wrong.push(`${path} at ${at} was not reported`);
                const latest = wait > 0 ? (since ?? 0) + wait : lastReport + coalesce;
                if (at > Math.max(latest, previous + interval))
                  wrong.push(`${path} of ${since} came at ${at}`);
                due.delete(path);
              }
              if (due.size > 0) wrong.push(`${[...due.keys()]} are missing at ${at}`);
              previous = at;
              checked += 1;
            }
          };
          for (const each of steps) {
            if (typeof each === 'number') {
              clock.pass(each);
            } else {
              lastReport = clock.now();
              for (const path of each) if (!due.has(path)) due.set(path, lastReport);
              bench.report(...each);
            }
            check();
          }
          const calls = steps.filter((each) => typeof each !== 'number').length;
          if (drains) {
            const drained = broadcaster.drain();
            clock.pass(interval);
            await drained;
          } else {
            clock.pass(coalesce + interval);
          }
          check();
          expect(wrong).toEqual([]);
          expect([...due.keys()]).toEqual([]);
          expect(clock.waiting).toBe(0);
          // The last broadcast follows the last call, also one that names no path.
          expect(bench.sent.at(-1)?.version).toBe(calls === 0 ? undefined : calls);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

function payloadOf(broadcast: Broadcast | undefined): {
  readonly version: number;
  readonly paths?: Readonly<Record<string, unknown>>;
} {
  return broadcast?.params?._meta['io.modelcontextprotocol.skills/paths-changed'] as never;
}

function decodePath(broadcast: Broadcast | undefined, path: string): unknown {
  return payloadOf(broadcast).paths?.[path];
}
