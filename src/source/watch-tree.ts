/**
 * The folders that are watched, with the paths of the source that lead to each.
 *
 * @module
 */
import path from 'node:path';
import type { SkillError } from '../errors.ts';
import { startPace } from '../pace.ts';
import { linkPlaces } from './link-places.ts';
import { childOf, hostFolderOf } from './link-roots.ts';
import { joined } from './mount-layout.ts';
import type { HostRoot, MaybePromise, Source, SourceFolder, SourceNode } from './source.ts';
import { fromSystem } from './source-error.ts';
import type { WatchHost } from './watch-host.ts';

/** More paths than this lead to one folder only through hostile links; then everything is looked at. */
const MOST_PATHS = 256;

/** Who really watches the folders of a {@link WatchTree}. */
export interface FolderVisitor {
  /**
   * Called before the folder is listed; `deep` unless it matters only as a step on the way of a link. A second call for
   * a folder makes it deep. Throws what the system throws.
   */
  opened(real: string, deep: boolean): void;
  closed(real: string): void;
}

/** What a {@link WatchTree} is made of. */
export interface WatchTreeOptions {
  readonly source: Source;
  readonly host: WatchHost;
  readonly visitor: FolderVisitor;
  /** Whether a path below the source is not watched. */
  readonly ignores: (path: string, directory: boolean) => boolean;
  /** A failure of the visitor after which nothing can be watched; it is thrown, others are reported. */
  readonly isFatal: (error: unknown) => boolean;
  readonly report: (error: SkillError) => void;
}

interface Link {
  /** Real path of the folder it stands in. */
  readonly folder: string;
  readonly name: string;
  /** Real path of the folder it leads to. */
  readonly target: string | undefined;
  readonly places: readonly string[];
}

interface Folder {
  /** Names of the folders in it. */
  names: Set<string> | undefined;
  links: Map<string, Link> | undefined;
  /** Places of links in it. A folder that is not walked is there for these alone. */
  places: number;
  walked: boolean;
}

interface Job {
  readonly path: string;
  readonly real: string;
  /** The folder that counts it among its names. */
  readonly parent?: Folder;
}

/** A name in a folder that is watched. */
export interface WatchedName {
  /** Real path of the folder. */
  readonly folder: string;
  readonly name: string;
}

/**
 * The folders that are watched. Each real folder stands in it once, whatever number of paths lead to it; what a link
 * means is watched too, at each step of its way.
 */
export class WatchTree {
  readonly #options: WatchTreeOptions;
  readonly #folders: Map<string, Folder> = new Map();
  /** Where each root stands below the source. */
  readonly #roots: Map<string, string[]> = new Map();
  readonly #identities: Map<string, string> = new Map();
  readonly #linksTo: Map<string, Set<Link>> = new Map();
  readonly #linksOver: Map<string, Set<Link>> = new Map();
  /** Folders whose failure was reported: one that can be neither watched nor listed is told once. */
  readonly #reported: Set<string> = new Set();
  #closed = false;

  constructor(options: WatchTreeOptions) {
    this.#options = options;
  }

  get roots(): readonly string[] {
    return [...this.#roots.keys()];
  }

  isRoot(real: string): boolean {
    return this.#roots.has(real);
  }

  /** Whether the folder at `real` stands in the tree, and not only on the way of a link. */
  has(real: string): boolean {
    return this.#folders.get(real)?.walked === true;
  }

  /** Whether `name` in the folder at `real` is a folder in the tree. */
  hasFolder(real: string, name: string): boolean {
    return this.#folders.get(real)?.names?.has(name) === true;
  }

  /** Takes a root with all below it. Throws what the listing of the root throws. */
  async addRoot({ path: sourcePath, folder }: HostRoot): Promise<void> {
    const paths = this.#roots.get(folder);
    if (paths !== undefined) {
      if (!paths.includes(sourcePath)) paths.push(sourcePath);
      return;
    }
    this.#roots.set(folder, [sourcePath]);
    this.#identities.set(folder, this.#identityOf(folder));
    await this.#walk({ path: sourcePath, real: folder });
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
      links.push(...(this.#linksTo.get(real) ?? []));
    }
    return { roots, links };
  }

  /** Looks at all of a folder from anew. */
  async renewFolder(real: string): Promise<void> {
    const folder = this.#folders.get(real);
    const [sourcePath] = this.#roots.get(real) ?? (folder === undefined ? [] : this.pathsOf(real));
    this.#drop(real);
    if (this.#roots.has(real)) {
      const identity = this.#identityOf(real);
      this.#identities.set(real, identity);
      if (identity === '') return;
    }
    if (sourcePath === undefined) return;
    try {
      await this.#walk({ path: sourcePath, real });
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
      this.#options.report(fromSystem(error, sourcePath));
    }
  }

  /** Looks at one name of a folder from anew: it may have become, or ceased to be, a folder or a link. */
  async renewName({ folder: real, name }: WatchedName): Promise<void> {
    const folder = this.#folders.get(real);
    if (folder === undefined || !folder.walked) return;
    const full = childOf(real, name);
    if (folder.names?.delete(name) === true) this.#drop(full);
    const link = folder.links?.get(name);
    if (link !== undefined) this.#removeLink(folder, link);
    const stats = this.#options.host.lstat(full);
    if (stats === undefined || !(stats.isDirectory() || stats.isSymbolicLink())) return;
    const [sourcePath] = this.pathsOf(real);
    if (sourcePath === undefined) return;
    if (stats.isDirectory()) return this.#addFolder(folder, joined(sourcePath, name), full);
    const job = { path: sourcePath, real };
    const node = (await this.#list(job))?.nodes.find((each) => each.name === name);
    const target = node && this.#addLink(folder, job, node);
    if (target !== undefined) await this.#walk(target);
  }

  /** The links whose meaning depends on what stands at a full path. */
  linksOver(full: string): readonly WatchedName[] {
    return [...(this.#linksOver.get(full) ?? [])];
  }

  /** The links whose meaning depends on anything in a folder. */
  linksInto(real: string): readonly WatchedName[] {
    const found: WatchedName[] = [];
    for (const [place, links] of this.#linksOver) if (path.dirname(place) === real) found.push(...links);
    return found;
  }

  /** Every path below the source that leads to the folder at `real`; the root alone when there are too many. */
  pathsOf(real: string): string[] {
    const found = new Set<string>();
    this.#collect(real, '', new Set(), found);
    return found.size > MOST_PATHS ? [''] : [...found];
  }

  close(): void {
    this.#closed = true;
    for (const real of this.#folders.keys()) this.#options.visitor.closed(real);
    this.#folders.clear();
    this.#linksTo.clear();
    this.#linksOver.clear();
  }

  #collect(real: string, below: string, over: Set<Link>, found: Set<string>): void {
    let rest = below;
    for (let at = real; ; at = path.dirname(at)) {
      for (const root of this.#roots.get(at) ?? []) found.add(joined(root, rest));
      for (const link of this.#linksTo.get(at) ?? []) {
        if (over.has(link) || found.size > MOST_PATHS) continue;
        over.add(link);
        this.#collect(link.folder, joined(link.name, rest), over, found);
        over.delete(link);
      }
      if (path.dirname(at) === at) return;
      rest = joined(path.basename(at), rest);
    }
  }

  #identityOf(real: string): string {
    const stats = this.#options.host.lstat(real);
    return stats?.isDirectory() === true ? `${stats.dev}:${stats.ino}` : '';
  }

  async #addFolder(folder: Folder, sourcePath: string, real: string): Promise<void> {
    if (this.#options.ignores(sourcePath, true)) return;
    folder.names = (folder.names ?? new Set()).add(path.basename(real));
    await this.#walk({ path: sourcePath, real, parent: folder });
  }

  async #walk(first: Job): Promise<void> {
    const pace = startPace();
    const jobs: Job[] = [first];
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
      if (pace.due()) await pace.rest();
      if (this.#closed) return;
      const folder = this.#enter(job);
      if (folder === undefined) continue;
      const listing = this.#list(job);
      const listed = listing instanceof Promise ? await listing : listing;
      if (listed === undefined || this.#closed) continue;
      for (const node of listed.nodes) {
        if (node.link !== undefined || node.withheld?.code.startsWith('LINK_') === true) {
          const target = this.#addLink(folder, job, node);
          if (target !== undefined) jobs.push(target);
        } else if (node.kind === 'directory' && node.withheld === undefined) {
          const below = joined(job.path, node.name);
          if (this.#options.ignores(below, true)) continue;
          folder.names = (folder.names ?? new Set()).add(node.name);
          jobs.push({ path: below, real: childOf(job.real, node.name), parent: folder });
        }
      }
    }
  }

  /** Has the folder watched before it is listed, so that what comes into it from then on is told. */
  #enter(job: Job): Folder | undefined {
    const known = this.#folders.get(job.real);
    if (known?.walked === true) return undefined;
    const folder = known ?? emptyFolder();
    folder.walked = true;
    this.#folders.set(job.real, folder);
    try {
      this.#options.visitor.opened(job.real, true);
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
      this.#failed(job, error);
    }
    return this.has(job.real) ? folder : undefined;
  }

  #list(job: Job): MaybePromise<SourceFolder | undefined> {
    const failed = (error: unknown): undefined => {
      if (this.#roots.get(job.real)?.includes(job.path) === true) throw error;
      this.#failed(job, error);
    };
    try {
      const listed = this.#options.source.list(job.path);
      return listed instanceof Promise ? listed.catch(failed) : listed;
    } catch (error) {
      return failed(error);
    }
  }

  /**
   * What is gone or not to be seen is forgotten; the folder above tells when that changes. The rest is kept, to be
   * looked at again when its permissions change.
   */
  #failed(job: Job, error: unknown): void {
    const problem = fromSystem(error, job.path);
    if (problem.code !== 'FILE_NOT_FOUND' && problem.code !== 'SECRET_WITHHELD') {
      if (!this.#reported.has(job.real)) this.#options.report(problem);
      this.#reported.add(job.real);
      return;
    }
    this.#drop(job.real);
    job.parent?.names?.delete(path.basename(job.real));
  }

  /** Takes note of a link, and returns the folder that it leads to. */
  #addLink(folder: Folder, at: Job, node: SourceNode): Job | undefined {
    const below = joined(at.path, node.name);
    if (this.#options.ignores(below, node.kind === 'directory')) return undefined;
    const usable = node.kind === 'directory' && node.withheld === undefined;
    const target = usable && node.link !== undefined ? hostFolderOf(node.link.id) : undefined;
    const link: Link = { folder: at.real, name: node.name, target, places: this.#placesOf(at, node) };
    folder.links = (folder.links ?? new Map()).set(node.name, link);
    for (const place of link.places) this.#watchPlace(place, link);
    if (target === undefined) return undefined;
    add(this.#linksTo, target, link);
    if (!this.#identities.has(target)) this.#identities.set(target, this.#identityOf(target));
    return { path: below, real: target };
  }

  #placesOf({ real }: Job, { name }: SourceNode): readonly string[] {
    try {
      return linkPlaces(this.#options.host, childOf(real, name), (at) => this.#folders.has(at));
    } catch {
      // It went away between listing and following; the folder it stood in tells of it.
      return [];
    }
  }

  #watchPlace(place: string, link: Link): void {
    add(this.#linksOver, place, link);
    const real = path.dirname(place);
    const folder = this.#folders.get(real) ?? emptyFolder();
    folder.places += 1;
    if (folder.places > 1 || folder.walked) return;
    this.#folders.set(real, folder);
    this.#openPlace(real);
  }

  /** A folder on the way of a link that cannot be watched costs nothing but the news of that link. */
  #openPlace(real: string): void {
    try {
      this.#options.visitor.opened(real, false);
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
    }
  }

  #removeLink(folder: Folder, link: Link): void {
    folder.links?.delete(link.name);
    for (const place of link.places) {
      remove(this.#linksOver, place, link);
      this.#leavePlace(path.dirname(place));
    }
    if (link.target === undefined) return;
    remove(this.#linksTo, link.target, link);
    if (this.#linksTo.has(link.target) || this.#roots.has(link.target)) return;
    this.#identities.delete(link.target);
    if (this.pathsOf(link.target).length === 0) this.#drop(link.target);
  }

  #leavePlace(real: string): void {
    const folder = this.#folders.get(real);
    if (folder === undefined) return;
    folder.places -= 1;
    if (folder.places > 0 || folder.walked) return;
    this.#folders.delete(real);
    this.#options.visitor.closed(real);
  }

  /** Forgets a folder with all below it; where links lead over it, it stays for these alone. */
  #drop(real: string): void {
    const reals = [real];
    for (let at = reals.pop(); at !== undefined; at = reals.pop()) {
      const folder = this.#folders.get(at);
      if (folder?.walked !== true) continue;
      folder.walked = false;
      this.#reported.delete(at);
      for (const name of folder.names ?? []) reals.push(childOf(at, name));
      folder.names = undefined;
      this.#options.visitor.closed(at);
      for (const link of [...(folder.links?.values() ?? [])]) this.#removeLink(folder, link);
      folder.links = undefined;
      if (folder.places > 0) this.#openPlace(at);
      else this.#folders.delete(at);
    }
  }
}

function emptyFolder(): Folder {
  return { names: undefined, links: undefined, places: 0, walked: false };
}

function add<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function remove<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
