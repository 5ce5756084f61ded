/**
 * Opening a catalog.
 *
 * @module
 */
import type { Source } from '../source/source.ts';
import { buildSnapshot } from './build-snapshot.ts';
import type { Catalog, CatalogOptions } from './catalog.ts';
import { LiveCatalog } from './live-catalog.ts';
import { publish } from './publish.ts';
import { requireServable } from './refusal.ts';
import { scan } from './scan.ts';
import { settingsOf } from './settings.ts';
import { startTreeKeeper } from './tree-keeper.ts';

/**
 * The skills found in `source`, with a snapshot in force that later refreshes and reads keep true (decisions 3, 6, 13).
 *
 * `invalidSkills: 'throw'` is about opening: an edit that makes a skill invalid later withdraws that skill alone. The
 * source stays the caller's until the catalog is open; `close()` of the catalog then closes it.
 *
 * Errors: `MANIFEST_NOT_IN_ROOT`, `SCAN_TOO_MANY_FOLDERS`, `SCAN_TOO_DEEP`, `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`,
 * `SOURCE_UNREADABLE`; those of a bad option (`USAGE`, `PATH_TRAVERSAL`, `INVALID_SEGMENT`); with
 * `invalidSkills: 'throw'` the code of the first refused skill (`SKILL_NAME_MISMATCH`, `NESTED_SKILL`, `INVALID_YAML` …).
 *
 * @example
 * const catalog = await openCatalog(directorySource('./skills'));
 * console.log(catalog.snapshot.skills.map((skill) => skill.uri));
 */
export async function openCatalog(source: Source, options: CatalogOptions = {}): Promise<Catalog> {
  const settings = settingsOf(options);
  const keeper = startTreeKeeper(source, settings);
  const recalled = await keeper?.recalled();
  const tree = await scan({ source, settings, previous: recalled?.tree, touched: recalled?.touched });
  const publication = publish(tree, settings);
  requireServable(publication.refused, settings.invalidSkills);
  const snapshot = buildSnapshot(publication);
  return new LiveCatalog({ source, settings, tree, snapshot, keeper });
}
