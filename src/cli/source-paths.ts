/**
 * Where the files of a source stand on this machine.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { printableSource, type Source } from '../source/index.ts';
import { isAddress } from './source-argument.ts';

/** Paths of a source as the user knows them and as the system does. */
export interface SourcePaths {
  /** A path below the source, as the user would open it from here. */
  shown(path: string): string;
  /** The file or folder on this machine; undefined when there is none. */
  onDisk(path: string): string | undefined;
  /** Whether a path is the folder that the user named. */
  isRoot(path: string): boolean;
}

/**
 * The paths of `source`, which was opened from `written`. A folder that is itself a skill stands in its source below
 * its own name; what is shown begins with what the user wrote either way, the query of a URL aside.
 */
export function createSourcePaths(written: string, source: Source): SourcePaths {
  const roots =
    source.hostRoots ?? (source.hostRoot === undefined ? [] : [{ path: '', folder: source.hostRoot }]);
  const [root] = roots;
  const start = printableSource(written);
  const at = (rest: readonly string[]): string =>
    isAddress(written) ? [start.replace(/\/+$/, ''), ...rest].join('/') : join(start, ...rest);
  const below = (path: string): string[] | undefined => {
    const base = root?.path ?? '';
    if (base === '') return path === '' ? [] : path.split('/');
    if (path === base) return [];
    return path.startsWith(`${base}/`) ? path.slice(base.length + 1).split('/') : undefined;
  };
  return {
    shown: (path) => {
      const rest = below(path);
      if (rest === undefined) return path === '' ? start : path;
      return rest.length === 0 ? start : at(rest);
    },
    onDisk: (path) => {
      const rest = below(path);
      if (root === undefined || rest === undefined) return undefined;
      // Of folders laid over each other the first that has the file is the one it is served from.
      const places = roots
        .filter((each) => each.path === root.path)
        .map((each) => join(each.folder, ...rest));
      return places.find((place) => existsSync(place)) ?? places[0];
    },
    isRoot: (path) => below(path)?.length === 0,
  };
}
