/**
 * Several sources as one.
 *
 * @module
 */
import { silentLogger } from '../logger.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { containsIdentity } from './identity.ts';
import { eachInOrder, onlyNow, whenThere } from './maybe-promise.ts';
import { type AheadRoute, MountAhead } from './mount-ahead.ts';
import {
  allIgnore,
  joined,
  type Layout,
  layOut,
  moved,
  type Placed,
  type Route,
  type Wanted,
} from './mount-layout.ts';
import type { Mount, MountedSource, MountOptions } from './mount-options.ts';
import { remotesOf, revalidateAll } from './remotes.ts';
import { assertSafePath, isSafePath } from './safe-path.ts';
import type {
  AheadOptions,
  FactsAhead,
  HostRoot,
  MaybePromise,
  ReadOptions,
  RemoteRoot,
  Revalidate,
  Source,
  SourceFacts,
  SourceFile,
  SourceFolder,
  SourceNode,
} from './source.ts';
import { notFound } from './source-error.ts';
import { readSourceFacts } from './source-facts.ts';

let count = 0;

/**
 * Returns one source with each of `mounts` below its prefix; several may share one, and their names then stand side by
 * side. A folder that two of them are is taken once, at its first place. Where all stands is settled at the first `list`
 * or `read` and kept; a name that clashes later is that of the earlier source.
 *
 * Closing it closes the sources. Errors: those of `assertSafePath` for a prefix; from the first `list` or `read`
 * `MOUNT_COLLISION`.
 *
 * @example
 * mountSources([{ source: directorySource('./skills') }, { source: directorySource('../shared'), prefix: 'shared' }])
 */
export function mountSources(mounts: readonly Mount[], options: MountOptions = {}): MountedSource {
  return new MountSource(mounts, options);
}

/**
 * Returns a source whose root holds nothing but the root of `source`, as the folder `name`.
 *
 * Errors: those of `assertSafePath`.
 *
 * @example
 * nest(directorySource('./pdf'), 'pdf').read('pdf/SKILL.md')
 */
export function nest(source: Source, name: string): MountedSource {
  return mountSources([{ source, prefix: name }], { label: source.label });
}

class MountSource implements MountedSource {
  readonly label: string;
  readonly wanted: readonly Wanted[];
  readonly #options: MountOptions;
  readonly #id: string;
  readonly #notes: string[] = [];
  /** Which source has a name, by folder; as last listed. */
  readonly #owners: Map<string, ReadonlyMap<string, Placed>> = new Map();
  #layout: Layout | Promise<Layout> | undefined;
  #placed: readonly Placed[] | undefined;

  constructor(mounts: readonly Mount[], options: MountOptions) {
    count += 1;
    this.#id = `mount:${count}:/`;
    this.#options = options;
    this.wanted = mounts.flatMap(flattened);
    this.label = options.label ?? mounts.map(({ source }) => source.label).join(', ');
  }

  get notes(): readonly string[] {
    return this.#notes;
  }

  get hostRoots(): readonly HostRoot[] {
    return (this.#placed ?? this.wanted).flatMap(({ source, prefix }) =>
      (
        source.hostRoots ?? (source.hostRoot === undefined ? [] : [{ path: '', folder: source.hostRoot }])
      ).map(({ path, folder }) => ({ path: joined(prefix, path), folder })),
    );
  }

  get remotes(): readonly RemoteRoot[] {
    return (this.#placed ?? this.wanted).flatMap(({ source, prefix }) =>
      remotesOf(source).map((remote) => ({ ...remote, path: joined(prefix, remote.path) })),
    );
  }

  get revalidate(): Revalidate | undefined {
    return revalidateAll(this.remotes);
  }

  list(path: string): MaybePromise<SourceFolder> {
    if (!isSafePath(path)) throw notFound(path);
    return whenThere(this.#laidOut(), (layout) => {
      if (layout.folders.has(path)) return this.#listVirtual(layout, path);
      return whenThere(this.#route(layout, path), ({ placed, rest }) =>
        whenThere(placed.source.list(rest), (folder) => ({
          ...folder,
          nodes: folder.nodes.map((node) => moved(node, placed.prefix)),
        })),
      );
    });
  }

  read(path: string, options: ReadOptions = {}): MaybePromise<SourceFile> {
    return this.#at(path, ({ placed, rest }) => placed.source.read(rest, this.#inner(options)));
  }

  stat(
    path: string,
    options: ReadOptions = {},
  ): MaybePromise<Omit<SourceFile, 'bytes'> & { readonly size: number }> {
    return this.#at(path, ({ placed, rest }) => placed.source.stat(rest, this.#inner(options)));
  }

  looker(path: string): (() => string | undefined) | undefined {
    return onlyNow(() => this.#at(path, ({ placed, rest }) => placed.source.looker?.(rest)));
  }

  facts(path: string, options: ReadOptions = {}): MaybePromise<SourceFacts> {
    return this.#at(path, ({ placed, rest }) => readSourceFacts(placed.source, rest, this.#inner(options)));
  }

  ahead(options: AheadOptions = {}): FactsAhead | undefined {
    if (this.wanted.every(({ source }) => source.ahead === undefined)) return undefined;
    return new MountAhead(options, (path) => this.#routeNow(path));
  }

  ignores(path: string, directory: boolean = false): boolean {
    const layout = this.#layoutNow();
    return layout !== undefined && allIgnore(layout, path, directory);
  }

  contains(ancestor: string, id: string): boolean {
    if (!ancestor.startsWith(this.#id)) {
      return this.wanted.some(({ source }) => source.contains(ancestor, id));
    }
    if (id.startsWith(this.#id)) return containsIdentity(ancestor, id);
    const below = ancestor.slice(this.#id.length);
    return (this.#placed ?? []).some(
      (placed) =>
        (below === '' || placed.prefix === below || placed.prefix.startsWith(`${below}/`)) &&
        placed.source.contains(placed.id, id),
    );
  }

  async close(): Promise<void> {
    await Promise.all([...new Set(this.wanted.map(({ source }) => source))].map((source) => source.close()));
  }

  #laidOut(): MaybePromise<Layout> {
    if (this.#layout !== undefined) return this.#layout;
    const made = layOut(this.wanted, this.#options.onCollision ?? 'error');
    if (!(made instanceof Promise)) return this.#keep(made);
    this.#layout = made.then(
      (layout) => this.#keep(layout),
      (error: unknown) => {
        // A source that could not be listed once may be there the next time.
        this.#layout = undefined;
        throw error;
      },
    );
    return this.#layout;
  }

  #keep(layout: Layout): Layout {
    this.#layout = layout;
    this.#placed = layout.placed;
    for (const note of layout.notes) this.#note(note);
    return layout;
  }

  #note(note: string): void {
    if (this.#notes.includes(note)) return;
    this.#notes.push(note);
    (this.#options.logger ?? silentLogger).warn(note);
  }

  #at<T>(path: string, use: (route: Route) => MaybePromise<T>): MaybePromise<T> {
    if (!isSafePath(path)) throw notFound(path);
    return whenThere(this.#laidOut(), (layout) => {
      if (layout.folders.has(path)) throw notFound(path, 'is a folder and no file');
      return whenThere(this.#route(layout, path), use);
    });
  }

  /** The source that has a path: that of the longest prefix, and among several there the one with the next name. */
  #route(layout: Layout, path: string): MaybePromise<Route> {
    let prefix = path;
    do {
      const slash = prefix.lastIndexOf('/');
      prefix = slash < 0 ? '' : prefix.slice(0, slash);
    } while (!layout.folders.has(prefix));
    const candidates = layout.placed.filter((placed) => placed.prefix === prefix);
    const rest = prefix === '' ? path : path.slice(prefix.length + 1);
    const [only] = candidates;
    if (only === undefined) throw notFound(path);
    if (candidates.length === 1) return { placed: only, rest };
    const name = rest.split('/', 1)[0] ?? rest;
    const known = this.#owners.get(prefix)?.get(name);
    if (known !== undefined) return { placed: known, rest };
    return whenThere(this.#listVirtual(layout, prefix), () => {
      const placed = this.#owners.get(prefix)?.get(name);
      if (placed === undefined) throw notFound(path);
      return { placed, rest };
    });
  }

  #layoutNow(): Layout | undefined {
    return this.#layout instanceof Promise ? undefined : this.#layout;
  }

  #routeNow(path: string): AheadRoute | undefined {
    const layout = this.#layoutNow();
    if (layout === undefined || layout.folders.has(path)) return undefined;
    const route = onlyNow(() => this.#route(layout, path));
    return route && { source: route.placed.source, path: route.rest };
  }

  #listVirtual(layout: Layout, path: string): MaybePromise<SourceFolder> {
    const here = layout.placed.filter((placed) => placed.prefix === path);
    const virtual = layout.folders.get(path) ?? new Set<string>();
    return whenThere(
      eachInOrder(here, (placed) => placed.source.list('')),
      (folders) => {
        const nodes = new Map<string, SourceNode>();
        const owners = new Map<string, Placed>();
        for (const name of virtual) nodes.set(name, { name, kind: 'directory' });
        for (const [index, placed] of here.entries()) {
          for (const node of folders[index]?.nodes ?? []) {
            if (virtual.has(node.name)) {
              this.#note(
                `${placed.source.label} has ${joined(path, node.name)}, which is a prefix; it is not served`,
              );
              continue;
            }
            const taken = nodes.get(node.name);
            if (taken !== undefined && (!taken.withheld || node.withheld)) {
              if (taken.kind !== 'file' || node.kind !== 'file') {
                this.#report(path, node.name, owners.get(node.name), placed);
              }
              continue;
            }
            nodes.set(node.name, moved(node, path));
            owners.set(node.name, placed);
          }
        }
        this.#owners.set(path, owners);
        const own = here.length === 1 && virtual.size === 0 ? folders[0] : undefined;
        return {
          id: own?.id ?? `${this.#id}${path}`,
          ...(folders.some(({ hidesLinks }) => hidesLinks) && { hidesLinks: true }),
          nodes: [...nodes.values()].sort((a, b) => compareCodePoints(a.name, b.name)),
        };
      },
    );
  }

  #report(path: string, name: string, first: Placed | undefined, later: Placed): void {
    const earlier = first?.source.label ?? 'an earlier source';
    this.#note(
      `${earlier} and ${later.source.label} both have ${joined(path, name)}; the first one is served`,
    );
  }

  /** A folder that exists here alone holds whole sources, so it sets no bounds inside one of them. */
  #inner(options: ReadOptions): ReadOptions {
    if (options.within === undefined || !options.within.startsWith(this.#id)) return options;
    const { within: _, ...rest } = options;
    return rest;
  }
}

/** A mount of one source alone is that source under a longer prefix; this lets prefixes meet. */
function flattened({ source, prefix = '' }: Mount): Wanted[] {
  if (prefix !== '') assertSafePath(prefix);
  if (source instanceof MountSource && source.wanted.length === 1) {
    return source.wanted.map((inner) => ({ source: inner.source, prefix: joined(prefix, inner.prefix) }));
  }
  return [{ source, prefix }];
}
