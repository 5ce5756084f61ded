/**
 * Where a link leads, step by step.
 *
 * @module
 */
import path from 'node:path';
import type { WatchHost } from './watch-host.ts';

/** What systems follow before they call it a loop. */
const MOST = 40;

/**
 * Returns the full paths on which the meaning of the link at `full` depends, itself apart: every further link on the way
 * and, last, where the way ends. Replacing what stands at any of them changes where the link leads. A way that breaks
 * off ends at the first name that does not exist.
 *
 * `isPlain` tells paths that are known to be folders and no links, so that they are not looked at.
 *
 * @example
 * linkPlaces(watchHost, '/srv/skills/pdf', () => false) // ['/srv/current', '/srv/v2/pdf']
 */
export function linkPlaces(
  host: Pick<WatchHost, 'lstat' | 'readlink'>,
  full: string,
  isPlain: (path: string) => boolean,
): string[] {
  const places: string[] = [];
  let at = path.dirname(full);
  const names = [path.basename(full)];
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (name === '..') {
      at = path.dirname(at);
      continue;
    }
    const next = path.join(at, name);
    if (isPlain(next)) {
      at = next;
      continue;
    }
    const stats = host.lstat(next);
    if (stats?.isSymbolicLink() === true) {
      if (next !== full) places.push(next);
      links += 1;
      if (links > MOST) return places;
      const text = host.readlink(next);
      const { root } = path.parse(text);
      if (root !== '') at = root;
      names.push(...segmentsOf(text.slice(root.length)).reverse());
      continue;
    }
    at = next;
    if (stats === undefined) break;
  }
  if (places.at(-1) !== at) places.push(at);
  return places;
}

function segmentsOf(text: string): string[] {
  return text.split(path.sep === '\\' ? /[\\/]/ : '/').filter((name) => name !== '' && name !== '.');
}
