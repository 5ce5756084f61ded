/**
 * The folders that are watched, with the paths of the source that lead to each.
 *
 * @module
 */
import path from 'node:path';
import type { SkillError } from '../errors.ts';
import { startPace } from '../pace.ts';
import type { FolderVisitor } from './folder-visitor.ts';
import { linkPlaces } from './link-places.ts';
import { childOf, hostFolderOf } from './link-roots.ts';
import { joined } from './mount-layout.ts';
import type { HostRoot, MaybePromise, Source, SourceFolder, SourceNode } from './source.ts';
import { fromSystem } from './source-error.ts';
import type { WatchHost } from './watch-host.ts';
import { type WatchedLink, type WatchedName, WatchLinks } from './watch-links.ts';
import { type WatchedFolder, WatchedFolders } from './watched-folder.ts';

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

interface Job {
  readonly path: string;
  readonly real: string;
  /** The folder that counts it among its names. */
  readonly parent?: WatchedFolder;
}

/**
 * The folders that are watched. Each real folder stands in it once, whatever number of paths lead to it; what a link
 * means is watched too, at each step of its way.
 */
export class WatchTree {
  readonly links: WatchLinks;
  readonly #options: WatchTreeOptions;
  readonly #folders: WatchedFolders = new WatchedFolders();
  /** Folders whose failure was reported: one that can be neither watched nor listed is told once. */
  readonly #reported: Set<string> = new Set();
  /** Folders were forgotten, which may have held others that are still led to. */
  #dropped = false;
  #closed = false;

  constructor(options: WatchTreeOptions) {
    this.#options = options;
    this.links = new WatchLinks(options.host);
  }

  /** Whether the folder at `real` stands in the tree, and not only on the way of a link. */
  has(real: string): boolean {
    return this.#folders.at(real)?.walked === true;
  }

  /** Whether `name` in the folder at `real` is a folder in the tree. */
  hasFolder(real: string, name: string): boolean {
    return this.#folders.at(real)?.child(name)?.named === true;
  }

  /** Takes a root with all below it. Throws what the listing of the root throws, unless that can be looked for `later`. */
  async addRoot({ path: sourcePath, folder: real }: HostRoot, later: boolean = false): Promise<void> {
    if (!this.links.addRoot(real, sourcePath)) return;
    await (later ? this.#rewalk({ path: sourcePath, real }) : this.#walk({ path: sourcePath, real }));
  }

  /** Looks at all of a folder from anew. */
  async renewFolder(real: string): Promise<void> {
    const sourcePath = this.has(real) || this.links.isRoot(real) ? this.links.pathTo(real) : undefined;
    if (sourcePath === undefined) return;
    this.#drop(real);
    if (!this.links.isRoot(real) || this.links.renew(real)) await this.#rewalk({ path: sourcePath, real });
    await this.#restore();
  }

  /** Looks at one name of a folder from anew: it may have become, or ceased to be, a folder or a link. */
  async renewName({ folder: real, name }: WatchedName): Promise<void> {
    const folder = this.#folders.at(real);
    if (folder === undefined || !folder.walked) return;
    const full = childOf(real, name);
    const below = folder.child(name);
    if (below?.named === true) {
      below.named = false;
      this.#drop(full);
      below.prune();
    }
    const link = folder.link(name);
    if (link !== undefined) this.#removeLink(folder, link);
    const stats = this.#options.host.lstat(full);
    const sourcePath = this.links.pathTo(real);
    if (sourcePath !== undefined && stats?.isDirectory() === true) {
      await this.#addFolder(folder, joined(sourcePath, name), full);
    } else if (sourcePath !== undefined && stats?.isSymbolicLink() === true) {
      await this.#addNamedLink(folder, { path: sourcePath, real }, name);
    }
    await this.#restore();
  }

  close(): void {
    this.#closed = true;
    for (const folder of this.#folders.known()) this.#options.visitor.closed(folder);
    this.#folders.clear();
  }

  async #addFolder(folder: WatchedFolder, sourcePath: string, real: string): Promise<void> {
    if (this.#options.ignores(sourcePath, true)) return;
    folder.take(path.basename(real)).named = true;
    await this.#rewalk({ path: sourcePath, real, parent: folder });
  }

  async #addNamedLink(folder: WatchedFolder, at: Job, name: string): Promise<void> {
    const node = (await this.#list(at))?.nodes.find((each) => each.name === name);
    const target = node && this.#addLink(folder, at, node);
    if (target !== undefined) await this.#rewalk(target);
  }

  /** Walks the roots and ends of links that stood below what was forgotten. */
  async #restore(): Promise<void> {
    if (!this.#dropped) return;
    this.#dropped = false;
    for (const real of [...this.links.anchors]) {
      if (this.has(real) || this.#options.host.lstat(real)?.isDirectory() !== true) continue;
      const sourcePath = this.links.pathTo(real);
      if (sourcePath !== undefined) await this.#rewalk({ path: sourcePath, real });
    }
  }

  /** As a walk, once the watcher runs: what cannot be listed now is reported, a root too. */
  async #rewalk(job: Job): Promise<void> {
    try {
      await this.#walk(job);
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
      this.#options.report(fromSystem(error, job.path));
    }
  }

  async #walk(first: Job): Promise<void> {
    const pace = startPace();
    const jobs: Job[] = [first];
    // A folder is listed by its real path where it has one: by way of a link, links back from it are loops.
    const targets: Job[] = [];
    for (let job = jobs.pop(); job !== undefined; job = jobs.pop() ?? targets.pop()) {
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
          if (target !== undefined) targets.push(target);
        } else if (node.kind === 'directory' && node.withheld === undefined) {
          const below = joined(job.path, node.name);
          if (this.#options.ignores(below, true)) continue;
          folder.take(node.name).named = true;
          jobs.push({ path: below, real: childOf(job.real, node.name), parent: folder });
        }
      }
    }
  }

  /** Has the folder watched before it is listed, so that what comes into it from then on is told. */
  #enter(job: Job): WatchedFolder | undefined {
    const folder = this.#folders.take(job.real);
    if (folder.walked) return undefined;
    folder.walked = true;
    try {
      this.#options.visitor.opened(folder, job.real, true);
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
      this.#failed(job, error);
    }
    return folder.walked ? folder : undefined;
  }

  #list(job: Job): MaybePromise<SourceFolder | undefined> {
    const failed = (error: unknown): undefined => {
      if (this.links.isRoot(job.real)) throw error;
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
    const folder = job.parent?.child(path.basename(job.real));
    if (folder === undefined) return;
    folder.named = false;
    folder.prune();
  }

  /** Takes note of a link, and returns the folder that it leads to. */
  #addLink(folder: WatchedFolder, at: Job, node: SourceNode): Job | undefined {
    const below = joined(at.path, node.name);
    if (this.#options.ignores(below, node.kind === 'directory')) return undefined;
    const usable = node.kind === 'directory' && node.withheld === undefined;
    const target = usable && node.link !== undefined ? hostFolderOf(node.link.id) : undefined;
    const link: WatchedLink = { folder: at.real, name: node.name, target, places: this.#placesOf(at, node) };
    folder.addLink(link);
    this.links.add(link);
    for (const place of link.places) this.#watchPlace(path.dirname(place));
    return target === undefined ? undefined : { path: below, real: target };
  }

  #placesOf({ real }: Job, { name }: SourceNode): readonly string[] {
    try {
      return linkPlaces(
        this.#options.host,
        childOf(real, name),
        (at) => this.#folders.at(at)?.known === true,
      );
    } catch {
      // It went away between listing and following; the folder it stood in tells of it.
      return [];
    }
  }

  #watchPlace(real: string): void {
    const folder = this.#folders.take(real);
    folder.places += 1;
    if (folder.places === 1 && !folder.walked) this.#openPlace(folder, real);
  }

  /** A folder on the way of a link that cannot be watched costs nothing but the news of that link. */
  #openPlace(folder: WatchedFolder, real: string): void {
    try {
      this.#options.visitor.opened(folder, real, false);
    } catch (error) {
      if (this.#options.isFatal(error)) throw error;
    }
  }

  #removeLink(folder: WatchedFolder, link: WatchedLink): void {
    folder.removeLink(link);
    this.links.remove(link);
    for (const place of link.places) this.#leavePlace(path.dirname(place));
    const { target } = link;
    const isLedTo = target === undefined || this.links.pathTo(target) !== undefined;
    if (!isLedTo) this.#drop(target);
  }

  #leavePlace(real: string): void {
    const folder = this.#folders.at(real);
    if (folder === undefined || folder.places === 0) return;
    folder.places -= 1;
    if (folder.known) return;
    this.#options.visitor.closed(folder);
    folder.prune();
  }

  /** Forgets a folder with all below it; where links lead over it, it stays for these alone. */
  #drop(real: string): void {
    const dropped = this.#folders.at(real);
    const folders = dropped === undefined ? [] : [dropped];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (!folder.walked) continue;
      folder.walked = false;
      this.#dropped = true;
      this.#reported.delete(folder.real);
      for (const below of [...folder.below]) {
        if (!below.named) continue;
        below.named = false;
        if (below.walked) folders.push(below);
        else below.prune();
      }
      this.#options.visitor.closed(folder);
      for (const link of folder.links) this.#removeLink(folder, link);
      if (folder.places > 0) this.#openPlace(folder, folder.real);
      else folder.prune();
    }
  }
}
