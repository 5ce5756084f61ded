/**
 * The tree that another process found, as far as looks show that it is still there.
 *
 * @module
 */
import { type Pace, startPace } from '../pace.ts';
import type { LooksAhead, SourceRecall } from '../source/source.ts';
import { encodeSegment } from '../uri/index.ts';
import { type FilePlace, KeptFile } from './kept-file.ts';
import { KeptFolder } from './kept-folder.ts';
import type { KeptHead } from './remember-tree.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import { type Touched, touchedBy } from './touched.ts';
import { joinPath, type TreeFolder } from './tree.ts';
import { type FolderHead, malformed, TreeReader } from './tree-bytes.ts';
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

/** Folders and files below which a thread that looks at some of them takes longer to start than to be of use. */
const FROM = 20_000;

/** What {@link recallTree} looks with. */
export interface RecallOptions {
  readonly recall: SourceRecall;
  readonly settings: CatalogSettings;
  /** From how many folders and files on a second thread looks too. @default 20,000 */
  readonly aheadFrom?: number;
}

/** A folder some of whose folders are still to come. */
interface Open {
  readonly place: FilePlace;
  readonly record: FolderHead;
  readonly files: SkillFile[];
  readonly folders: TreeFolder[];
}

/** Files of one folder that are taken over without letting others have a turn. */
const IN_ONE_GO = 1_024;

const NOTHING: readonly never[] = [];

/**
 * The tree in `bytes` without the files that are not in the state that they were hashed in. A scan from it, told to look at
 * `touched` again, finds what a scan from nothing would: folders whose names may have changed are listed, files that are not
 * in the tree are read. Undefined when so much changed that starting from nothing is faster.
 *
 * Errors: `INTERNAL`, and what parsing throws, for bytes of another form.
 */
export async function recallTree(bytes: Uint8Array, options: RecallOptions): Promise<Recalled | undefined> {
  const reader = new TreeReader(bytes);
  const { recall, aheadFrom = FROM } = options;
  const ahead = reader.folders + reader.files < aheadFrom ? undefined : recall.ahead?.(reader.looks.bytes);
  const builder = new Builder(options, ahead);
  const pace = startPace();
  try {
    await builder.build(reader, pace);
  } finally {
    ahead?.close();
  }
  const deep: string[] = [];
  const known = new Map(reader.rules.map(({ folder, stamp }) => [folder, stamp]));
  // Rules may also have come where there were none, and only a folder whose names changed can hold new ones.
  for (const folder of new Set([...known.keys(), ...builder.shallow])) {
    if (pace.due()) await pace.rest();
    const stamp = recall.rules(folder)?.stamp;
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
  readonly #ahead: LooksAhead | undefined;
  readonly #open: Open[] = [];
  /** The identity of the root, and what those of all other folders begin with. */
  #root = '';
  #lead = '';

  constructor(options: RecallOptions, ahead: LooksAhead | undefined) {
    this.#options = options;
    this.#ahead = ahead;
  }

  async build(reader: TreeReader, pace: Pace): Promise<void> {
    for (let at = 0; at < reader.folders; at += 1) {
      if (pace.due()) await pace.rest();
      const isSame = this.#ahead?.isSame(at) === true;
      const open = this.#begin(reader);
      for (let from = 1; from < open.record.names.length; from += IN_ONE_GO) {
        if (from > 1 && pace.due()) await pace.rest();
        this.#addFiles(open, reader, from, isSame);
      }
      this.#add(open, isSame);
    }
    if (this.tree === undefined || this.#open.length > 0) throw malformed();
  }

  /** Takes over a folder with its files; `isSame`: it was looked at, its files too. */
  #add(open: Open, isSame: boolean): void {
    const { place, record, files } = open;
    const count = record.names.length - 1;
    this.files += count;
    this.changed += count - files.length;
    if (!isSame && !(files.length === count && this.#isListed(place.folder, record))) {
      this.shallow.push(place.folder);
    }
    if (record.folders === 0) this.#close(open);
    else this.#open.push(open);
  }

  #begin(reader: TreeReader): Open {
    const record = reader.next();
    return { place: this.#placeOf(record), record, files: [], folders: [] };
  }

  #addFiles({ place, record, files }: Open, reader: TreeReader, from: number, isSame: boolean): void {
    const { recall } = this.#options;
    const end = Math.min(record.names.length, from + IN_ONE_GO);
    for (let index = from; index < end; index += 1) {
      const file = reader.file(record, index);
      if (!isSame && recall.file(joinPath(place.folder, file.name)) !== file.stamp) continue;
      files.push(new KeptFile(place, file, false));
    }
  }

  /** Whether the folder holds the names that it held. */
  #isListed(path: string, { stamps }: FolderHead): boolean {
    const [stamp] = stamps;
    return stamp !== '' && this.#options.recall.folder(path)?.stamp === stamp;
  }

  /** Closes a folder that is complete, and each above that it completes. */
  #close(complete: Open): void {
    for (let open: Open | undefined = complete; open !== undefined; ) {
      const { tooLarge, links } = open.record;
      const kept = open.record.head as KeptHead | undefined;
      const folder = new KeptFolder(open.place, {
        identity: open.place.folder === '' ? this.#root : this.#lead,
        linked: false,
        head: kept?.head,
        files: open.files,
        folders: open.folders,
        problems: NOTHING,
        tooLarge,
        links,
        published: kept?.published,
      });
      const above = this.#open.at(-1);
      if (above === undefined) {
        this.tree = folder;
        return;
      }
      above.folders.push(folder);
      open = above.folders.length === above.record.folders ? this.#open.pop() : undefined;
    }
  }

  #placeOf({ names, head }: FolderHead): FilePlace {
    const [name = ''] = names;
    const { prefix } = this.#options.settings;
    const above = this.#open.at(-1)?.place;
    if (above === undefined) {
      if (this.tree !== undefined) throw malformed();
      this.#root = name;
      this.#lead = `${name}/`;
      return { uri: '', folder: '', home: undefined };
    }
    const folder = joinPath(above.folder, name);
    const judged = (head as KeptHead | undefined)?.head;
    if (judged !== undefined) {
      const uri = judged.renamed ? skillUri(prefix, folder, judged.name) : folderUri(prefix, folder);
      return { uri, folder, home: folder };
    }
    const { home } = above;
    return { uri: home === undefined ? '' : joinPath(above.uri, encodeSegment(name)), folder, home };
  }
}
