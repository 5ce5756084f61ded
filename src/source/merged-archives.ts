/**
 * Several archives with their roots laid over each other.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import type { ArchiveSource } from './archive.ts';
import { topOf } from './archive-layout.ts';
import type { MaybePromise, ReadOptions, Source, SourceFile, SourceFolder, SourceNode } from './source.ts';
import { notFound, withheld } from './source-error.ts';

/** An archive by the name of its file, or why it could not be opened. */
export type MergedArchive =
  | { readonly name: string; readonly source: ArchiveSource }
  | { readonly name: string; readonly error: SkillError };

/**
 * Returns one source whose root has the names of all roots, in which a file gives way to an earlier one and to a folder.
 * Closing it closes `archives`.
 *
 * Errors: `ARCHIVES_DIR_COLLISION`.
 */
export function mergeArchives(archives: readonly MergedArchive[], label: string): Source {
  return new MergedSource(archives, label);
}

interface Owner {
  readonly archive: string;
  readonly source: Source;
  readonly node: SourceNode;
}

let count = 0;

class MergedSource implements Source {
  readonly label: string;
  readonly #sources: readonly Source[];
  readonly #owners: Map<string, Owner> = new Map();
  readonly #root: SourceFolder;

  constructor(archives: readonly MergedArchive[], label: string) {
    count += 1;
    this.label = label;
    this.#sources = archives.flatMap((each) => ('source' in each ? [each.source] : []));
    const failed: SourceNode[] = [];
    for (const each of archives) {
      if ('source' in each) this.#take(each.name, each.source);
      // As a folder, since a catalog passes over files outside skills without a word.
      else {
        const why = withheld('ARCHIVE_REFUSED', each.error.message);
        failed.push({ name: each.name, kind: 'directory', withheld: why });
      }
    }
    const free = failed.filter(({ name }) => !this.#owners.has(name));
    const nodes = [...[...this.#owners.values()].map(({ node }) => node), ...free];
    this.#root = {
      id: `archives:${count}:/`,
      nodes: nodes.sort((a, b) => compareCodePoints(a.name, b.name)),
    };
  }

  list(path: string): MaybePromise<SourceFolder> {
    return path === '' ? this.#root : this.#ownerOf(path).list(path);
  }

  read(path: string, options: ReadOptions = {}): MaybePromise<SourceFile> {
    return this.#ownerOf(path).read(path, this.#inner(options));
  }

  stat(
    path: string,
    options: ReadOptions = {},
  ): MaybePromise<Omit<SourceFile, 'bytes'> & { readonly size: number }> {
    return this.#ownerOf(path).stat(path, this.#inner(options));
  }

  contains(ancestor: string, id: string): boolean {
    if (id === this.#root.id) return ancestor === id;
    return ancestor === this.#root.id || this.#sources.some((source) => source.contains(ancestor, id));
  }

  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
  }

  #take(archive: string, source: ArchiveSource): void {
    for (const node of source.list('').nodes) {
      const other = this.#owners.get(node.name);
      if (other === undefined || (isFolder(node) && !isFolder(other.node))) {
        this.#owners.set(node.name, { archive, source, node });
      } else if (isFolder(node) && isFolder(other.node)) {
        throw collision(node.name, other.archive, archive);
      }
    }
  }

  #ownerOf(path: string): Source {
    const owner = this.#owners.get(topOf(path));
    if (owner === undefined) throw notFound(path);
    return owner.source;
  }

  /** The root of all holds every archive, so it sets no bounds inside one of them. */
  #inner(options: ReadOptions): ReadOptions {
    if (options.within !== this.#root.id) return options;
    const { within: _, ...rest } = options;
    return rest;
  }
}

function isFolder(node: SourceNode): boolean {
  return node.kind === 'directory' && node.withheld === undefined;
}

function collision(name: string, first: string, second: string): SkillError {
  return new SkillError(
    'ARCHIVES_DIR_COLLISION',
    `${JSON.stringify(first)} and ${JSON.stringify(second)} both hold ${JSON.stringify(name)}; remove one of them, or serve each as a source of its own with a prefix (PREFIX=SOURCE)`,
    { details: { name, archives: [first, second] } },
  );
}
