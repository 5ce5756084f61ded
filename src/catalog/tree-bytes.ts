/**
 * A tree as bytes: its folders in order, each with its files, numbers and texts apart.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

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
  /** Empty for the root. */
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

/** A file of rules that decides what is seen in a folder and below. */
export interface RulesRecord {
  readonly folder: string;
  /** Empty where it has to be looked at anew. */
  readonly stamp: string;
}

/** Between texts: none of them can hold it. */
const BETWEEN = '\0';
const DIGEST_BYTES = 32;
const PREFIX_BYTES = 20;
const NUMBERS_OF_FOLDER = 3;

const LINKS = 1;
const TOO_LARGE = 2;
const HEAD = 4;

/** Puts the records of a tree together. */
export class TreeWriter {
  readonly #texts: string[] = [];
  readonly #heads: unknown[] = [];
  readonly #folders: number[] = [];
  readonly #sizes: number[] = [];
  readonly #modified: number[] = [];
  readonly #kinds: number[] = [];
  readonly #digests: string[] = [];

  add({ name, stamp, links, tooLarge, head, folders, files }: FolderRecord): void {
    const flags = (links ? LINKS : 0) | (tooLarge ? TOO_LARGE : 0) | (head === undefined ? 0 : HEAD);
    this.#folders.push(flags, folders, files.length);
    this.#texts.push(name, stamp);
    if (head !== undefined) this.#heads.push(head);
    for (const file of files) {
      this.#texts.push(file.name, file.stamp);
      this.#sizes.push(file.size);
      this.#modified.push(file.modifiedAt);
      this.#kinds.push(file.text ? 1 : 0);
      this.#digests.push(file.digest);
    }
  }

  /** The bytes of all that was added, and of the rules. */
  bytes(rules: readonly RulesRecord[]): Buffer {
    const texts = Buffer.from(
      [...rules.flatMap(({ folder, stamp }) => [folder, stamp]), ...this.#texts].join(BETWEEN),
    );
    const heads = Buffer.from(JSON.stringify(this.#heads));
    const files = this.#sizes.length;
    const folders = this.#folders.length / NUMBERS_OF_FOLDER;
    const prefix = Buffer.alloc(PREFIX_BYTES);
    for (const [at, value] of [folders, files, rules.length, heads.length, texts.length].entries()) {
      prefix.writeUInt32LE(value, at * 4);
    }
    const numbers = Buffer.alloc(folders * NUMBERS_OF_FOLDER * 4 + files * 17);
    let at = 0;
    for (const value of this.#folders) at = numbers.writeUInt32LE(value, at);
    for (const value of this.#sizes) at = numbers.writeDoubleLE(value, at);
    for (const value of this.#modified) at = numbers.writeDoubleLE(value, at);
    for (const value of this.#kinds) at = numbers.writeUInt8(value, at);
    return Buffer.concat([prefix, numbers, Buffer.from(this.#digests.join(''), 'latin1'), heads, texts]);
  }
}

/**
 * Gives back, in order, what a {@link TreeWriter} was given. Whoever stores the bytes sees to it that they are whole; bytes of
 * another form make it throw `INTERNAL` or what parsing throws.
 */
export class TreeReader {
  readonly rules: readonly RulesRecord[];
  readonly folders: number;
  readonly #bytes: Buffer;
  readonly #texts: readonly string[];
  readonly #heads: readonly unknown[];
  readonly #sizes: number;
  readonly #modified: number;
  readonly #kinds: number;
  readonly #digests: number;
  #text: number;
  #head = 0;
  #folder = 0;
  #file = 0;

  constructor(given: Uint8Array) {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    const [folders, files, rules, heads, texts] = [0, 4, 8, 12, 16].map((at) => bytes.readUInt32LE(at)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    this.#sizes = PREFIX_BYTES + folders * NUMBERS_OF_FOLDER * 4;
    this.#modified = this.#sizes + files * 8;
    this.#kinds = this.#modified + files * 8;
    this.#digests = this.#kinds + files;
    const begin = this.#digests + files * DIGEST_BYTES;
    if (begin + heads + texts !== bytes.length) throw malformed();
    this.#bytes = bytes;
    this.#heads = JSON.parse(bytes.toString('utf8', begin, begin + heads)) as unknown[];
    this.#texts = bytes.toString('utf8', begin + heads).split(BETWEEN);
    if (this.#texts.length !== 2 * (rules + folders + files)) throw malformed();
    this.folders = folders;
    this.rules = Array.from({ length: rules }, (_, at) => ({
      folder: this.#textAt(2 * at),
      stamp: this.#textAt(2 * at + 1),
    }));
    this.#text = 2 * rules;
  }

  /** The next folder. */
  next(): FolderRecord {
    if (this.#folder >= this.folders) throw malformed();
    const at = PREFIX_BYTES + this.#folder * NUMBERS_OF_FOLDER * 4;
    this.#folder += 1;
    const flags = this.#bytes.readUInt32LE(at);
    const name = this.#takeText();
    const stamp = this.#takeText();
    const files: FileRecord[] = [];
    for (let left = this.#bytes.readUInt32LE(at + 8); left > 0; left -= 1) files.push(this.#takeFile());
    return {
      name,
      stamp,
      links: (flags & LINKS) !== 0,
      tooLarge: (flags & TOO_LARGE) !== 0,
      head: (flags & HEAD) === 0 ? undefined : this.#heads[this.#head++],
      folders: this.#bytes.readUInt32LE(at + 4),
      files,
    };
  }

  #takeFile(): FileRecord {
    const at = this.#file;
    this.#file += 1;
    const digest = this.#digests + at * DIGEST_BYTES;
    return {
      name: this.#takeText(),
      stamp: this.#takeText(),
      size: this.#bytes.readDoubleLE(this.#sizes + at * 8),
      modifiedAt: this.#bytes.readDoubleLE(this.#modified + at * 8),
      text: this.#bytes[this.#kinds + at] === 1,
      digest: this.#bytes.toString('latin1', digest, digest + DIGEST_BYTES),
    };
  }

  #takeText(): string {
    const text = this.#textAt(this.#text);
    this.#text += 1;
    return text;
  }

  #textAt(at: number): string {
    const text = this.#texts[at];
    if (text === undefined) throw malformed();
    return text;
  }
}

/** Returns what is thrown for bytes that are not those of a tree; whoever keeps them does without them then. */
export function malformed(): SkillError {
  return new SkillError('INTERNAL', 'these are not the bytes of a tree');
}
