/**
 * Which paths of a source lead to a real folder, and what links have to do with it.
 *
 * @module
 */
import path from 'node:path';
import { joined } from './mount-layout.ts';
import type { WatchHost } from './watch-host.ts';

/** More paths than this lead to one folder only through hostile links; then everything is looked at. */
const MOST_PATHS = 256;

/** A name in a folder that is watched. */
export interface WatchedName {
  /** Real path of the folder. */
  readonly folder: string;
  readonly name: string;
}

/** A link that is watched. */
export interface WatchedLink extends WatchedName {
  /** Real path of the folder it leads to. */
  readonly target: string | undefined;
  /** What its meaning depends on, see `linkPlaces`. */
  readonly places: readonly string[];
}

/** The roots of a source and the links in it. */
export class WatchLinks {
  readonly #host: WatchHost;
  /** Where each root stands below the source. */
  readonly #roots: Map<string, string[]> = new Map();
  readonly #to: Map<string, Set<WatchedLink>> = new Map();
  readonly #over: Map<string, Set<WatchedLink>> = new Map();
  /** What stood at each root and each end of a link when it was last looked at; empty: no folder. */
  readonly #identities: Map<string, string> = new Map();

  constructor(host: WatchHost) {
    this.#host = host;
  }

  get roots(): readonly string[] {
    return [...this.#roots.keys()];
  }

  /** Real paths of the folders that a tree begins at: roots, and folders that links lead to. */
  get anchors(): Iterable<string> {
    return this.#identities.keys();
  }

  isRoot(real: string): boolean {
    return this.#roots.has(real);
  }

  /** Returns whether the root is new. */
  addRoot(real: string, sourcePath: string): boolean {
    const paths = this.#roots.get(real);
    if (paths?.includes(sourcePath) === true) return false;
    this.#roots.set(real, [...(paths ?? []), sourcePath]);
    this.#identities.set(real, this.#identityOf(real));
    return paths === undefined;
  }

  add(link: WatchedLink): void {
    for (const place of link.places) addTo(this.#over, place, link);
    if (link.target === undefined) return;
    addTo(this.#to, link.target, link);
    if (!this.#identities.has(link.target)) this.renew(link.target);
  }

  remove(link: WatchedLink): void {
    for (const place of link.places) removeFrom(this.#over, place, link);
    if (link.target === undefined) return;
    removeFrom(this.#to, link.target, link);
    if (!this.#to.has(link.target) && !this.#roots.has(link.target)) this.#identities.delete(link.target);
  }

  /** Whether a folder stands at an anchor; it is what {@link WatchLinks.moved} compares with from now on. */
  renew(anchor: string): boolean {
    const identity = this.#identityOf(anchor);
    this.#identities.set(anchor, identity);
    return identity !== '';
  }

  /**
   * What was replaced, went away or came back where no watch tells of it: roots, and the links to folders that lie
   * elsewhere. Each is told once.
   */
  moved(): { readonly roots: readonly string[]; readonly links: readonly WatchedName[] } {
    const roots: string[] = [];
    const links: WatchedName[] = [];
    for (const [real, before] of this.#identities) {
      const now = this.#identityOf(real);
      if (now === before) continue;
      this.#identities.set(real, now);
      if (this.#roots.has(real)) roots.push(real);
      links.push(...(this.#to.get(real) ?? []));
    }
    return { roots, links };
  }

  /** The links whose meaning depends on what stands at a full path. */
  over(full: string): readonly WatchedName[] {
    return [...(this.#over.get(full) ?? [])];
  }

  /** The links whose meaning depends on anything in a folder. */
  into(real: string): readonly WatchedName[] {
    const found: WatchedName[] = [];
    for (const [place, links] of this.#over) if (path.dirname(place) === real) found.push(...links);
    return found;
  }

  /** A path below the source that leads to the folder at `real`: its real one where it has one. */
  pathTo(real: string): string | undefined {
    let rest = '';
    for (let at = real; ; at = path.dirname(at)) {
      const [root] = this.#roots.get(at) ?? [];
      if (root !== undefined) return joined(root, rest);
      if (path.dirname(at) === at) break;
      rest = joined(path.basename(at), rest);
    }
    const found = new Set<string>();
    this.#collect(real, '', new Set(), found);
    const [first] = found;
    return first;
  }

  /** Every path below the source that leads to the folder at `real`; undefined when there are too many to tell. */
  pathsOf(real: string): readonly string[] | undefined {
    const found = new Set<string>();
    this.#collect(real, '', new Set(), found);
    return found.size > MOST_PATHS ? undefined : [...found];
  }

  #collect(real: string, below: string, passed: Set<WatchedLink>, found: Set<string>): void {
    let rest = below;
    for (let at = real; ; at = path.dirname(at)) {
      for (const root of this.#roots.get(at) ?? []) found.add(joined(root, rest));
      for (const link of this.#to.get(at) ?? []) {
        if (passed.has(link) || found.size > MOST_PATHS) continue;
        passed.add(link);
        this.#collect(link.folder, joined(link.name, rest), passed, found);
        passed.delete(link);
      }
      if (path.dirname(at) === at) return;
      rest = joined(path.basename(at), rest);
    }
  }

  #identityOf(real: string): string {
    const stats = this.#host.lstat(real);
    return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}` : '';
  }
}

function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function removeFrom<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
