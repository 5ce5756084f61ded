/**
 * Skills packed into archives: once for each content, whoever asks.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { type ArchiveFormat, type FileToPack, isScript, packSkill } from '../archive/index.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, SkillFile } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { capOf, LIMITS } from '../limits.ts';

/** A format that archives are written in. */
export type PackFormat = Exclude<ArchiveFormat, 'tar.bz2'>;

/** What is known of a packed skill. */
export interface ArchiveFacts {
  readonly digest: string;
  readonly size: number;
}

/** Options of {@link SkillPacker}. */
export interface SkillPackerOptions {
  readonly catalog: Catalog;
  readonly format: PackFormat;
  /** Unpacked bytes of one archive; 0 or absent is the default, -1 is off. @default 100 MiB */
  readonly maxBytes?: number | undefined;
}

/** Archives made for their facts alone are held up to this many bytes: an index of all skills asks for nearly none of them. */
const UNASKED_BYTES = 4_194_304;
/** Facts of archives of skills that are no longer there, kept for the case that they come back. */
const SPARE_FACTS = 1_000;

/**
 * Packs the skills of a catalog. The facts of an archive are kept as long as its content may be asked for, its bytes
 * while they fit, those that were asked for before others; an archive that nobody holds is made once, however many wait for it.
 */
export class SkillPacker {
  readonly format: PackFormat;
  readonly #catalog: Catalog;
  readonly #maxBytes: number;
  /** By content of the skill, the longest unused first. */
  readonly #facts: Map<string, ArchiveFacts> = new Map();
  /** Why a skill has no archive, once that is known, in the same way. */
  readonly #problems: Map<string, SkillError> = new Map();
  /** Archives by content of the skill, the longest unused first. */
  readonly #held: Map<string, Buffer> = new Map();
  #heldBytes = 0;
  readonly #packing: Map<Skill, Promise<Buffer | undefined>> = new Map();
  /** Packing is work for the processor, so one after the other is as fast and holds one skill in memory. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ catalog, format, maxBytes }: SkillPackerOptions) {
    this.#catalog = catalog;
    this.format = format;
    this.#maxBytes = capOf(maxBytes, LIMITS.archiveBytes);
  }

  /** Why a skill has no archive, as far as is known before it is packed. */
  problemOf(skill: Skill): SkillError | undefined {
    const known = this.#problems.size === 0 ? undefined : renew(this.#problems, contentOf(skill));
    if (known !== undefined) return known;
    if (skill.dynamic) {
      return new SkillError('ARCHIVE_UNSUPPORTED', 'a skill with dynamic files has no archive', {
        details: { uri: skill.uri },
      });
    }
    if (skill.totalBytes <= this.#maxBytes) return undefined;
    return new SkillError(
      'ARCHIVE_TOO_LARGE',
      `the skill has ${skill.totalBytes} bytes; archives of up to ${this.#maxBytes} are made`,
      { details: { uri: skill.uri, limit: this.#maxBytes, actual: skill.totalBytes } },
    );
  }

  /** Whether the facts of a skill's archive are there without work. */
  knows(skill: Skill): boolean {
    return this.#facts.has(contentOf(skill));
  }

  /**
   * The digest and size of the archive of a skill, or undefined when the catalog serves other files by now.
   *
   * Errors: `ARCHIVE_UNSUPPORTED`, `ARCHIVE_TOO_LARGE`, `FILE_CHANGED`, `PROVIDER_CLOSED`, those of `packSkill` and of
   * reading the files.
   */
  async facts(skill: Skill): Promise<ArchiveFacts | undefined> {
    this.#require(skill);
    const content = contentOf(skill);
    const known = renew(this.#facts, content);
    if (known !== undefined) return known;
    return (await this.#packed(skill)) === undefined ? undefined : this.#facts.get(content);
  }

  /** The archive of a skill, or undefined when the catalog serves other files by now. Errors: as {@link SkillPacker.facts}. */
  async bytes(skill: Skill): Promise<Buffer | undefined> {
    this.#require(skill);
    const content = contentOf(skill);
    const archive = renew(this.#held, content) ?? (await this.#packed(skill));
    if (archive !== undefined) this.#keep(content, archive, LIMITS.archiveCacheBytes);
    return archive;
  }

  #require(skill: Skill): void {
    const problem = this.problemOf(skill);
    if (problem !== undefined) throw problem;
  }

  #packed(skill: Skill): Promise<Buffer | undefined> {
    let packing = this.#packing.get(skill);
    if (packing === undefined) {
      packing = this.#inTurn(() => this.#packOnce(skill));
      this.#packing.set(skill, packing);
      const forget = (): boolean => this.#packing.delete(skill);
      packing.then(forget, (error: unknown) => {
        forget();
        // The files will not become packable without a change; what failed to be read may be readable the next time.
        if (!isSkillError(error) || !error.code.startsWith('ARCHIVE_')) return;
        this.#problems.set(contentOf(skill), error);
        this.#shorten(this.#problems);
      });
    }
    return packing;
  }

  async #packOnce(skill: Skill): Promise<Buffer | undefined> {
    const content = contentOf(skill);
    const archive = renew(this.#held, content) ?? (await this.#pack(skill));
    if (archive === undefined) return undefined;
    if (!this.#facts.has(content)) {
      this.#facts.set(content, { digest: digestOf(archive), size: archive.length });
      this.#shorten(this.#facts);
    }
    if (this.#heldBytes + archive.length <= UNASKED_BYTES) this.#keep(content, archive, UNASKED_BYTES);
    return archive;
  }

  #shorten(known: Map<string, unknown>): void {
    const most = this.#catalog.snapshot.skills.length * 2 + SPARE_FACTS;
    for (const [oldest] of known) {
      if (known.size <= most) break;
      known.delete(oldest);
    }
  }

  /** The archive of exactly these files, or undefined when the catalog serves other ones by now. */
  async #pack(skill: Skill): Promise<Buffer | undefined> {
    const files: FileToPack[] = [];
    for (const file of skill.files) {
      const bytes = await this.#bytesOf(file);
      if (bytes === undefined) return undefined;
      files.push({ path: file.path, bytes, executable: isScript(bytes) });
    }
    const maxBytes = this.#maxBytes === Number.POSITIVE_INFINITY ? -1 : this.#maxBytes;
    // A file is as large as the catalog reads them, which has a cap of its own.
    return packSkill(files, this.format, { maxBytes, maxEntryBytes: -1 });
  }

  async #bytesOf(file: SkillFile): Promise<Buffer | undefined> {
    try {
      const got = await this.#catalog.read(file.uri);
      return got.file.digest === file.digest ? got.bytes : undefined;
    } catch (error) {
      if (isSkillError(error, 'RESOURCE_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  #keep(content: string, bytes: Buffer, maxBytes: number): void {
    if (bytes.length > maxBytes || this.#held.has(content)) return;
    this.#held.set(content, bytes);
    this.#heldBytes += bytes.length;
    for (const [oldest, held] of this.#held) {
      if (this.#heldBytes <= maxBytes) break;
      this.#held.delete(oldest);
      this.#heldBytes -= held.length;
    }
  }
}

/** The value of a key, which is then the last to be dropped. */
function renew<T>(map: Map<string, T>, key: string): T | undefined {
  const value = map.get(key);
  if (value === undefined) return undefined;
  map.delete(key);
  map.set(key, value);
  return value;
}

const contents = new WeakMap<Skill, string>();

/** A hash over the paths and digests of a skill's files: equal for equal archives. */
function contentOf(skill: Skill): string {
  let content = contents.get(skill);
  if (content === undefined) {
    const hash = createHash('sha256');
    for (const { path, digest } of skill.files) hash.update(`${JSON.stringify(path)} ${digest}\n`);
    content = hash.digest('hex');
    contents.set(skill, content);
  }
  return content;
}
