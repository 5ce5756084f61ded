/**
 * A source over a folder of this machine.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { CheckedOpener, type CheckedOpenerOptions } from './checked-open.ts';
import { startFactsThread, threadProgram } from './facts-thread.ts';
import { FactsTaker } from './file-facts.ts';
import { CHANGED, modifiedAtOf, readWhole, stampLooker, stampOf } from './file-read.ts';
import { FolderNodes, IGNORED_LINK } from './folder-nodes.ts';
import { startRecall } from './folder-recall.ts';
import { type HostFs, hostFs } from './host-fs.ts';
import { containsIdentity } from './identity.ts';
import { type IgnoreOptions, IgnoreRules } from './ignore.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import { identityOf, type LinkPolicy, LinkRoots, type Root } from './link-roots.ts';
import { type OpenFile, RealFiles } from './real-files.ts';
import { realFolder, sourceError } from './real-folder.ts';
import { isSafePath, isSafeSegment } from './safe-path.ts';
import { isMarkdownName } from './secret.ts';
import type {
  AheadOptions,
  FactsAhead,
  FactsFolder,
  HostRoot,
  ReadOptions,
  Source,
  SourceFacts,
  SourceFile,
  SourceFolder,
  SourceNode,
  SourceRecall,
} from './source.ts';
import {
  errnoOf,
  fromSystem,
  notFound,
  secretWithheld,
  shownPath,
  tooLarge,
  withheld,
} from './source-error.ts';

/** Options of {@link directorySource}. */
export interface DirectoryOptions extends IgnoreOptions {
  /** Where links may lead; outside the folder and `linkRoots`, never. @default 'contained' */
  readonly symlinks?: LinkPolicy;
  /** Further folders that links may lead into. @default none */
  readonly linkRoots?: readonly string[];
  /** What the folder and `linkRoots` are relative to. @default the working folder of the process */
  readonly cwd?: string;
}

/** How {@link createDirectorySource} looks at the file system; absent fields are found out. */
export interface DirectoryHost extends CheckedOpenerOptions {
  readonly fs?: HostFs;
  /** The volume may find a file under another spelling of its name. */
  readonly foldsNames?: boolean;
  /** What takes facts of many files on another thread. */
  readonly program?: URL;
}

/** A source over a folder; it answers at once. */
export interface DirectorySource extends Source {
  readonly hostRoot: string;
  readonly hostRoots: readonly HostRoot[];
  list(path: string): SourceFolder;
  read(path: string, options?: ReadOptions): SourceFile;
  stat(path: string, options?: ReadOptions): Omit<SourceFile, 'bytes'> & { readonly size: number };
  looker(path: string): () => string | undefined;
  facts(path: string, options?: ReadOptions): SourceFacts;
  ahead(options?: AheadOptions): FactsAhead | undefined;
}

/**
 * Returns a source over the folder at `folder`, which may itself be a link; it is resolved once.
 *
 * Nothing outside that folder and `linkRoots` is ever readable, whatever a link says and whenever it is put in place:
 * a file is opened first and then checked (threat T7d). The rules of `.skillignore` files are those in force when their
 * folder was last listed. Identities are real paths, so two sources over one folder agree on them.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`, each naming the text that was given.
 *
 * @example
 * const source = directorySource('./skills');
 * source.read('pdf/SKILL.md').bytes
 */
export function directorySource(folder: string, options: DirectoryOptions = {}): DirectorySource {
  return createDirectorySource(folder, options, {});
}

/** {@link directorySource} over another file system, or with another way to check what was opened. */
export function createDirectorySource(
  folder: string,
  options: DirectoryOptions,
  host: DirectoryHost,
): DirectorySource {
  return new FolderSource(folder, options, host);
}

interface Tree extends Root {
  readonly links: LinkRoots;
  readonly files: RealFiles;
}

const LEAVES_FOLDER =
  'leads out of the skill it stands in; copy what it leads to into the skill, or serve with --symlinks follow';

class FolderSource implements DirectorySource {
  readonly label: string;
  readonly hostRoot: string;
  readonly hostRoots: readonly HostRoot[];
  readonly recall: SourceRecall | undefined;
  readonly #fs: HostFs;
  readonly #rules: IgnoreRules;
  readonly #links: LinkRoots;
  readonly #files: RealFiles;
  readonly #anywhere: boolean;
  readonly #opener: CheckedOpener;
  readonly #policy: LinkPolicy;
  readonly #foldsNames: boolean;
  readonly #host: DirectoryHost;
  readonly #taker: FactsTaker;
  readonly #nodes: FolderNodes;

  constructor(folder: string, options: DirectoryOptions, host: DirectoryHost) {
    const fs = host.fs ?? hostFs;
    this.label = folder;
    this.#fs = fs;
    this.#host = host;
    this.#taker = new FactsTaker(fs);
    this.hostRoot = realFolder(fs, folder, options.cwd);
    this.hostRoots = [{ path: '', folder: this.hostRoot }];
    this.#anywhere = options.symlinks === 'follow';
    this.#opener = new CheckedOpener(fs, this.hostRoot, host);
    this.#policy = options.symlinks ?? 'contained';
    this.#foldsNames = host.foldsNames ?? process.platform !== 'linux';
    const linkRoots = (options.linkRoots ?? []).map((text) =>
      this.#tree(realFolder(fs, text, options.cwd), options, []),
    );
    const tree = this.#tree(this.hostRoot, options, linkRoots);
    this.#rules = tree.rules;
    this.#links = tree.links;
    this.#files = tree.files;
    this.#nodes = new FolderNodes(tree.rules, tree.links, this.#anywhere);
    // Another file system may keep no times of folders.
    if (fs === hostFs) {
      const { program = threadProgram() } = host;
      this.recall = startRecall(this.hostRoot, { ...tree, options, linkRoots, program });
    }
  }

  list(path: string): SourceFolder {
    this.#admit(path, true);
    try {
      const { real, entries, undecodable } = this.#files.readFolder(path);
      this.#rules.learn(
        path,
        entries.some((entry) => entry.name === IGNORE_FILE),
      );
      const nodes: SourceNode[] = [];
      let hidesLinks = false;
      for (const entry of entries) {
        const node = this.#nodes.of(path, real, entry);
        if (node === IGNORED_LINK) hidesLinks = true;
        else if (node !== undefined) nodes.push(node);
      }
      for (const name of undecodable) {
        nodes.push({ name, kind: 'file', withheld: withheld('UNADDRESSABLE_NAME') });
      }
      nodes.sort((a, b) => compareCodePoints(a.name, b.name));
      return hidesLinks ? { id: identityOf(real), nodes, hidesLinks } : { id: identityOf(real), nodes };
    } catch (error) {
      throw path === '' ? sourceError(error, this.label) : folderError(error, path);
    }
  }

  read(path: string, options: ReadOptions = {}): SourceFile {
    this.#admit(path, false);
    return this.#files.withFile(path, (file) => {
      this.#check(path, file, options);
      const bytes = readWhole(this.#fs, file.fd, file.stats);
      if (bytes === CHANGED) return CHANGED;
      this.#checkContent(path, file, () => bytes);
      return { bytes, stamp: stampOf(file.stats), modifiedAt: modifiedAtOf(file.stats) };
    });
  }

  stat(path: string, options: ReadOptions = {}): Omit<SourceFile, 'bytes'> & { readonly size: number } {
    this.#admit(path, false);
    return this.#files.withFile(path, (file) => {
      this.#check(path, file, options);
      this.#checkContent(path, file, () => this.#taker.head(file.fd));
      const { stats } = file;
      return { size: Number(stats.size), stamp: stampOf(stats), modifiedAt: modifiedAtOf(stats) };
    });
  }

  looker(path: string): () => string | undefined {
    return stampLooker(this.#fs, this.#links.expected(path));
  }

  facts(path: string, options: ReadOptions = {}): SourceFacts {
    this.#admit(path, false);
    return this.#files.withFile(path, (file) => {
      this.#check(path, file, options);
      return this.#taker.take(file.fd, file.stats, (head) => this.#checkContent(path, file, () => head));
    });
  }

  ahead(options: AheadOptions = {}): FactsAhead | undefined {
    const { fs = hostFs, program = threadProgram(), procFd } = this.#host;
    // Another file system cannot be handed to a thread.
    if (fs !== hostFs || program === undefined) return undefined;
    return startFactsThread({
      ...options,
      ...(procFd === undefined ? {} : { procFd }),
      root: this.hostRoot,
      program,
      admits: (folder) => this.#plainIn(folder),
    });
  }

  ignores(path: string, directory: boolean = false): boolean {
    return this.#rules.judgePath(path, directory) === 'ignored';
  }

  contains(ancestor: string, id: string): boolean {
    return containsIdentity(ancestor, id);
  }

  async close(): Promise<void> {}

  /** Rules need files and links to read `.skillignore`, and these need the rules to judge where links lead. */
  #tree(real: string, options: DirectoryOptions, linkRoots: readonly Root[]): Tree {
    const rules = new IgnoreRules(options, (folder) => files.ignoreFile(folder));
    const links = new LinkRoots(this.#fs, this.#policy, { real, rules }, linkRoots, this.#foldsNames);
    const files = new RealFiles(this.#fs, this.#opener, links);
    return { real, rules, links, files };
  }

  /** Throws unless the path is one, and neither ignored nor withheld. */
  #admit(path: string, directory: boolean): void {
    if (!isPathHere(path)) throw notFound(path);
    const verdict = this.#rules.judgePath(path, directory);
    if (verdict === 'ignored') throw notFound(path);
    if (verdict === 'secret') throw secretWithheld(path);
  }

  /** Which names are those of files that are admitted and lie where they have to, if nothing on the way is a link. */
  #plainIn({ path, within }: FactsFolder): (name: string) => boolean {
    const real = identityOf(this.#links.expected(path));
    if (!isPathHere(path) || !(this.#anywhere || containsIdentity(within, real))) return () => false;
    return (name) =>
      isSafeSegment(name) && isPathHere(name) && this.#rules.judge(path, name, false) === 'served';
  }

  #check(path: string, file: OpenFile, options: ReadOptions): void {
    if (options.within !== undefined && !this.#anywhere) {
      if (!containsIdentity(options.within, identityOf(file.real))) {
        throw new SkillError('LINK_ESCAPES', `${shownPath(path)} ${LEAVES_FOLDER}`, { details: { path } });
      }
    }
    const size = Number(file.stats.size);
    if (options.maxBytes !== undefined && size > options.maxBytes)
      throw tooLarge(path, size, options.maxBytes);
  }

  #checkContent(path: string, file: OpenFile, head: () => Buffer): void {
    if (file.direct) {
      if (!isMarkdownName(path) && this.#rules.hidesContent(path, head())) throw secretWithheld(path);
      return;
    }
    const target = this.#links.rulesAt(file.real);
    const bytes = head();
    if (this.#rules.hidesContent(path, bytes) || target?.rules.hidesContent(target.path, bytes)) {
      throw secretWithheld(path);
    }
  }
}

function isPathHere(path: string): boolean {
  // On Windows a colon names a stream of a file, which no listing shows.
  return isSafePath(path) && !(process.platform === 'win32' && path.includes(':'));
}

function folderError(error: unknown, path: string): SkillError {
  return errnoOf(error) === 'ENOTDIR' ? notFound(path, 'is a file and no folder') : fromSystem(error, path);
}
