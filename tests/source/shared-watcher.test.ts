/** Watches by what stands behind those of Node: this fails when that moves, and the public way is still there then. */
import fs, { type FSWatcher } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sharedWatcher } from '../../src/source/shared-watcher.ts';
import type { HostWatch } from '../../src/source/watch-host.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0).reverse()) end();
});

function folder(): string {
  const made = fs.mkdtempSync(path.join(tmpdir(), 'skillwire-shared-'));
  ends.push(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

interface Place {
  readonly place: string;
}

function collecting() {
  const heard: [string, string, string | null][] = [];
  const broke: string[] = [];
  const watch = sharedWatcher<Place>({
    heard: ({ place }, type, name) => heard.push([place, type, name]),
    broke: ({ place }) => broke.push(place),
  });
  return { heard, broke, watch };
}

async function until(done: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(done()).toBe(true), { timeout: 10_000, interval: 5 });
}

describe.runIf(process.platform === 'linux')('watches of single folders', () => {
  it('keeps the handle alone', () => {
    const watch = collecting().watch(folder(), false, { place: 'a' });
    ends.push(() => watch.close());
    expect(watch.constructor.name).toBe('FSEvent');
    const held = Reflect.ownKeys(watch).map((key): unknown => Reflect.get(watch, key));
    expect(held.filter((value) => value instanceof Object && 'emit' in value)).toEqual([]);
  });

  const ways: readonly (readonly [string, () => void])[] = [
    ['its handle', () => undefined],
    [
      'its listeners, where the handle is another',
      () => {
        const real = fs.watch;
        vi.spyOn(fs, 'watch').mockImplementation(((at: string, options: object) => {
          const watcher = (real as (at: string, options: object) => FSWatcher)(at, options);
          return new Proxy(watcher, {
            get(target, key) {
              if (key === '_handle') return undefined;
              const value: unknown = Reflect.get(target, key);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
        }) as typeof fs.watch);
      },
    ],
  ];

  it.each(ways)('tells what happens where, until it is closed, by %s', async (_way, prepare) => {
    prepare();
    const [a, b] = [folder(), folder()];
    const { heard, broke, watch } = collecting();
    const first: HostWatch = watch(a, false, { place: 'a' });
    const second = watch(b, false, { place: 'b' });
    ends.push(() => second.close());
    fs.writeFileSync(path.join(a, 'one'), '1');
    await until(() => heard.some(([place, type]) => place === 'a' && type === 'change'));
    expect(heard[0]).toEqual(['a', 'rename', 'one']);
    first.close();
    heard.length = 0;
    fs.writeFileSync(path.join(a, 'two'), '2');
    fs.writeFileSync(path.join(b, 'three'), '3');
    await until(() => heard.length > 1);
    expect(heard.filter(([place]) => place !== 'b')).toEqual([]);
    expect(broke).toEqual([]);
  });

  it('tells of an error of the system', () => {
    const { heard, broke, watch } = collecting();
    const one = watch(folder(), false, { place: 'a' });
    ends.push(() => one.close());
    const onchange = Reflect.get(one, 'onchange') as (status: number, type: string, name: null) => void;
    onchange.call(one, -1, 'rename', null);
    expect([heard, broke]).toEqual([[], ['a']]);
  });

  it('throws what the system throws', () => {
    expect(() => collecting().watch(path.join(folder(), 'gone'), false, { place: 'a' })).toThrow('ENOENT');
  });
});
