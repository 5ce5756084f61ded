/** Watchers of tests: what they tell is collected and awaited. */
import fs from 'node:fs';
import { afterEach } from 'vitest';
import type { SkillError } from '../../src/errors.ts';
import type { Source } from '../../src/source/index.ts';
import { startWatcher } from '../../src/source/watch.ts';
import { type HostEvent, type WatchHost, watchHost } from '../../src/source/watch-host.ts';
import type { SourceWatcher, WatchRequest } from '../../src/source/watcher.ts';

export const MODES = ['native', 'poll'] as const;
export type Mode = (typeof MODES)[number];

/** What a watcher told. */
export interface Told {
  readonly watcher: SourceWatcher;
  readonly batches: readonly (readonly string[])[];
  readonly errors: readonly SkillError[];
  /** Resolves once each of `paths` was told, by itself or by a folder above it. */
  told(...paths: readonly string[]): Promise<void>;
  /** Everything told so far, ordered; forgets it. */
  take(): string[];
  /** Resolves at the next batch. */
  next(): Promise<readonly string[]>;
}

const open: SourceWatcher[] = [];
// What waits for an event keeps no process alive by itself, and neither does a watcher.
let awake: NodeJS.Timeout | undefined;

afterEach(async () => {
  await Promise.all(open.splice(0).map((watcher) => watcher.close()));
  clearInterval(awake);
  awake = undefined;
});

export async function watching(
  source: Source,
  request: Partial<WatchRequest> & { readonly mode?: Mode } = {},
  host: WatchHost = watchHost,
): Promise<Told> {
  awake ??= setInterval(() => undefined, 1_000);
  const batches: (readonly string[])[] = [];
  const errors: SkillError[] = [];
  let seen: string[] = [];
  const waiting = new Set<() => void>();
  const { mode, ...options } = request;
  const watcher = await startWatcher(
    source,
    {
      ...(mode === 'poll' ? { poll: true, pollMs: 30 } : {}),
      onError: (error) => errors.push(error),
      ...options,
      onChange: (paths) => {
        batches.push(paths);
        seen.push(...paths);
        for (const look of [...waiting]) look();
        return options.onChange?.(paths);
      },
    },
    host,
  );
  open.push(watcher);
  const wait = (done: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!done()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    watcher,
    batches,
    errors,
    told: (...paths) => wait(() => paths.every((path) => seen.some((each) => covers(each, path)))),
    take: () => {
      const taken = [...new Set(seen)].sort();
      seen = [];
      return taken;
    },
    next: async () => {
      const before = batches.length;
      await wait(() => batches.length > before);
      return batches[before] ?? [];
    },
  };
}

function covers(told: string, path: string): boolean {
  return told === '' || told === path || path.startsWith(`${told}/`);
}

/** A host whose watches are counted, can be made to fail, and can be told what the system would say. */
export interface FakeHost extends WatchHost {
  /** Folders with a watch that stands, in the order they were set. */
  readonly standing: Map<string, { recursive: boolean }[]>;
  /** Every call, as `watch FOLDER`. */
  readonly calls: string[];
  say(folder: string, type: HostEvent, name: string | null): void;
  break(folder: string): void;
}

export function fakeHost(
  options: {
    readonly recursive?: boolean;
    readonly queuedEvents?: number;
    /** The code of the error that a watch on this folder throws. */
    readonly fails?: (folder: string, standing: number) => string | undefined;
    /** Real events reach the watcher too. @default false */
    readonly real?: boolean;
  } = {},
): FakeHost {
  const standing: FakeHost['standing'] = new Map();
  const listeners = new Map<string, Set<(type: HostEvent, name: string | null) => void>>();
  const breakers = new Map<string, Set<() => void>>();
  const calls: string[] = [];
  let count = 0;
  return {
    ...watchHost,
    recursive: options.recursive ?? false,
    queuedEvents: options.queuedEvents ?? watchHost.queuedEvents,
    standing,
    calls,
    watcher: (events) => (folder, recursive, of) => {
      const onEvent = (type: HostEvent, name: string | null): void => events.heard(of, type, name);
      const onError = (): void => events.broke(of);
      calls.push(`watch ${folder}`);
      const code = options.fails?.(folder, count);
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      if (!fs.existsSync(folder)) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      const real = options.real === true ? watchHost.watcher(events)(folder, false, of) : undefined;
      const one = { recursive };
      standing.set(folder, [...(standing.get(folder) ?? []), one]);
      listeners.set(folder, (listeners.get(folder) ?? new Set()).add(onEvent));
      breakers.set(folder, (breakers.get(folder) ?? new Set()).add(onError));
      count += 1;
      let closed = false;
      return {
        close: () => {
          real?.close();
          if (closed) return;
          closed = true;
          count -= 1;
          const rest = (standing.get(folder) ?? []).filter((each) => each !== one);
          if (rest.length === 0) standing.delete(folder);
          else standing.set(folder, rest);
          listeners.get(folder)?.delete(onEvent);
          breakers.get(folder)?.delete(onError);
        },
      };
    },
    say: (folder, type, name) => {
      for (const each of listeners.get(folder) ?? []) each(type, name);
    },
    break: (folder) => {
      for (const each of breakers.get(folder) ?? []) each();
    },
  };
}
