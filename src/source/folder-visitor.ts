/**
 * What a tree of watched folders asks of whoever watches them.
 *
 * @module
 */

/** Who really watches the folders of a `WatchTree`. */
export interface FolderVisitor {
  /**
   * Called before the folder is listed; `deep` unless it matters only as a step on the way of a link. A second call for
   * a folder makes it deep. Throws what the system throws.
   */
  opened(real: string, deep: boolean): void;
  closed(real: string): void;
}
