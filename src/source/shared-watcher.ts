/**
 * Watches of the system that share what listens to them.
 *
 * @module
 */
import fs, { type FSWatcher } from 'node:fs';
import type { HostEvent, HostEvents, HostWatcher } from './watch-host.ts';

const OF = Symbol('of');

/** What a watch belongs to stands in it: a function of its own for each of fifty thousand would take as much as the rest. */
type OwnedWatcher<T> = FSWatcher & { [OF]: T };

/** {@link WatchHost.watcher} by `node:fs`. */
export function sharedWatcher<T extends object>(events: HostEvents<T>): HostWatcher<T> {
  function onChange(this: OwnedWatcher<T>, type: HostEvent, name: string | null): void {
    events.heard(this[OF], type, name);
  }
  function onError(this: OwnedWatcher<T>): void {
    events.broke(this[OF]);
  }
  return (folder, recursive, of) => {
    const watcher = Object.assign(fs.watch(folder, { persistent: false, recursive }), { [OF]: of });
    watcher.on('change', onChange as () => void);
    watcher.on('error', onError as () => void);
    return watcher;
  };
}
