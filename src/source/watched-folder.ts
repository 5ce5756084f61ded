/**
 * The folders that a watcher has to do with, as the tree that they form on the disk.
 *
 * @module
 */
import path from 'node:path';
import { childOf } from './link-roots.ts';
import type { HostWatch } from './watch-host.ts';
import type { WatchedLink } from './watch-links.ts';

const WALKED = 1;
const NAMED = 2;
const DEEP = 4;

/** Folders in one folder up to which looking through them takes less than a map. */
const FEW = 8;

/** What few folders have to do with: links. */
interface Linking {
  readonly links: Map<string, WatchedLink>;
  places: number;
}

/**
 * One folder. There is one for every folder of a source, so it keeps its name and the folder above instead of its path, and
 * itself stands for what the system watches.
 */
export class WatchedFolder {
  readonly name: string;
  readonly above: WatchedFolder | undefined;
  /** What watches it by the system. */
  watch: HostWatch | undefined;
  #below: readonly WatchedFolder[] | Map<string, WatchedFolder> | undefined;
  #linking: Linking | undefined;
  #flags = 0;

  constructor(name: string, above: WatchedFolder | undefined) {
    this.name = name;
    this.above = above;
    this.watch = undefined;
    this.#below = undefined;
    this.#linking = undefined;
  }

  /** Its real path. */
  get real(): string {
    return this.above === undefined ? this.name : childOf(this.above.real, this.name);
  }

  /** It stands in the tree by itself, and not only on the way of a link or to another folder. */
  get walked(): boolean {
    return (this.#flags & WALKED) !== 0;
  }

  set walked(walked: boolean) {
    this.#flag(WALKED, walked);
  }

  /** The folder above counts it among what it holds. */
  get named(): boolean {
    return (this.#flags & NAMED) !== 0;
  }

  set named(named: boolean) {
    this.#flag(NAMED, named);
  }

  /** Its watch sees all below it. */
  get deep(): boolean {
    return (this.#flags & DEEP) !== 0;
  }

  set deep(deep: boolean) {
    this.#flag(DEEP, deep);
  }

  /** Places of links in it. A folder that is not walked is there for these alone. */
  get places(): number {
    return this.#linking?.places ?? 0;
  }

  set places(places: number) {
    this.#linked().places = places;
  }

  /** It is watched, for whatever reason. */
  get known(): boolean {
    return this.walked || this.places > 0;
  }

  get links(): readonly WatchedLink[] {
    return [...(this.#linking?.links.values() ?? [])];
  }

  get below(): Iterable<WatchedFolder> {
    return this.#below instanceof Map ? this.#below.values() : (this.#below ?? []);
  }

  link(name: string): WatchedLink | undefined {
    return this.#linking?.links.get(name);
  }

  addLink(link: WatchedLink): void {
    this.#linked().links.set(link.name, link);
  }

  removeLink(link: WatchedLink): void {
    this.#linking?.links.delete(link.name);
  }

  /** The folder `name` in it, as far as the watcher has to do with that one. */
  child(name: string): WatchedFolder | undefined {
    if (this.#below instanceof Map) return this.#below.get(name);
    return this.#below?.find((folder) => folder.name === name);
  }

  /** The folder `name` in it. */
  take(name: string): WatchedFolder {
    const known = this.child(name);
    if (known !== undefined) return known;
    const folder = new WatchedFolder(name, this);
    if (this.#below instanceof Map) this.#below.set(name, folder);
    else if (this.#below === undefined) this.#below = [folder];
    else if (this.#below.length < FEW) this.#below = this.#below.concat(folder);
    else this.#below = new Map([...this.#below, folder].map((each) => [each.name, each]));
    return folder;
  }

  /** Forgets it, and those above it, as far as the watcher has nothing to do with them any more. */
  prune(): void {
    const { above } = this;
    if (above === undefined || this.known || this.named || this.#holdsAny()) return;
    above.#remove(this);
    above.prune();
  }

  #holdsAny(): boolean {
    for (const _ of this.below) return true;
    return false;
  }

  #remove(folder: WatchedFolder): void {
    if (this.#below instanceof Map) this.#below.delete(folder.name);
    else this.#below = this.#below?.filter((each) => each !== folder);
  }

  #linked(): Linking {
    this.#linking ??= { links: new Map(), places: 0 };
    return this.#linking;
  }

  #flag(flag: number, set: boolean): void {
    this.#flags = set ? this.#flags | flag : this.#flags & ~flag;
  }
}

/** The folders by their real paths. */
export class WatchedFolders {
  readonly #tops: Map<string, WatchedFolder> = new Map();

  /** The folder at a real path, as far as the watcher has to do with it. */
  at(real: string): WatchedFolder | undefined {
    const { root } = path.parse(real);
    let folder = this.#tops.get(root);
    for (const name of namesOf(real, root)) folder = folder?.child(name);
    return folder;
  }

  /** The folder at a real path. */
  take(real: string): WatchedFolder {
    const { root } = path.parse(real);
    let folder = this.#tops.get(root);
    if (folder === undefined) {
      folder = new WatchedFolder(root, undefined);
      this.#tops.set(root, folder);
    }
    for (const name of namesOf(real, root)) folder = folder.take(name);
    return folder;
  }

  /** Every folder that is watched. */
  known(): WatchedFolder[] {
    const found: WatchedFolder[] = [];
    const stack = [...this.#tops.values()];
    for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
      if (folder.known) found.push(folder);
      for (const each of folder.below) stack.push(each);
    }
    return found;
  }

  clear(): void {
    this.#tops.clear();
  }
}

function namesOf(real: string, root: string): string[] {
  return real === root ? [] : real.slice(root.length).split(path.sep);
}
