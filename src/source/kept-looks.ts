/**
 * What looks at a tree found, as bytes that are read from any folder on, by every thread.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** Between texts: neither names nor stamps can hold it. */
const BETWEEN = '\0';
const PREFIX_BYTES = 12;
const NUMBERS = 3;

/** Puts folders together, each before those in it. */
export class KeptLooksWriter {
  readonly #numbers: GrowingBytes = new GrowingBytes();
  readonly #names: GrowingBytes = new GrowingBytes();
  readonly #stamps: GrowingBytes = new GrowingBytes();
  #folders = 0;

  /** Adds a folder. `above`: the number of the folder it stands in; its own name and stamp come first; stamps are ASCII. */
  add(above: number, names: readonly string[], stamps: readonly string[]): void {
    this.#folders += 1;
    this.#names.addText(names.join(BETWEEN), 'utf8');
    this.#stamps.addText(stamps.join(BETWEEN), 'latin1');
    this.#numbers.addUint32(above);
    this.#numbers.addUint32(this.#names.length);
    this.#numbers.addUint32(this.#stamps.length);
  }

  /** What was added, in the order it is read in. */
  pieces(): Buffer[] {
    const prefix = new GrowingBytes();
    for (const value of [this.#folders, this.#names.length, this.#stamps.length]) prefix.addUint32(value);
    return [prefix, this.#numbers, this.#names, this.#stamps].flatMap((each) => each.pieces());
  }
}

/**
 * Gives back, folder by folder, what a {@link KeptLooksWriter} was given. Bytes of another form make it throw `INTERNAL`.
 */
export class KeptLooks {
  readonly folders: number;
  readonly bytes: Buffer;
  readonly #names: number;
  readonly #stamps: number;

  constructor(given: Uint8Array) {
    const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    if (bytes.length < PREFIX_BYTES) throw malformedLooks();
    this.bytes = bytes;
    this.folders = bytes.readUInt32LE(0);
    this.#names = PREFIX_BYTES + this.folders * NUMBERS * 4;
    this.#stamps = this.#names + bytes.readUInt32LE(4);
    if (this.#stamps + bytes.readUInt32LE(8) !== bytes.length) throw malformedLooks();
  }

  /** The number of the folder that folder `at` stands in, always a smaller one; 0 for the root, which is folder 0. */
  above(at: number): number {
    const above = this.#number(at, 0);
    if (at !== 0 && above >= at) throw malformedLooks();
    return above;
  }

  /** The name of a folder, then those of its files. */
  names(at: number): string[] {
    const begin = this.#names + this.#begin(at, 1);
    return this.bytes.toString('utf8', begin, this.#names + this.#number(at, 1)).split(BETWEEN);
  }

  /** The stamps of a folder and its files, by the places of {@link KeptLooks.names}; the empty one says nothing. */
  stamps(at: number): string[] {
    const begin = this.#stamps + this.#begin(at, 2);
    return this.bytes.toString('latin1', begin, this.#stamps + this.#number(at, 2)).split(BETWEEN);
  }

  /** Bytes of the names and stamps of a folder. */
  size(at: number): number {
    return this.#number(at, 1) - this.#begin(at, 1) + this.#number(at, 2) - this.#begin(at, 2);
  }

  #begin(at: number, column: number): number {
    return at === 0 ? 0 : this.#number(at - 1, column);
  }

  #number(at: number, column: number): number {
    if (at >= this.folders) throw malformedLooks();
    return this.bytes.readUInt32LE(PREFIX_BYTES + (at * NUMBERS + column) * 4);
  }
}

function malformedLooks(): SkillError {
  return new SkillError('INTERNAL', 'these are not the bytes of what looks found');
}
