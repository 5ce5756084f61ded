import { createProvider, directorySource, type SkillProvider, type Source } from 'skillwire';
import { type Catalog, openCatalog } from 'skillwire/catalog';
import { watchSource } from 'skillwire/source';

/** A provider that follows a folder, on its own terms. */
export async function provide(): Promise<SkillProvider> {
  // #region provide
  const provider = await createProvider({
    source: directorySource('./skills'),
    watch: {
      ignore: ['drafts', 'out/*.tmp'],
      onError: (error) => console.error(error.code, error.message),
    },
  });

  provider.onChange(({ added, changed, removed, files }) => {
    console.log({ added, changed, removed, files: files.length });
  });
  // #endregion provide
  return provider;
}

/** A catalog without a server that follows a folder. */
export async function follow(source: Source): Promise<Catalog> {
  // #region follow
  let catalog: Catalog | undefined;
  const early: string[] = [];
  const watcher = await watchSource(source, {
    onChange: async (paths) => {
      if (catalog === undefined) early.push(...paths);
      else await catalog.refreshPaths(paths);
    },
  });
  catalog = await openCatalog(source); // after the watches stand, so that nothing is missed
  await catalog.refreshPaths(early);

  console.log(watcher.mode); // 'native', or 'poll'
  await watcher.drain(); // tells what was seen, then ends
  // #endregion follow
  return catalog;
}
