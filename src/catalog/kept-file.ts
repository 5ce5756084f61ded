/**
 * Files of skills in little memory: a catalog keeps one for every file for as long as it is served.
 *
 * @module
 */
import { mimeTypeFor } from '../mime.ts';
import { encodeChecked } from '../uri/segment.ts';
import type { FileFacts } from './read-facts.ts';
import type { SkillFile } from './snapshot.ts';
import { joinPath, pathBelow } from './tree.ts';
import type { FileRecord } from './tree-bytes.ts';

/** What the files of a folder have in common. */
export interface FilePlace {
  /** The URI of the folder. */
  readonly uri: string;
  /** Its path below the source. */
  readonly folder: string;
  /** Path of the skill; undefined outside every skill. */
  readonly home: string | undefined;
}

const LEAD = 'sha256:';
const DIGEST_BYTES = 32;
const TEXT = 1;
const PROVISIONAL = 2;
const room = Buffer.alloc(DIGEST_BYTES);

/** A digest with one character a byte. */
export function packDigest(digest: string): string {
  room.write(digest.slice(LEAD.length), 'hex');
  return room.toString('latin1');
}

/** The file called `name` in the folder at `place`. */
export function keptFile(place: FilePlace, name: string, facts: FileFacts): SkillFile {
  const { size, digest, mimeType, text, stamp, modifiedAt, provisional } = facts;
  if (digest !== undefined && stamp !== undefined && modifiedAt !== undefined) {
    const packed = packDigest(digest);
    return new KeptFile(place, { name, size, digest: packed, text, stamp, modifiedAt }, provisional);
  }
  const sourcePath = joinPath(place.folder, name);
  return {
    uri: joinPath(place.uri, encodeChecked(name)),
    path: pathBelow(place.home ?? '', sourcePath),
    sourcePath,
    size,
    ...(digest !== undefined && { digest }),
    mimeType,
    text,
    ...(stamp !== undefined && { stamp }),
    ...(modifiedAt !== undefined && { modifiedAt }),
    provisional,
  };
}

/**
 * A file whose URI and paths are put together when they are asked for, and whose digest lies packed in front of its stamp:
 * written out they would take three times the memory.
 */
export class KeptFile implements SkillFile {
  readonly size: number;
  readonly modifiedAt: number;
  readonly #place: FilePlace;
  readonly #name: string;
  readonly #state: string;
  readonly #flags: number;

  constructor(place: FilePlace, record: FileRecord, provisional: boolean) {
    this.size = record.size;
    this.modifiedAt = record.modifiedAt;
    this.#place = place;
    this.#name = record.name;
    this.#state = [record.digest, record.stamp].join('');
    this.#flags = (record.text ? TEXT : 0) | (provisional ? PROVISIONAL : 0);
  }

  get uri(): string {
    return `${this.#place.uri}/${encodeChecked(this.#name)}`;
  }

  get path(): string {
    return pathBelow(this.#place.home ?? '', this.sourcePath);
  }

  get sourcePath(): string {
    const { folder } = this.#place;
    return folder === '' ? this.#name : `${folder}/${this.#name}`;
  }

  get digest(): string {
    room.write(this.#state, 0, DIGEST_BYTES, 'latin1');
    return LEAD + room.toString('hex');
  }

  get stamp(): string {
    return this.#state.slice(DIGEST_BYTES);
  }

  get mimeType(): string {
    return mimeTypeFor(this.#name, this.text);
  }

  get text(): boolean {
    return (this.#flags & TEXT) !== 0;
  }

  get provisional(): boolean {
    return (this.#flags & PROVISIONAL) !== 0;
  }

  /** Every field, for what copies or prints a file. */
  toJSON(): SkillFile {
    return plainFile(this);
  }
}

/** Whether a file has a digest, which a {@link KeptFile} would put together to show it. */
export function hasDigest(file: SkillFile): boolean {
  return file instanceof KeptFile || file.digest !== undefined;
}

/** A copy of a file with fields of its own: of {@link KeptFile} a spread would copy but a few. */
export function plainFile(file: SkillFile): SkillFile {
  const { uri, path, sourcePath, size, digest, mimeType, text, stamp, modifiedAt, provisional } = file;
  return {
    uri,
    path,
    sourcePath,
    size,
    ...(digest !== undefined && { digest }),
    mimeType,
    text,
    ...(stamp !== undefined && { stamp }),
    ...(modifiedAt !== undefined && { modifiedAt }),
    provisional,
  };
}
