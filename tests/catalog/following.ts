/** Catalogs that follow real files in tests. */
import { afterEach } from 'vitest';
import { type Catalog, openCatalog } from '../../src/catalog/index.ts';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { type Source, type WatchOptions, watchSource } from '../../src/source/index.ts';

const open: (() => Promise<void>)[] = [];
let awake: NodeJS.Timeout | undefined;

afterEach(async () => {
  for (const close of open.splice(0)) await close();
  clearInterval(awake);
  awake = undefined;
});

/** A catalog that follows its source. */
export interface Following {
  readonly catalog: Catalog;
  /** Batches told by the watcher. */
  readonly batches: readonly (readonly string[])[];
  /** Resolves once `isThere` holds, which is asked after each batch was taken. */
  until(isThere: () => boolean): Promise<void>;
}

export async function follow(source: Source, options: WatchOptions = {}): Promise<Following> {
  awake ??= setInterval(() => undefined, 1_000);
  const batches: (readonly string[])[] = [];
  const waiting = new Set<() => void>();
  let ready: (catalog: Catalog) => void = () => undefined;
  const opened = new Promise<Catalog>((resolve) => {
    ready = resolve;
  });
  const watcher = await watchSource(source, {
    ...options,
    onChange: async (paths) => {
      batches.push(paths);
      const catalog = await opened;
      await catalog.refreshPaths(paths);
      for (const look of [...waiting]) look();
    },
  });
  const catalog = await openCatalog(source);
  ready(catalog);
  open.push(async () => {
    await watcher.close();
    await catalog.close();
  });
  return { catalog, batches, until: (isThere) => waitFor(isThere, waiting) };
}

/** A provider that watches, and what it broadcasts. */
export interface Broadcasting {
  readonly provider: SkillProvider;
  readonly broadcasts: readonly unknown[];
  until(isThere: () => boolean): Promise<void>;
}

export async function broadcasting(
  source: Source,
  options: Partial<ProviderOptions> = {},
): Promise<Broadcasting> {
  awake ??= setInterval(() => undefined, 1_000);
  const broadcasts: unknown[] = [];
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of [...waiting]) each();
  };
  const provider = await createProvider({ source, watch: true, ...options });
  provider.onBroadcast((broadcast) => {
    broadcasts.push(broadcast);
    look();
  });
  provider.onChange(look);
  open.push(() => provider.close());
  return { provider, broadcasts, until: (isThere) => waitFor(isThere, waiting) };
}

function waitFor(isThere: () => boolean, waiting: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isThere()) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
}
