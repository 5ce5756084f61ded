/**
 * The tree that another process found, as far as looks show that it is still there.
 *
 * @module
 */
import { type Pace, startPace } from '../pace.ts';
import type { SourceRecall } from '../source/source.ts';
import { encodeSegment } from '../uri/index.ts';
import { type FilePlace, KeptFile } from './kept-file.ts';
import { type FolderParts, KeptFolder } from './kept-folder.ts';
import type { KeptHead } from './remember-tree.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import { type Touched, touchedBy } from './touched.ts';
import { joinPath, type TreeFolder } from './tree.ts';
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
  readonly recall: SourceRecall;
  readonly settings: CatalogSettings;
}

/** A folder some of whose folders are still to come. */
interface Open {
  readonly place: FilePlace;
  readonly realUri: string;
  readonly parts: FolderParts & { readonly folders: TreeFolder[] };
  left: number;
}

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
    const { recall } = this.#options;
    const { place, realUri, homeId, id } = this.#placeOf(record);
    const { folder: path } = place;
    const files: SkillFile[] = [];
    for (const file of record.files) {
      if (recall.file(joinPath(path, file.name)) !== file.stamp) continue;
      files.push(new KeptFile(place, file, false));
    }
    this.files += record.files.length;
    this.changed += record.files.length - files.length;
    const same = record.stamp !== '' && recall.folder(path)?.stamp === record.stamp;
    if (!same || files.length < record.files.length) this.shallow.push(path);
    const { tooLarge, links } = record;
    const kept = record.head as KeptHead | undefined;
    const parts = {
      id,
      homeId,
      linked: false,
      head: kept?.head,
      files,
      folders: [],
      problems: [],
      tooLarge,
      links,
      published: kept?.published,
    };
    this.#open.push({ place, realUri, parts, left: record.folders });
    for (let top = this.#open.at(-1); top?.left === 0; top = this.#open.at(-1)) this.#close(top);
  }

  #close({ place, parts }: Open): void {
    this.#open.pop();
    const folder = new KeptFolder(place, parts);
    const above = this.#open.at(-1);
    if (above === undefined) {
      this.tree = folder;
      return;
    }
    above.left -= 1;
    above.parts.folders.push(folder);
  }

  #placeOf(record: FolderRecord): Pick<Open, 'place' | 'realUri'> & Pick<FolderParts, 'id' | 'homeId'> {
    const { name } = record;
    const { prefix } = this.#options.settings;
    const head = (record.head as KeptHead | undefined)?.head;
    const above = this.#open.at(-1);
    if (above === undefined) {
      const place = { uri: '', folder: '', home: undefined };
      return { place, realUri: folderUri(prefix, ''), id: name, homeId: undefined };
    }
    const folder = joinPath(above.place.folder, name);
    const id = [above.parts.id, name].join('/');
    const segment = encodeSegment(name);
    const realUri = [above.realUri, above.place.folder === '' ? '' : '/', segment].join('');
    if (head === undefined) {
      const { home } = above.place;
      const uri = home === undefined ? '' : joinPath(above.place.uri, segment);
      return { place: { uri, folder, home }, realUri, id, homeId: above.parts.homeId };
    }
    const uri = head.renamed ? skillUri(prefix, folder, head.name) : realUri;
    return { place: { uri, folder, home: folder }, realUri, id, homeId: id };
  }
}
