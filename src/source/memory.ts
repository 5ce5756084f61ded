/**
 * A source over files in memory.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { containsIdentity } from './identity.ts';
import { type IgnoreOptions, IgnoreRules } from './ignore.ts';
import { IGNORE_FILE } from './ignore-file.ts';
import {
  type DynamicContent,
  findIn,
  folderIn,
  type MemoryFile,
  MemoryFolder,
  putIn,
  removeIn,
} from './memory-tree.ts';
import { assertSafePath, isSafePath } from './safe-path.ts';
import type { MaybePromise, ReadOptions, Source, SourceFile, SourceFolder, SourceNode } from './source.ts';
import { notFound, secretWithheld, shownPath, tooLarge, withheld } from './source-error.ts';

/** Text (as UTF-8), bytes, or a function that makes either anew at each read (a `"dynamic"` skill). */
export type MemoryContent = string | Uint8Array | DynamicContent;

/** Options of {@link memorySource}. */
export interface MemoryOptions extends IgnoreOptions {
  /** What messages call it. @default 'memory' */
  readonly label?: string;
  /** Last modification of every file given, ms since 1970. @default unknown */
  readonly modifiedAt?: number;
}

/** A source over files in memory, which can be changed. It answers at once but for a function that returns a promise. */
export interface MemorySource extends Source {
  list(path: string): SourceFolder;
  /**
   * Puts a file at a path, in place of one that stands there, with a new stamp.
   *
   * Errors: `PATH_TRAVERSAL`, `EMPTY_PATH_SEGMENT`, `INVALID_SEGMENT`; `TARGET_EXISTS` where a folder stands there or a
   * file stands above.
   */
  set(path: string, content: MemoryContent, options?: { readonly modifiedAt?: number }): void;
  /** Makes an empty folder. Errors: as {@link MemorySource.set}. */
  addFolder(path: string): void;
  /** Takes a file, or a folder with all in it, away. Errors: `FILE_NOT_FOUND`. */
  delete(path: string): void;
  /** Moves a file or a folder; stamps stay. Errors: `FILE_NOT_FOUND`, and as {@link MemorySource.set}. */
  rename(from: string, to: string): void;
}

let count = 0;

/**
 * Returns a source over `files`, by path; a key that ends with a slash is an empty folder. Content is copied.
 *
 * Errors: those of {@link MemorySource.set}.
 *
 * @example
 * const source = memorySource({ 'pdf/SKILL.md': '---\nname: pdf\ndescription: Fill forms\n---\n', 'pdf/out/': '' });
 */
export function memorySource(
  files: Readonly<Record<string, MemoryContent>>,
  options: MemoryOptions = {},
): MemorySource {
  const source = new MemoryTreeSource(options);
  const settings = options.modifiedAt === undefined ? {} : { modifiedAt: options.modifiedAt };
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) source.addFolder(path.slice(0, -1));
    else source.set(path, content, settings);
  }
  return source;
}

class MemoryTreeSource implements MemorySource {
  readonly label: string;
  readonly #root: MemoryFolder = new MemoryFolder();
  readonly #rules: IgnoreRules;
  readonly #id: string;
  #version = 0;

  constructor(options: MemoryOptions) {
    count += 1;
    this.#id = `memory:${count}:`;
    this.label = options.label ?? 'memory';
    this.#rules = new IgnoreRules(options, (folder) => this.#ignoreFile(folder));
  }

  set(path: string, content: MemoryContent, options: { readonly modifiedAt?: number } = {}): void {
    this.#version += 1;
    putIn(this.#root, path, {
      content: typeof content === 'function' ? content : copyOf(content),
      stamp: String(this.#version),
      ...(options.modifiedAt === undefined ? {} : { modifiedAt: options.modifiedAt }),
    });
  }

  addFolder(path: string): void {
    assertSafePath(path);
    folderIn(this.#root, path);
  }

  delete(path: string): void {
    removeIn(this.#root, path);
  }

  rename(from: string, to: string): void {
    assertSafePath(to);
    const node = findIn(this.#root, from);
    if (node === undefined || from === '') throw notFound(from);
    if (to === from) return;
    if (to.startsWith(`${from}/`)) {
      throw new SkillError('TARGET_EXISTS', `${shownPath(from)} cannot be moved into itself`, {
        details: { path: to },
      });
    }
    putIn(this.#root, to, node);
    removeIn(this.#root, from);
  }

  list(path: string): SourceFolder {
    const folder = this.#admit(path, true);
    if (!(folder instanceof MemoryFolder)) throw notFound(path, 'is a file and no folder');
    this.#rules.learn(path, folder.children.has(IGNORE_FILE));
    const nodes: SourceNode[] = [];
    for (const [name, child] of folder.sorted()) {
      const kind = child instanceof MemoryFolder ? 'directory' : 'file';
      const verdict = this.#rules.judge(path, name, kind === 'directory');
      if (verdict === 'ignored') continue;
      if (verdict === 'secret') nodes.push({ name, kind, withheld: withheld('SECRET_WITHHELD') });
      else if (isDynamic(child)) nodes.push({ name, kind, dynamic: true });
      else nodes.push({ name, kind });
    }
    return { id: `${this.#id}/${path}`, nodes };
  }

  read(path: string, options: ReadOptions = {}): MaybePromise<SourceFile> {
    const file = this.#file(path, options);
    const { content } = file;
    if (typeof content !== 'function') return this.#checked(path, file, content, options);
    const made = callFor(path, content);
    return made instanceof Promise
      ? made.then((bytes) => this.#checked(path, file, bytes, options))
      : this.#checked(path, file, made, options);
  }

  stat(
    path: string,
    options: ReadOptions = {},
  ): MaybePromise<Omit<SourceFile, 'bytes'> & { readonly size: number }> {
    const read = this.read(path, options);
    return read instanceof Promise ? read.then(withoutBytes) : withoutBytes(read);
  }

  contains(ancestor: string, id: string): boolean {
    return containsIdentity(ancestor, id);
  }

  async close(): Promise<void> {}

  #admit(path: string, directory: boolean): MemoryFile | MemoryFolder {
    if (!isSafePath(path)) throw notFound(path);
    const verdict = this.#rules.judgePath(path, directory);
    if (verdict === 'ignored') throw notFound(path);
    const node = findIn(this.#root, path);
    if (node === undefined) throw notFound(path);
    if (verdict === 'secret') throw secretWithheld(path);
    return node;
  }

  #file(path: string, options: ReadOptions): MemoryFile {
    const file = this.#admit(path, false);
    if (file instanceof MemoryFolder) throw notFound(path, 'is a folder and no file');
    if (options.within !== undefined && !containsIdentity(options.within, `${this.#id}/${path}`)) {
      throw new SkillError('LINK_ESCAPES', `${shownPath(path)} lies outside the folder it has to lie in`, {
        details: { path },
      });
    }
    return file;
  }

  #checked(path: string, file: MemoryFile, bytes: Buffer, options: ReadOptions): SourceFile {
    if (options.maxBytes !== undefined && bytes.length > options.maxBytes) {
      throw tooLarge(path, bytes.length, options.maxBytes);
    }
    if (this.#rules.hidesContent(path, bytes)) throw secretWithheld(path);
    if (typeof file.content === 'function') this.#version += 1;
    return {
      // A reader that changes what it got must not change what the next one gets.
      bytes: bytes === file.content ? Buffer.from(bytes) : bytes,
      stamp: typeof file.content === 'function' ? String(this.#version) : file.stamp,
      ...(file.modifiedAt === undefined ? {} : { modifiedAt: file.modifiedAt }),
    };
  }

  #ignoreFile(folder: string): string | undefined {
    const path = folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
    const file = findIn(this.#root, path);
    if (file === undefined || file instanceof MemoryFolder) return undefined;
    if (typeof file.content !== 'function') return file.content.toString('utf8');
    throw new SkillError(
      'FILE_UNREADABLE',
      `${shownPath(path)} is made by a function; rules have to be fixed`,
      {
        details: { path },
      },
    );
  }
}

function isDynamic(node: MemoryFile | MemoryFolder): boolean {
  return !(node instanceof MemoryFolder) && typeof node.content === 'function';
}

function withoutBytes(file: SourceFile): Omit<SourceFile, 'bytes'> & { readonly size: number } {
  const { bytes, ...rest } = file;
  return { ...rest, size: bytes.length };
}

function copyOf(content: string | Uint8Array): Buffer {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content);
}

function callFor(path: string, make: DynamicContent): Buffer | Promise<Buffer> {
  try {
    const made = make();
    if (!(made instanceof Promise)) return contentOf(path, made);
    return made.then(
      (content) => contentOf(path, content),
      (cause: unknown) => Promise.reject(failed(path, cause)),
    );
  } catch (cause) {
    throw failed(path, cause);
  }
}

/** A program without types may return anything. */
function contentOf(path: string, made: unknown): Buffer {
  if (typeof made === 'string' || made instanceof Uint8Array) return copyOf(made);
  throw new SkillError(
    'FILE_UNREADABLE',
    `the function for ${shownPath(path)} returned neither text nor bytes`,
    {
      details: { path },
    },
  );
}

function failed(path: string, cause: unknown): SkillError {
  if (cause instanceof SkillError) return cause;
  return new SkillError('FILE_UNREADABLE', `the function for ${shownPath(path)} failed`, {
    details: { path },
    cause,
  });
}
