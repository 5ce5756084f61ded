/**
 * What a tree of watched folders asks of whoever watches them.
 *
 * @module
 */

import type { WatchedFolder } from './watched-folder.ts';

/** Who really watches the folders of a `WatchTree`. */
export interface FolderVisitor {
  /**
   * Called before the folder, whose path is `real`, is listed; `deep` unless it matters only as a step on the way of a link. A second call for
   * a folder makes it deep. Throws what the system throws.
   */
  opened(folder: WatchedFolder, real: string, deep: boolean): void;
  /** Called as often as it pleases. */
  closed(folder: WatchedFolder): void;
}
