/**
 * A provider made from a source.
 *
 * @module
 */
import { type Catalog, openCatalog } from '../catalog/index.ts';
import { silentLogger } from '../logger.ts';
import { memorySource } from '../source/memory.ts';
import { watchSource } from '../source/watch.ts';
import type { SourceWatcher } from '../source/watcher.ts';
import { LiveProvider } from './live-provider.ts';
import type { ProviderOptions, SkillProvider } from './provider.ts';
import { requireOptions } from './provider-settings.ts';

/**
 * A provider for the skills in a source, loaded and checked (seed 000's `NewProvider`).
 *
 * With `watch` the scan begins once the watches stand, and what changes during the scan is scanned again, so that nothing
 * is missed and the catalog begins at version 0 (design decision 14).
 *
 * Without a source it serves `prompts` or `docs` alone, and no dialect of skills.
 *
 * Errors: `PROVIDER_MISSING_FS` (none of the three), `USAGE` (an option that cannot be followed), `ARCHIVE_UNSUPPORTED_FOR_PACK`
 * and `ARCHIVE_UNKNOWN_FORMAT` (`archive`), `FS_WATCHER_MISSING_HOST_ROOT` (`watch`, and no folder of this machine holds
 * any of the source), `FS_WATCHER_SETUP_FAILED`, and those of `openCatalog`, such as `MANIFEST_NOT_IN_ROOT` (the source is
 * itself a skill, and has no folder to be named after), which come before those of the watcher. When this fails the
 * source is still the caller's to close; otherwise `close()` closes it.
 *
 * @example
 * const provider = await createProvider({ source: directorySource('./skills'), watch: true })
 * await serveStdio(provider).closed
 * await provider.close()
 */
export async function createProvider(options: ProviderOptions): Promise<SkillProvider> {
  const dialects = requireOptions(options);
  const source = options.source ?? memorySource({});
  const early: string[] = [];
  let provider: LiveProvider | undefined;
  const watching = await startWatching(options, async (paths) => {
    if (provider === undefined) early.push(...paths);
    else await provider.watched(paths);
  });
  const watcher = 'watcher' in watching ? watching.watcher : undefined;
  try {
    const catalog = await openCatalog(source, options);
    if ('error' in watching) throw watching.error;
    while (early.length > 0) await catchUp(catalog, early.splice(0));
    provider = new LiveProvider({ catalog, dialects, watcher }, options);
    return provider;
  } catch (error) {
    await watcher?.close();
    throw error;
  }
}

/** What goes wrong is told later: a source that holds no good skills is the graver fault. */
async function startWatching(
  { source, watch = false, logger = silentLogger }: ProviderOptions,
  onChange: (paths: readonly string[]) => void | Promise<void>,
): Promise<{ readonly watcher: SourceWatcher | undefined } | { readonly error: unknown }> {
  if (watch === false || source === undefined) return { watcher: undefined };
  try {
    return { watcher: await watchSource(source, { logger, ...(watch === true ? {} : watch), onChange }) };
  } catch (error) {
    return { error };
  }
}

async function catchUp(catalog: Catalog, paths: readonly string[]): Promise<void> {
  await (paths.includes('') ? catalog.refresh() : catalog.refreshPaths(paths));
}
