/**
 * The interface of a source: a read-only tree of files.
 *
 * @module
 */

/**
 * A value now or later. A source on a local disk answers at once, so that a scan of a hundred thousand files
 * does not wait once a file; one over a network answers later.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Why a name in a folder is there but not served. Ignored names do not appear at all. */
export interface Withheld {
  readonly code:
    | 'SECRET_WITHHELD'
    | 'LINK_ESCAPES'
    | 'LINK_BROKEN'
    | 'LINK_LOOP'
    | 'LINK_REFUSED'
    | 'SPECIAL_FILE'
    | 'FILE_UNREADABLE'
    | 'ARCHIVE_REFUSED'
    | 'UNADDRESSABLE_NAME';
  /** One line without a path of this machine. */
  readonly message: string;
}

/** Where a link leads. */
export interface LinkTarget {
  /** The {@link SourceFolder.id} of the target when it is a folder, or the same kind of identity of a file. */
  readonly id: string;
  /** The real path below the source, when the target lies in the source. */
  readonly path?: string;
  /**
   * The source follows links anywhere inside its roots (`symlinks: 'follow'`). Otherwise whoever finds a link below a
   * skill has to check with {@link Source.contains} that its target lies in that skill.
   */
  readonly anywhere?: true;
}

/** A folder on this machine that holds a part of a source. */
export interface HostRoot {
  /** Where it stands below the source; the empty string is the root. */
  readonly path: string;
  /** Its real path. */
  readonly folder: string;
}

/** Asks the origin of a source whether it changed; see {@link Source.revalidate}. */
export type Revalidate = (options?: { readonly signal?: AbortSignal }) => Promise<boolean>;

/** A part of a source that came from elsewhere and can be asked for again. */
export interface RemoteRoot {
  /** Where it stands below the source; the empty string is the root. */
  readonly path: string;
  /** What the user called it. */
  readonly label: string;
  readonly revalidate: Revalidate;
}

/** One name in a folder. */
export interface SourceNode {
  readonly name: string;
  /** For a link: what it leads to. */
  readonly kind: 'file' | 'directory';
  /** Present when the name is a link. */
  readonly link?: LinkTarget;
  /** Present when the name must be reported and not served. */
  readonly withheld?: Withheld;
  /** The content is made anew at each read and has no stable digest. */
  readonly dynamic?: boolean;
}

/** A folder and its direct children, ordered by name in code-point order. */
export interface SourceFolder {
  /** Identity of the real folder: equal for two paths exactly when they lead to the same folder. Opaque outside the source. */
  readonly id: string;
  readonly nodes: readonly SourceNode[];
  /** A link in it is no node because of where it leads, and can become one without a change of the folder. @default false */
  readonly hidesLinks?: boolean;
}

/** What was read, and what identifies the state it was read in. */
export interface SourceFile {
  readonly bytes: Buffer;
  /**
   * Equal for two reads exactly when nothing about the file changed between them (size, mtime and ctime in ns, inode).
   * Absent when the source cannot change.
   */
  readonly stamp?: string;
  /** Last modification, ms since 1970, fractions included. Absent when unknown. */
  readonly modifiedAt?: number;
}

/** What reading a file and hashing it tells, without its bytes. */
export interface SourceFacts {
  /** Length of the raw bytes. */
  readonly size: number;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes. */
  readonly digest: string;
  /** Valid UTF-8 that survives decoding. */
  readonly text: boolean;
  /** As {@link SourceFile.stamp}, of a state not later than the bytes: a write since then changes it. */
  readonly stamp?: string;
  /** As {@link SourceFile.modifiedAt}. */
  readonly modifiedAt?: number;
}

/** Files of one folder whose facts are asked for. */
export interface FactsFolder {
  readonly path: string;
  /** As in {@link ReadOptions.within}. */
  readonly within: string;
  /** Names of files in the folder, as {@link Source.list} told them: no links, none of them withheld. */
  readonly names: readonly string[];
}

/** The facts of several files, by their place in {@link FactsAhead.take}: folder by folder, name by name. */
export interface FactsBatch {
  /** A time before the first of them was read, ms since 1970. */
  readonly readAt: number;
  /** The facts of a file; undefined when there is more to say of it than that, and it has to be read after all. */
  at(index: number): SourceFacts | undefined;
}

/** Takes the facts of many files while its owner goes on with something else. */
export interface FactsAhead {
  /** The facts of the files in these folders. Does not reject: what cannot be told is left to be read. */
  take(folders: readonly FactsFolder[]): Promise<FactsBatch>;
  /** Ends it; what is asked for and not there yet is not told. Twice is fine. */
  close(): void;
}

/** Options of {@link Source.ahead}. */
export interface AheadOptions {
  /** Files larger than this are not told. @default no cap */
  readonly maxBytes?: number;
  /** Files with the same `within` are told until together they exceed this. @default no cap */
  readonly maxBytesWithin?: number;
}

/** What a look at a file or folder tells of its state. */
export interface SourceLook {
  /** As {@link SourceFile.stamp}. */
  readonly stamp: string;
  /** When its content, its names, its owner or its rights changed last, ms since 1970. Nobody can set it back. */
  readonly changedAt: number;
}

/** Looks at the folders of a tree on another thread while its owner goes through them, first to last. */
export interface LooksAhead {
  /**
   * Whether the folder `at`, in the order of the tree, and each of its files were found as they were. False: nobody looked,
   * or something differs, and its owner looks.
   */
  isSame(at: number): boolean;
  /** Ends it. Twice is fine. */
  close(): void;
}

/**
 * What lets one process take over what another found out about the same tree, by looks alone. Paths are below the source;
 * nothing below a link is asked for.
 */
export interface SourceRecall {
  /** Equal for two sources exactly when they show the same tree in the same way: place, options, who reads. Opaque. */
  readonly key: string;
  /** The folder at `path`; its names are the same as long as its stamp is. Undefined where only listing can tell. */
  folder(path: string): SourceLook | undefined;
  /** The stamp of the file at `path`, not opened and not checked; undefined where there is none. */
  file(path: string): string | undefined;
  /**
   * What looks at the folders and files in `kept`, written by `KeptLooksWriter`, as {@link SourceRecall.folder} and
   * {@link SourceRecall.file} would; undefined where that is not possible here.
   */
  ahead?(kept: Uint8Array): LooksAhead | undefined;
  /**
   * The file in `folder` whose content decides what is seen there and below. Undefined where there is none; a link has the
   * empty stamp, which says nothing.
   */
  rules(folder: string): SourceLook | undefined;
  /** Folders with such a file, of those that were listed; undefined when some are forgotten. */
  ruled(): readonly string[] | undefined;
}

/** Options of {@link Source.read}. */
export interface ReadOptions {
  /**
   * The {@link SourceFolder.id} of the folder that the file must really lie in, else `LINK_ESCAPES`; default: anywhere
   * the source allows. A source that follows links anywhere (`symlinks: 'follow'`) does not look at it.
   */
  readonly within?: string;
  /** Refuse more than this with `FILE_TOO_LARGE`, before reading it. Default: no cap. */
  readonly maxBytes?: number;
}

/**
 * A read-only tree of files. Paths are `/`-separated, relative, without `.` and `..`; the empty string is the root.
 *
 * Errors are `SkillError`s: `FILE_NOT_FOUND` (also for what is ignored), `SECRET_WITHHELD`, `LINK_ESCAPES`,
 * `FILE_TOO_LARGE`, `FILE_CHANGED` (it changed while it was read), `FILE_UNREADABLE`; for the root `SOURCE_NOT_FOUND`,
 * `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`; for roots that cannot stand side by side `MOUNT_COLLISION`. No message holds a path of this machine other than the one the caller gave.
 */
export interface Source {
  /** What the user called it; stands in messages. */
  readonly label: string;
  /** The folder on this machine that a watcher can watch; only directory sources have one. */
  readonly hostRoot?: string;
  /** Every folder on this machine that a watcher can watch; absent when there is none. */
  readonly hostRoots?: readonly HostRoot[];
  /** The parts that can be revalidated one by one, of a source that consists of several. */
  readonly remotes?: readonly RemoteRoot[];
  /**
   * Asks again for what was fetched. False: it is what it was. True: the new state was checked as a whole and has taken the
   * place of the old one; reads under way end on the old one. A rejection leaves the old one in force. Absent where
   * nothing was fetched, or what was fetched cannot change.
   */
  readonly revalidate?: Revalidate | undefined;
  /** The direct children of a folder: ignored names left out, withheld ones marked. */
  list(path: string): MaybePromise<SourceFolder>;
  /** The bytes of a file, checked after opening: what was opened lies where it may. */
  read(path: string, options?: ReadOptions): MaybePromise<SourceFile>;
  /** The stamp of a file without its bytes; throws as `read` does. */
  stat(
    path: string,
    options?: ReadOptions,
  ): MaybePromise<Omit<SourceFile, 'bytes'> & { readonly size: number }>;
  /**
   * A look at a file, to be taken again and again: it tells the stamp of what stands at its place, not opened and not
   * checked. Equal to that of a read, it says that the file is in the state that was read. Undefined where only a read can
   * tell. Absent where a look would cost the same.
   */
  looker?(path: string): (() => string | undefined) | undefined;
  /** Absent where a look does not tell that a tree is what it was. */
  readonly recall?: SourceRecall | undefined;
  /** What `read` and hashing would tell of a file, for less; throws as `read` does. Absent where it would cost the same. */
  facts?(path: string, options?: ReadOptions): MaybePromise<SourceFacts>;
  /**
   * What takes the facts of thousands of files while the caller lists and judges, or undefined when that is not possible
   * here. It tells what {@link Source.facts} would, or nothing.
   */
  ahead?(options?: AheadOptions): FactsAhead | undefined;
  /**
   * Whether a file, or a folder, at `path` would be ignored by the rules in force, whether or not there is one. Absent
   * where nothing is ignored, or where that cannot be told at once. @default directory: false
   */
  ignores?(path: string, directory?: boolean): boolean;
  /** Whether the folder with identity `id` is, or lies in, the folder with identity `ancestor`. */
  contains(ancestor: string, id: string): boolean;
  /** Frees everything; twice is fine. */
  close(): Promise<void>;
}
