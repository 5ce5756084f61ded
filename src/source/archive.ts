/**
 * A source over the files in an archive.
 *
 * @module
 */
import {
  type ArchiveCaps,
  type ArchiveFormat,
  type ArchiveReader,
  type OpenReaderOptions,
  openReaderSync,
} from '../archive/index.ts';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { MANIFEST_FILENAME } from '../uri/index.ts';
import { quote } from '../uri/quote.ts';
import { type ArchiveLayout, asStored, unwrapped } from './archive-layout.ts';
import { type ArchiveFile, type ArchiveFolder, type ArchiveNode, archiveTree } from './archive-tree.ts';
import { containsIdentity } from './identity.ts';
import { type IgnoreOptions, IgnoreRules } from './ignore.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import { whenThere } from './maybe-promise.ts';
import { isSafePath } from './safe-path.ts';
import { isMarkdownName } from './secret.ts';
import type { MaybePromise, ReadOptions, Source, SourceFile, SourceFolder, SourceNode } from './source.ts';
import { notFound, secretWithheld, shownPath, tooLarge, withheld } from './source-error.ts';

/** What every way to open an archive takes; the caps are those of unpacking. */
export interface ArchiveOptions extends ArchiveCaps, IgnoreOptions {
  /** @default by the name, then by the first bytes */
  readonly format?: ArchiveFormat;
  /** What messages call it. */
  readonly label?: string;
  /**
   * A link in the archive: `refuse` refuses the archive; `skill` refuses the skill it stands in, and serves the others.
   * None is ever followed. @default 'refuse'
   */
  readonly links?: 'refuse' | 'skill';
}

/** Options of {@link archiveSource}. */
export interface ArchiveSourceOptions extends ArchiveOptions {
  /** Take off the one folder that holds everything, if there is one. @default false */
  readonly stripWrapper?: boolean;
}

/** A source over an archive. One that cannot change has files without a stamp. */
export interface ArchiveSource extends Source {
  readonly format: ArchiveFormat;
  /** The folder of the archive whose content this is, when it is not all of it. */
  readonly wrapper?: string | undefined;
  /** The comment of a tar's global header; `git archive` and GitHub write the commit there. */
  readonly comment?: string | undefined;
  list(path: string): SourceFolder;
}

/**
 * Returns a source over an archive in memory (seed 000's `NewArchiveFS`), or over an open {@link ArchiveReader}, which it
 * then closes. Paths are those of the archive; a `SKILL.md` at its root stays there.
 *
 * Every entry is judged before anything can be read. A tar is unpacked here, at once, while nothing else runs: for a
 * large one use `openArchive`, which also takes bytes. A zip is unpacked file by file, at each read. The bytes are not
 * copied and must not change.
 *
 * Errors: those of `openReaderSync`, such as `ARCHIVE_PATH_TRAVERSAL`; from `list` and `read` those of every source,
 * `ARCHIVE_CORRUPT` (a file of a zip is damaged), and `ARCHIVE_CLOSED` after `close`.
 *
 * @example
 * const source = archiveSource(bytes, { format: 'zip' });
 * (await source.read('pdf/SKILL.md')).bytes
 */
export function archiveSource(
  archive: Uint8Array | ArchiveReader,
  options: ArchiveSourceOptions = {},
): ArchiveSource {
  const reader = archive instanceof Uint8Array ? openReaderSync(archive, readerOptions(options)) : archive;
  const layout = options.stripWrapper === true ? unwrapped(reader.entries()) : asStored(reader.entries());
  return createArchiveSource(reader, layout, options);
}

/** How an archive is to be read for a source with these options. */
export function readerOptions({ links, ...caps }: ArchiveOptions): OpenReaderOptions {
  return { ...caps, links: links === 'skill' ? 'list' : 'refuse' };
}

/** What {@link createArchiveSource} needs beside the archive. */
export interface CreateArchiveOptions extends IgnoreOptions {
  readonly label?: string;
  /** Shared by archives that take each other's place: folders keep their identity, and stamps tell the files apart. */
  readonly identity?: string;
  /** Called once, when the source is closed. */
  readonly release?: () => Promise<void>;
}

/** Returns the source over `reader` with its entries where `layout` puts them. */
export function createArchiveSource(
  reader: ArchiveReader,
  layout: ArchiveLayout,
  options: CreateArchiveOptions,
): ArchiveSource {
  return new ArchiveTreeSource(reader, layout, options);
}

const IS_LINK = 'is a link, and links in archives are not followed; replace it by what it leads to';

let count = 0;

class ArchiveTreeSource implements ArchiveSource {
  readonly label: string;
  readonly format: ArchiveFormat;
  readonly wrapper?: string;
  readonly comment?: string;
  readonly #id: string;
  readonly #stamp: { readonly stamp?: string };
  readonly #rules: IgnoreRules;
  /** Paths of links, by the folder of the skill they stand in. */
  readonly #links: Map<string, string[]> = new Map();
  readonly #release: (() => Promise<void>) | undefined;
  #root: ArchiveFolder | undefined;
  #reader: ArchiveReader;
  #closing: Promise<void> | undefined;

  constructor(reader: ArchiveReader, layout: ArchiveLayout, options: CreateArchiveOptions) {
    count += 1;
    this.#id = options.identity ?? `archive:${count}:`;
    this.#stamp = options.identity === undefined ? {} : { stamp: `archive:${count}` };
    this.label = options.label ?? 'archive';
    this.format = reader.format;
    if (layout.wrapper !== undefined) this.wrapper = layout.wrapper;
    if (reader.comment !== undefined) this.comment = reader.comment;
    this.#reader = reader;
    this.#release = options.release;
    const root = archiveTree(layout.entries);
    this.#root = root;
    for (const { path, kind } of layout.entries) if (kind === 'link') this.#noteLink(root, path);
    this.#rules = new IgnoreRules(options, (folder) => this.#ignoreFile(folder));
  }

  list(path: string): SourceFolder {
    const folder = this.#admit(path, true);
    if (folder.kind !== 'directory') throw notFound(path, 'is a file and no folder');
    this.#rules.learn(path, folder.children.get(IGNORE_FILE)?.kind === 'file');
    const nodes: SourceNode[] = [];
    for (const [name, child] of folder.sorted()) {
      const node = this.#node(path, name, child);
      if (node !== undefined) nodes.push(node);
    }
    return { id: `${this.#id}/${path}`, nodes };
  }

  read(path: string, options: ReadOptions = {}): MaybePromise<SourceFile> {
    const file = this.#file(path, options);
    if (file.privateKey === true) throw secretWithheld(path);
    return whenThere(this.#bytes(path, file), (bytes) => {
      if (this.#hides(path, file, bytes)) throw secretWithheld(path);
      // What the reader of a tar gives is the one copy there is.
      return { bytes: this.format === 'zip' ? bytes : Buffer.from(bytes), ...this.#stamp };
    });
  }

  stat(
    path: string,
    options: ReadOptions = {},
  ): MaybePromise<{ readonly size: number; readonly stamp?: string }> {
    const file = this.#file(path, options);
    const { size } = file;
    if (file.privateKey === undefined && !isMarkdownName(path)) {
      return whenThere(this.#bytes(path, file), (bytes) => {
        if (this.#hides(path, file, bytes)) throw secretWithheld(path);
        return { size, ...this.#stamp };
      });
    }
    if (file.privateKey === true) throw secretWithheld(path);
    return { size, ...this.#stamp };
  }

  ignores(path: string, directory: boolean = false): boolean {
    return this.#rules.judgePath(path, directory) === 'ignored';
  }

  contains(ancestor: string, id: string): boolean {
    return containsIdentity(ancestor, id);
  }

  close(): Promise<void> {
    this.#root = undefined;
    this.#closing ??= this.#reader.close().then(() => this.#release?.());
    return this.#closing;
  }

  #admit(path: string, directory: boolean): ArchiveNode {
    const root = this.#root;
    if (root === undefined) {
      throw new SkillError('ARCHIVE_CLOSED', `the source ${quote(this.label)} is closed; open it again`);
    }
    if (!isSafePath(path)) throw notFound(path);
    const verdict = this.#rules.judgePath(path, directory);
    if (verdict === 'ignored') throw notFound(path);
    const node = root.find(path);
    if (node === undefined) throw notFound(path);
    if (verdict === 'secret') throw secretWithheld(path);
    if (node.kind === 'link') throw linkError(path, `${shownPath(path)} ${IS_LINK}`);
    return node;
  }

  #file(path: string, options: ReadOptions): ArchiveFile {
    const file = this.#admit(path, false);
    if (file.kind !== 'file') throw notFound(path, 'is a folder and no file');
    if (options.within !== undefined && !containsIdentity(options.within, `${this.#id}/${path}`)) {
      throw linkError(path, `${shownPath(path)} lies outside the folder it has to lie in`);
    }
    const slash = path.lastIndexOf('/');
    if (path.slice(slash + 1) === MANIFEST_FILENAME) {
      const refused = this.#refusal(path.slice(0, Math.max(slash, 0)));
      if (refused !== undefined) throw linkError(path, `${shownPath(path)} ${refused}`);
    }
    if (options.maxBytes !== undefined && file.size > options.maxBytes) {
      throw tooLarge(path, file.size, options.maxBytes);
    }
    return file;
  }

  #bytes(path: string, file: ArchiveFile): MaybePromise<Buffer> {
    try {
      const bytes = this.#reader.read(file.stored);
      return bytes instanceof Promise
        ? bytes.catch((error: unknown) => {
            throw fileError(error, path);
          })
        : bytes;
    } catch (error) {
      throw fileError(error, path);
    }
  }

  #hides(path: string, file: ArchiveFile, bytes: Buffer): boolean {
    file.privateKey ??= this.#rules.hidesContent(path, bytes);
    return file.privateKey;
  }

  #node(folder: string, name: string, child: ArchiveNode): SourceNode | undefined {
    // A link at the root called SKILL.md makes no skill of the archive, as a folder of that name makes none.
    const makesNoSkill = child.kind === 'link' && folder === '' && name === MANIFEST_FILENAME;
    const kind = child.kind === 'directory' || makesNoSkill ? 'directory' : 'file';
    const verdict = this.#rules.judge(folder, name, child.kind === 'directory');
    if (verdict === 'ignored') return undefined;
    if (verdict === 'secret') return { name, kind, withheld: withheld('SECRET_WITHHELD') };
    if (child.kind === 'link') return { name, kind, withheld: withheld('LINK_REFUSED', IS_LINK) };
    if (child.kind === 'file' && name === MANIFEST_FILENAME) {
      const refused = this.#refusal(folder);
      if (refused !== undefined) return { name, kind, withheld: withheld('LINK_REFUSED', refused) };
    }
    return { name, kind };
  }

  /** Why the skill in `folder` is refused; undefined when no link that is not ignored stands in it. */
  #refusal(folder: string): string | undefined {
    const link = this.#links.get(folder)?.find((path) => this.#rules.judgePath(path, false) !== 'ignored');
    if (link === undefined) return undefined;
    return `belongs to a skill with the link ${quote(link)}, which is not followed; replace the link by what it leads to`;
  }

  #noteLink(root: ArchiveFolder, path: string): void {
    const segments = path.split('/').slice(0, -1);
    for (; ; segments.pop()) {
      const folder = segments.join('/');
      const node = root.find(folder);
      if (node?.kind === 'directory' && node.children.get(MANIFEST_FILENAME)?.kind === 'file') {
        const links = this.#links.get(folder);
        if (links === undefined) this.#links.set(folder, [path]);
        else links.push(path);
        return;
      }
      if (folder === '') return;
    }
  }

  #ignoreFile(folder: string): string | undefined {
    const path = folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
    const file = this.#root?.find(path);
    if (file?.kind !== 'file') return undefined;
    if (file.size > LIMITS.ignoreFileBytes) throw tooLarge(path, file.size, LIMITS.ignoreFileBytes);
    const bytes = this.#bytes(path, file);
    if (bytes instanceof Promise) throw new SkillError('INTERNAL', 'a short file was not read at once');
    return bytes.toString('utf8');
  }
}

/** What went wrong within an archive, with the file that it concerns. */
function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof SkillError) || error.code === 'ARCHIVE_CLOSED') return error;
  return new SkillError(error.code, `${shownPath(path)} cannot be read: ${error.message}`, {
    details: { ...error.details, path },
    cause: error,
  });
}

function linkError(path: string, message: string): SkillError {
  return new SkillError('LINK_ESCAPES', message, { details: { path } });
}
