/**
 * The tree that another process found, as far as looks show that it is still there.
 *
 * @module
 */
import { type Pace, startPace } from '../pace.ts';
import type { Source, SourceRecall } from '../source/source.ts';
import { encodeSegment } from '../uri/index.ts';
import { KeptFile } from './kept-file.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import { type Touched, touchedBy } from './touched.ts';
import { joinPath, type SkillHead, type TreeFolder } from './tree.ts';
import { type FolderRecord, malformed, TreeReader } from './tree-bytes.ts';
import { folderUri, skillUri } from './uris.ts';

/** A tree to start a scan from, and what of it has to be looked at again. */
export interface Recalled {
  readonly tree: TreeFolder;
  readonly touched: Touched;
  /** Folders whose rules are those that the tree was made by. */
  readonly ruled: readonly string[];
  /** Nothing differs from what was kept. */
  readonly whole: boolean;
}

/** One in so many files may have changed; beyond it everything is read as if nothing had been kept. */
const CHANGED_SHARE = 4;

/** What {@link recallTree} looks with. */
export interface RecallOptions {
  readonly source: Source;
  readonly recall: SourceRecall;
  readonly settings: CatalogSettings;
}

/** A folder some of whose folders are still to come. */
interface Open {
  readonly folder: Mutable<TreeFolder> & { folders: TreeFolder[] };
  readonly realUri: string;
  left: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The tree in `bytes` without the files that are not in the state that they were hashed in. A scan from it, told to look at
 * `touched` again, finds what a scan from nothing would: folders whose names may have changed are listed, files that are not
 * in the tree are read. Undefined when so much changed that starting from nothing is faster.
 *
 * Errors: `INTERNAL`, and what parsing throws, for bytes of another form.
 */
export async function recallTree(bytes: Uint8Array, options: RecallOptions): Promise<Recalled | undefined> {
  const reader = new TreeReader(bytes);
  const builder = new Builder(options);
  const pace = startPace();
  await builder.build(reader, pace);
  const deep: string[] = [];
  const known = new Map(reader.rules.map(({ folder, stamp }) => [folder, stamp]));
  // Rules may also have come where there were none, and only a folder whose names changed can hold new ones.
  for (const folder of new Set([...known.keys(), ...builder.shallow])) {
    const stamp = options.recall.rules(folder)?.stamp;
    const before = known.get(folder);
    if (stamp === before && stamp !== '') continue;
    if (folder === '') return undefined;
    deep.push(folder);
  }
  if (builder.tree === undefined || builder.changed * CHANGED_SHARE > builder.files) return undefined;
  return {
    tree: builder.tree,
    touched: touchedBy(deep, builder.shallow),
    ruled: [...known.keys()],
    whole: deep.length === 0 && builder.shallow.length === 0,
  };
}

class Builder {
  tree: TreeFolder | undefined;
  readonly shallow: string[] = [];
  files = 0;
  changed = 0;
  readonly #options: RecallOptions;
  readonly #open: Open[] = [];

  constructor(options: RecallOptions) {
    this.#options = options;
  }

  async build(reader: TreeReader, pace: Pace): Promise<void> {
    for (let left = reader.folders; left > 0; left -= 1) {
      if (pace.due()) await pace.rest();
      this.#add(reader.next());
    }
    if (this.#open.length > 0) throw malformed();
  }

  #add(record: FolderRecord): void {
    const open = this.#place(record);
    const { folder } = open;
    const { source, recall } = this.#options;
    const files: SkillFile[] = [];
    const place = { uri: folder.uri, folder: folder.path, home: folder.home ?? '' };
    for (const file of record.files) {
      const sourcePath = joinPath(folder.path, file.name);
      if (source.look?.(sourcePath) !== file.stamp) continue;
      files.push(new KeptFile(place, file, false));
    }
    this.files += record.files.length;
    this.changed += record.files.length - files.length;
    folder.files = files;
    const same = record.stamp !== '' && recall.folder(folder.path)?.stamp === record.stamp;
    if (!same || files.length < record.files.length) this.shallow.push(folder.path);
    this.#open.push(open);
    for (let top = this.#open.at(-1); top?.left === 0; top = this.#open.at(-1)) this.#close(top);
  }

  #close({ folder }: Open): void {
    this.#open.pop();
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.tree = folder;
      return;
    }
    const above = parent.folder;
    parent.left -= 1;
    above.folders.push(folder);
    above.count += folder.count;
    above.skills += folder.skills;
    above.noisy ||= folder.noisy;
  }

  #place({ name, links, tooLarge, head: kept, folders }: FolderRecord): Open {
    const above = this.#open.at(-1);
    const parent = above?.folder;
    const { prefix } = this.#options.settings;
    const head = kept as SkillHead | undefined;
    const path = parent === undefined ? '' : joinPath(parent.path, name);
    const id = parent === undefined ? name : [parent.id, name].join('/');
    const segment = parent === undefined ? '' : encodeSegment(name);
    const realUri =
      above === undefined
        ? folderUri(prefix, '')
        : [above.realUri, above.folder.path === '' ? '' : '/', segment].join('');
    let uri = parent === undefined || parent.home === undefined ? '' : joinPath(parent.uri, segment);
    if (head !== undefined) uri = head.renamed ? skillUri(prefix, path, head.name) : realUri;
    const folder = {
      path,
      id,
      linked: false,
      home: head === undefined ? parent?.home : path,
      homeId: head === undefined ? parent?.homeId : id,
      head,
      uri,
      files: [],
      folders: [],
      problems: [],
      tooLarge,
      count: 1,
      skills: head === undefined ? 0 : 1,
      links,
      noisy: head !== undefined && head.diagnostics.length > 0,
    };
    return { folder, realUri, left: folders };
  }
}
