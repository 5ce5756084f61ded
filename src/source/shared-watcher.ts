/**
 * Watches of the system that share what listens to them.
 *
 * @module
 */
import fs, { type FSWatcher } from 'node:fs';
import type { HostEvent, HostEvents, HostWatch, HostWatcher } from './watch-host.ts';

const OF = Symbol('of');

/**
 * What stands behind a watcher of Node: no public part, and the same since its first versions. It calls its own `onchange`
 * with a status, below zero for an error, before what a listener is told.
 */
interface Handle<T> extends HostWatch {
  onchange: (this: Handle<T>, status: number, type: HostEvent, name: string | null) => void;
  [OF]: T;
}

/**
 * {@link WatchHost.watcher} by `node:fs`. Of a watcher of a single folder the handle alone is kept where it is as expected: the
 * emitter around it with its listeners takes two thirds of the memory, 18 MB for fifty thousand folders.
 */
export function sharedWatcher<T extends object>(events: HostEvents<T>): HostWatcher<T> {
  function onChange(this: Handle<T>, status: number, type: HostEvent, name: string | null): void {
    if (status < 0) events.broke(this[OF]);
    else events.heard(this[OF], type, name);
  }
  return (folder, recursive, of) => {
    const watcher = fs.watch(folder, { persistent: false, recursive });
    const handle: unknown = recursive ? undefined : Reflect.get(watcher, '_handle');
    if (!isHandle(handle)) return listened(watcher, of, events);
    const bare: Handle<T> = Object.assign(handle, { onchange: onChange, [OF]: of });
    for (const key of Object.getOwnPropertySymbols(bare)) {
      if (Reflect.get(bare, key) === watcher) Reflect.set(bare, key, undefined);
    }
    return bare;
  };
}

function isHandle(value: unknown): value is HostWatch {
  return (
    typeof value === 'object' &&
    value !== null &&
    'onchange' in value &&
    typeof value.onchange === 'function' &&
    value.onchange.length === 3 &&
    'close' in value &&
    typeof value.close === 'function'
  );
}

/** As everybody listens to a watcher. */
function listened<T extends object>(watcher: FSWatcher, of: T, events: HostEvents<T>): HostWatch {
  watcher.on('change', (type: HostEvent, name: string | null) => events.heard(of, type, name));
  watcher.on('error', () => events.broke(of));
  return watcher;
}
