/**
 * Where the entries of an archive stand in its source.
 *
 * @module
 */
import { type ArchiveEntry, stripWrapper } from '../archive/index.ts';
import { isIgnoredName } from './ignore.ts';
import { isSecretName } from './secret.ts';

/** An entry of an archive at its place in a source. */
export interface PlacedEntry {
  /** Below the source. */
  readonly path: string;
  /** Below the archive. */
  readonly stored: string;
  readonly kind: ArchiveEntry['kind'];
  readonly size: number;
}

/** All entries at their places. */
export interface ArchiveLayout {
  readonly entries: readonly PlacedEntry[];
  /** The folder that held everything and was taken off; undefined when there was none. */
  readonly wrapper: string | undefined;
}

/** Returns every entry where it stands in the archive. */
export function asStored(entries: readonly ArchiveEntry[]): ArchiveLayout {
  return { entries: entries.map(placed), wrapper: undefined };
}

/**
 * Returns the entries without the one folder that holds them all, as a Finder, PowerShell and GitHub make it. What is
 * ignored everywhere (`Thumbs.db` beside the folder) does not count, and a folder whose name keeps its content from being served
 * stays.
 */
export function unwrapped(entries: readonly ArchiveEntry[]): ArchiveLayout {
  const found = stripWrapper(entries.filter(({ path }) => !isIgnoredName(topOf(path))).map(placed));
  if (found.wrapper === undefined || isSecretName(found.wrapper)) return asStored(entries);
  return { entries: found.entries, wrapper: found.wrapper };
}

/** Returns what stands below the folder `base` of the archive. */
export function below(entries: readonly ArchiveEntry[], base: string): ArchiveLayout {
  const prefix = `${base}/`;
  return {
    entries: entries
      .filter(({ path }) => path.startsWith(prefix))
      .map((entry) => ({ ...placed(entry), path: entry.path.slice(prefix.length) })),
    wrapper: base,
  };
}

/** Returns a layout with everything in the folder `name`. */
export function within(layout: ArchiveLayout, name: string): ArchiveLayout {
  return {
    ...layout,
    entries: layout.entries.map((entry) => ({ ...entry, path: `${name}/${entry.path}` })),
  };
}

/** The first segment of a path. */
export function topOf(path: string): string {
  const slash = path.indexOf('/');
  return slash < 0 ? path : path.slice(0, slash);
}

function placed({ path, kind, size }: ArchiveEntry): PlacedEntry {
  return { path, stored: path, kind, size };
}
