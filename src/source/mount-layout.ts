/**
 * Which source stands where when several are mounted side by side.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { eachInOrder, whenThere } from './maybe-promise.ts';
import { isSafeSegment } from './safe-path.ts';
import type { MaybePromise, Source, SourceFolder, SourceNode } from './source.ts';
import { shownPath } from './source-error.ts';

/** A source and where it was put; the empty prefix is the root. */
export interface Placed {
  readonly source: Source;
  readonly prefix: string;
  /** The identity of its root. */
  readonly id: string;
}

/** Where everything stands, and what was decided on the way. */
export interface Layout {
  readonly placed: readonly Placed[];
  /** Folders that exist only because a prefix names them, with the names of their virtual children. */
  readonly folders: ReadonlyMap<string, ReadonlySet<string>>;
  readonly notes: readonly string[];
}

/** Whose a path is, and what it is called there. */
export interface Route {
  readonly placed: Placed;
  readonly rest: string;
}

/** A source to place. */
export interface Wanted {
  readonly source: Source;
  readonly prefix: string;
}

/**
 * Returns the layout of `wanted`, in order: the same folder is taken once, and where a later source has a name that
 * stands there already it moves below its own name, or `MOUNT_COLLISION` is thrown. Two files of one name are no
 * collision; the first one stands.
 */
export function layOut(
  wanted: readonly Wanted[],
  onCollision: 'error' | 'prefix' | 'first',
): MaybePromise<Layout> {
  return whenThere(
    eachInOrder(wanted, ({ source }) => source.list('')),
    (roots) =>
      whenThere(sharedIdentities(wanted, roots), (identities) => {
        const builder = new LayoutBuilder(onCollision, identities);
        for (const [index, item] of wanted.entries()) {
          const root = roots[index];
          if (root !== undefined) builder.add(item, root);
        }
        return builder.layout();
      }),
  );
}

/** Whether a file or folder at `path` would be ignored by every source that could have it. */
export function allIgnore(layout: Layout, path: string, directory: boolean): boolean {
  if (layout.folders.has(path)) return false;
  const placed = layout.placed.filter(({ prefix }) => prefix === '' || path.startsWith(`${prefix}/`));
  return (
    placed.length > 0 &&
    placed.every(({ source, prefix }) => {
      const rest = prefix === '' ? path : path.slice(prefix.length + 1);
      return source.ignores?.(rest, directory) === true;
    })
  );
}

type Identities = ReadonlyMap<Source, ReadonlyMap<string, string>>;

/** The identities of the folders whose names several roots have: a link to the other root's folder is no collision. */
function sharedIdentities(
  wanted: readonly Wanted[],
  roots: readonly SourceFolder[],
): MaybePromise<Identities> {
  const seen = new Map<string, number>();
  for (const root of roots) {
    for (const node of root.nodes) {
      if (node.kind === 'directory') seen.set(node.name, (seen.get(node.name) ?? 0) + 1);
    }
  }
  const wantedNodes = wanted.flatMap(({ source }, index) =>
    (roots[index]?.nodes ?? [])
      .filter((node) => node.kind === 'directory' && !node.withheld && (seen.get(node.name) ?? 0) > 1)
      .map((node) => ({ source, node })),
  );
  const made = eachInOrder(wantedNodes, ({ source, node }) =>
    whenThere(identityOf(source, node), (id) => ({ source, name: node.name, id })),
  );
  return whenThere(made, (all) => {
    const identities = new Map<Source, Map<string, string>>();
    for (const { source, name, id } of all) {
      const ofSource = identities.get(source) ?? new Map<string, string>();
      identities.set(source, ofSource.set(name, id));
    }
    return identities;
  });
}

function identityOf(source: Source, node: SourceNode): MaybePromise<string> {
  return node.link?.id ?? whenThere(source.list(node.name), (folder) => folder.id);
}

interface Claim {
  /** Absent for a folder that a prefix names. */
  readonly source?: Source;
  readonly withheld: boolean;
  readonly file: boolean;
}

class LayoutBuilder {
  readonly #onCollision: 'error' | 'prefix' | 'first';
  readonly #identities: Identities;
  readonly #placed: Placed[] = [];
  readonly #notes: string[] = [];
  readonly #folders: Map<string, Set<string>> = new Map([['', new Set()]]);
  readonly #claims: Map<string, Map<string, Claim>> = new Map();

  constructor(onCollision: 'error' | 'prefix' | 'first', identities: Identities) {
    this.#onCollision = onCollision;
    this.#identities = identities;
  }

  layout(): Layout {
    return { placed: this.#placed, folders: this.#folders, notes: this.#notes };
  }

  add({ source, prefix }: Wanted, root: SourceFolder): void {
    const twin = this.#placed.find((placed) => placed.id === root.id);
    if (twin !== undefined) {
      this.#notes.push(
        `${written(source, prefix)} is the same folder as ${written(twin.source, twin.prefix)} and is served once`,
      );
      return;
    }
    const clash = this.#clash(source, prefix, root);
    // What gives way name by name is noted when the root is listed.
    if (clash === undefined || this.#onCollision === 'first') {
      this.#place(source, prefix, root);
      return;
    }
    if (this.#onCollision === 'error') throw collision(clash, source);
    const moved = this.#freePrefix(source, prefix, root);
    this.#place(source, moved, root);
    this.#notes.push(`${describe(clash, source)}; ${source.label} is served below ${shownPath(moved)}`);
  }

  /** The first name of `root` at `prefix`, or segment of `prefix`, that something else already has. */
  #clash(source: Source, prefix: string, root: SourceFolder): Clash | undefined {
    let at = '';
    for (const segment of segmentsOf(prefix)) {
      const claim = this.#claims.get(at)?.get(segment);
      if (claim?.source !== undefined && !claim.withheld) return { at, name: segment, first: claim.source };
      at = joined(at, segment);
    }
    const claims = this.#claims.get(prefix);
    for (const node of root.nodes) {
      const claim = claims?.get(node.name);
      if (claim === undefined || claim.withheld || node.withheld) continue;
      // Beside the skills of a repository stand its README and licence, and two repositories have two of them.
      if (claim.file && node.kind === 'file') continue;
      if (claim.source !== undefined && this.#sameFolder(claim.source, source, node.name)) continue;
      return { at: prefix, name: node.name, ...(claim.source === undefined ? {} : { first: claim.source }) };
    }
    return undefined;
  }

  #sameFolder(a: Source, b: Source, name: string): boolean {
    const id = this.#identities.get(a)?.get(name);
    return id !== undefined && id === this.#identities.get(b)?.get(name);
  }

  #place(source: Source, prefix: string, root: SourceFolder): void {
    let at = '';
    for (const segment of segmentsOf(prefix)) {
      this.#folders.get(at)?.add(segment);
      this.#claim(at, segment, { withheld: false, file: false });
      at = joined(at, segment);
      if (!this.#folders.has(at)) this.#folders.set(at, new Set());
    }
    for (const node of root.nodes) {
      this.#claim(prefix, node.name, {
        source,
        withheld: node.withheld !== undefined,
        file: node.kind === 'file',
      });
    }
    this.#placed.push({ source, prefix, id: root.id });
  }

  #claim(at: string, name: string, claim: Claim): void {
    const claims = this.#claims.get(at) ?? new Map<string, Claim>();
    this.#claims.set(at, claims);
    const old = claims.get(name);
    if (old === undefined || (old.withheld && !claim.withheld)) claims.set(name, claim);
  }

  #freePrefix(source: Source, prefix: string, root: SourceFolder): string {
    const base = baseName(source.label);
    for (let number = 1; ; number += 1) {
      const moved = joined(prefix, number === 1 ? base : `${base}-${number}`);
      if (!this.#folders.has(moved) && this.#clash(source, moved, root) === undefined) return moved;
    }
  }
}

interface Clash {
  readonly at: string;
  readonly name: string;
  readonly first?: Source;
}

/** A source as one writes it on a command line. */
function written(source: Source, prefix: string): string {
  return prefix === '' ? source.label : `${prefix}=${source.label}`;
}

function describe(clash: Clash, source: Source): string {
  const first = clash.first === undefined ? 'a prefix' : clash.first.label;
  return `${first} and ${source.label} both have ${shownPath(joined(clash.at, clash.name))}`;
}

function collision(clash: Clash, source: Source): SkillError {
  return new SkillError(
    'MOUNT_COLLISION',
    `${describe(clash, source)}; give one of them a prefix (PREFIX=SOURCE)`,
    {
      details: {
        path: joined(clash.at, clash.name),
        sources: [...(clash.first === undefined ? [] : [clash.first.label]), source.label],
      },
    },
  );
}

/** Returns the path of `name` in the folder at `folder`. */
export function joined(folder: string, name: string): string {
  if (folder === '') return name;
  return name === '' ? folder : `${folder}/${name}`;
}

function segmentsOf(path: string): string[] {
  return path === '' ? [] : path.split('/');
}

/** The last segment of a label that can be a folder of a source; labels are paths, URLs or free text. */
function baseName(label: string): string {
  const last = label.split(/[\\/]/).filter(isSafeSegment).pop();
  return last ?? 'source';
}

/** A node as it stands below `prefix`. */
export function moved(node: SourceNode, prefix: string): SourceNode {
  if (prefix === '' || node.link?.path === undefined) return node;
  return { ...node, link: { ...node.link, path: joined(prefix, node.link.path) } };
}
