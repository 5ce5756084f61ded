/**
 * A tree as bytes: its folders in order, each with its files; numbers, digests, heads, and names with stamps apart.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { GrowingBytes } from '../source/growing-bytes.ts';
import { KeptLooks, KeptLooksWriter } from '../source/kept-looks.ts';

/** One file, whose digest is certain under its stamp. */
export interface FileRecord {
  readonly name: string;
  readonly size: number;
  /** 32 bytes, one character each. */
  readonly digest: string;
  readonly text: boolean;
  readonly stamp: string;
  readonly modifiedAt: number;
}

/** One folder; its own folders follow it. */
export interface FolderRecord {
  /** Of the root, its identity. */
  readonly name: string;
  /** Empty where its names have to be listed anew. */
  readonly stamp: string;
  readonly links: boolean;
  readonly tooLarge: boolean;
  /** What its `SKILL.md` says, as JSON allows it. */
  readonly head: unknown;
  readonly folders: number;
  readonly files: readonly FileRecord[];
}

/** A folder as it is given back. */
export interface FolderHead extends Pick<FolderRecord, 'links' | 'tooLarge' | 'head' | 'folders'> {
  /** Its own name, then those of its files. */
  readonly names: readonly string[];
  /** By the same places. */
  readonly stamps: readonly string[];
  /** The number of its first file in the tree. */
  readonly first: number;
}

/** A file of rules that decides what is seen in a folder and below. */
export interface RulesRecord {
  readonly folder: string;
  /** Empty where it has to be looked at anew. */
  readonly stamp: string;
}

const DIGEST_BYTES = 32;
const PREFIX_BYTES = 16;
const NUMBERS_OF_FOLDER = 2;

const LINKS = 1;
const TOO_LARGE = 2;
const HEAD = 4;

/** Puts the records of a tree together. */
export class TreeWriter {
  readonly #looks: KeptLooksWriter = new KeptLooksWriter();
  readonly #open: { readonly at: number; left: number }[] = [];
  readonly #heads: GrowingBytes = new GrowingBytes();
  readonly #numbers: GrowingBytes = new GrowingBytes();
  readonly #sizes: GrowingBytes = new GrowingBytes();
  readonly #modified: GrowingBytes = new GrowingBytes();
  readonly #kinds: GrowingBytes = new GrowingBytes();
  readonly #digests: GrowingBytes = new GrowingBytes();
  #folders = 0;
  #files = 0;

  add({ name, stamp, links, tooLarge, head, folders, files }: FolderRecord): void {
    const flags = (links ? LINKS : 0) | (tooLarge ? TOO_LARGE : 0) | (head === undefined ? 0 : HEAD);
    this.#looks.add(
      this.#above(folders),
      [name, ...files.map((file) => file.name)],
      [stamp, ...files.map((file) => file.stamp)],
    );
    this.#folders += 1;
    this.#files += files.length;
    this.#numbers.addUint32(flags);
    this.#numbers.addUint32(folders);
    if (head !== undefined) {
      this.#heads.addText(`${this.#heads.length === 0 ? '[' : ','}${JSON.stringify(head)}`, 'utf8');
    }
    for (const file of files) {
      this.#sizes.addDouble(file.size);
      this.#modified.addDouble(file.modifiedAt);
      this.#kinds.addByte(file.text ? 1 : 0);
      this.#digests.addText(file.digest, 'latin1');
    }
  }

  /** The bytes of all that was added, and of the rules; nothing can be added any more. */
  bytes(rules: readonly RulesRecord[]): Buffer {
    const ruled = Buffer.from(JSON.stringify(rules.map(({ folder, stamp }) => [folder, stamp])));
    const heads = this.#heads;
    heads.addText(heads.length === 0 ? '[]' : ']', 'utf8');
    const prefix = Buffer.alloc(PREFIX_BYTES);
    for (const [at, value] of [this.#folders, this.#files, ruled.length, heads.length].entries()) {
      prefix.writeUInt32LE(value, at * 4);
    }
    const columns = [this.#numbers, this.#sizes, this.#modified, this.#kinds, this.#digests];
    return Buffer.concat([
      prefix,
      ...columns.flatMap((column) => column.pieces()),
      ruled,
      ...heads.pieces(),
      ...this.#looks.pieces(),
    ]);
  }

  /** The number of the folder that the next one stands in, which itself has `folders` of its own. */
  #above(folders: number): number {
    const at = this.#folders;
    while (this.#open.at(-1)?.left === 0) this.#open.pop();
    const top = this.#open.at(-1);
    if (top !== undefined) top.left -= 1;
    this.#open.push({ at, left: folders });
    return top?.at ?? 0;
  }
}

/**
 * Gives back, in order, what a {@link TreeWriter} was given. Whoever stores the bytes sees to it that they are whole; bytes of
 * another form make it throw `INTERNAL` or what parsing throws.
 */
export class TreeReader {
  readonly rules: readonly RulesRecord[];
  readonly folders: number;
  readonly files: number;
  /** Names and stamps, for whoever looks. */
  readonly looks: KeptLooks;
  readonly #bytes: Buffer;
  readonly #heads: readonly unknown[];
  readonly #sizes: number;
  readonly #modified: number;
  readonly #kinds: number;
  readonly #digests: number;
  #head = 0;
  #folder = 0;
  #file = 0;

  constructor(given: Uint8Array) {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    const [folders, files, rules, heads] = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)) as [
      number,
      number,
      number,
      number,
    ];
    this.#sizes = PREFIX_BYTES + folders * NUMBERS_OF_FOLDER * 4;
    this.#modified = this.#sizes + files * 8;
    this.#kinds = this.#modified + files * 8;
    this.#digests = this.#kinds + files;
    const ruled = this.#digests + files * DIGEST_BYTES;
    const begin = ruled + rules;
    if (begin + heads > bytes.length) throw malformed();
    this.#bytes = bytes;
    this.rules = (JSON.parse(bytes.toString('utf8', ruled, begin)) as [string, string][]).map(
      ([folder, stamp]) => ({ folder, stamp }),
    );
    this.#heads = JSON.parse(bytes.toString('utf8', begin, begin + heads)) as unknown[];
    this.looks = new KeptLooks(bytes.subarray(begin + heads));
    if (this.looks.folders !== folders) throw malformed();
    this.folders = folders;
    this.files = files;
  }

  /** The next folder; {@link TreeReader.file} gives its files. */
  next(): FolderHead {
    const folder = this.#folder;
    if (folder >= this.folders) throw malformed();
    this.#folder += 1;
    const at = PREFIX_BYTES + folder * NUMBERS_OF_FOLDER * 4;
    const flags = this.#bytes.readUInt32LE(at);
    const names = this.looks.names(folder);
    const stamps = this.looks.stamps(folder);
    const first = this.#file;
    this.#file += names.length - 1;
    if (stamps.length !== names.length || this.#file > this.files) throw malformed();
    return {
      names,
      stamps,
      first,
      links: (flags & LINKS) !== 0,
      tooLarge: (flags & TOO_LARGE) !== 0,
      head: (flags & HEAD) === 0 ? undefined : this.#heads[this.#head++],
      folders: this.#bytes.readUInt32LE(at + 4),
    };
  }

  /** File `index` of a folder; its first one is 1. */
  file({ names, stamps, first }: FolderHead, index: number): FileRecord {
    const at = first + index - 1;
    const digest = this.#digests + at * DIGEST_BYTES;
    return {
      name: names[index] ?? '',
      stamp: stamps[index] ?? '',
      size: this.#bytes.readDoubleLE(this.#sizes + at * 8),
      modifiedAt: this.#bytes.readDoubleLE(this.#modified + at * 8),
      text: this.#bytes[this.#kinds + at] === 1,
      digest: this.#bytes.toString('latin1', digest, digest + DIGEST_BYTES),
    };
  }
}

/** Returns what is thrown for bytes that are not those of a tree; whoever keeps them does without them then. */
export function malformed(): SkillError {
  return new SkillError('INTERNAL', 'these are not the bytes of a tree');
}
