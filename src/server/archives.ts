/**
 * Skills as archives: packed when first asked for, kept while they fit.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  type FileToPack,
  isScript,
  packSkill,
} from '../archive/index.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, SkillFile, Snapshot } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';

/** A format that archives are written in. */
export type PackFormat = Exclude<ArchiveFormat, 'tar.bz2'>;

/** What is known of a packed skill. */
export interface ArchiveFacts {
  readonly digest: string;
  readonly size: number;
}

/** Options of {@link ArchiveShelf}. */
export interface ArchiveShelfOptions {
  readonly catalog: Catalog;
  readonly format: PackFormat;
  /** Unpacked bytes of one archive; 0 or absent is the default, -1 is off. @default 100 MiB */
  readonly maxBytes?: number | undefined;
  /** Whether files are readable beside the archives; a file at the URI of an archive then beats it. */
  readonly servesFiles: boolean;
  readonly logger: Logger;
}

/** A skill changes faster than it can be packed after this many attempts. */
const ATTEMPTS = 4;

/** The archives of a catalog's skills. */
export class ArchiveShelf {
  readonly suffix: string;
  readonly mimeType: string;
  readonly #options: ArchiveShelfOptions;
  readonly #maxBytes: number;
  readonly #facts: WeakMap<Skill, Promise<ArchiveFacts | 'moved'>> = new WeakMap();
  /** Why a skill has no archive, once that is known. */
  readonly #problems: WeakMap<Skill, SkillError> = new WeakMap();
  /** Archives by content of the skill, the longest unused first. */
  readonly #held: Map<string, Buffer> = new Map();
  #heldBytes = 0;
  /** Packing is work for the processor, so one after the other is as fast and holds one skill in memory. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ArchiveShelfOptions) {
    this.#options = options;
    this.#maxBytes = capOf(options.maxBytes, LIMITS.archiveBytes);
    ({ suffix: this.suffix, mimeType: this.mimeType } = ARCHIVE_FORMATS[options.format]);
  }

  /** The URI of a skill's archive. */
  uriOf(skill: Skill): string {
    return skill.rootUri + this.suffix;
  }

  /** The skill whose archive has this canonical URI, in the snapshot in force. */
  skillOf(uri: string): Skill | undefined {
    if (!uri.endsWith(this.suffix)) return undefined;
    const { snapshot } = this.#options.catalog;
    const skill = snapshot.skill(`${uri.slice(0, -this.suffix.length)}/SKILL.md`);
    return skill !== undefined && this.#isFree(skill, snapshot) ? skill : undefined;
  }

  /** Whether a skill of a snapshot has an archive, as far as is known before it is packed. */
  has(skill: Skill, snapshot: Snapshot): boolean {
    return (
      !skill.dynamic &&
      skill.totalBytes <= this.#maxBytes &&
      !this.#problems.has(skill) &&
      this.#isFree(skill, snapshot)
    );
  }

  /**
   * The digest and size of the archive of a skill of a snapshot; undefined when it has none, `'moved'` when the skill is
   * no longer what the catalog serves. Errors: `PROVIDER_CLOSED`.
   */
  async facts(skill: Skill, snapshot: Snapshot): Promise<ArchiveFacts | 'moved' | undefined> {
    if (!this.has(skill, snapshot)) return undefined;
    try {
      return await this.#factsOf(skill);
    } catch (error) {
      if (!isSkillError(error) || error.code === 'PROVIDER_CLOSED') throw error;
      this.#options.logger.warn('a skill cannot be packed, so it has no archive', {
        skill: skill.uri,
        code: error.code,
        error: error.message,
      });
      return undefined;
    }
  }

  /**
   * The archive at a canonical URI, with the digest that an index made now states.
   *
   * Errors: `RESOURCE_NOT_FOUND`, `FILE_CHANGED`, `PROVIDER_CLOSED`, those of `packSkill` and of reading the files.
   */
  async read(uri: string): Promise<Buffer> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const skill = this.skillOf(uri);
      if (skill === undefined) break;
      this.#requirePackable(skill);
      const facts = await this.#factsOf(skill);
      if (facts === 'moved') continue;
      const bytes = this.#take(contentOf(skill)) ?? (await this.#inTurn(() => this.#pack(skill)));
      if (bytes !== undefined) return bytes;
    }
    if (this.skillOf(uri) !== undefined) {
      throw new SkillError(
        'FILE_CHANGED',
        'the skill changes faster than it can be packed; try again later',
        {
          details: { uri },
        },
      );
    }
    throw new SkillError('RESOURCE_NOT_FOUND', 'no skill has its archive here', { details: { uri } });
  }

  #isFree(skill: Skill, snapshot: Snapshot): boolean {
    return !this.#options.servesFiles || snapshot.locate(this.uriOf(skill))?.kind !== 'file';
  }

  #requirePackable(skill: Skill): void {
    const problem = this.#problems.get(skill);
    if (problem !== undefined) throw problem;
    if (skill.dynamic) {
      throw new SkillError('ARCHIVE_UNSUPPORTED', 'a skill with dynamic files has no archive', {
        details: { uri: skill.uri },
      });
    }
    if (skill.totalBytes <= this.#maxBytes) return;
    throw new SkillError(
      'ARCHIVE_TOO_LARGE',
      `the skill has ${skill.totalBytes} bytes; archives of up to ${this.#maxBytes} are made`,
      { details: { uri: skill.uri, limit: this.#maxBytes, actual: skill.totalBytes } },
    );
  }

  #factsOf(skill: Skill): Promise<ArchiveFacts | 'moved'> {
    let facts = this.#facts.get(skill);
    if (facts === undefined) {
      facts = this.#inTurn(() => this.#makeFacts(skill));
      this.#facts.set(skill, facts);
      facts.catch((error: unknown) => {
        this.#facts.delete(skill);
        // The files will not become packable without a change; what failed to be read may be readable the next time.
        if (isSkillError(error) && error.code.startsWith('ARCHIVE_')) this.#problems.set(skill, error);
      });
    }
    return facts;
  }

  async #makeFacts(skill: Skill): Promise<ArchiveFacts | 'moved'> {
    const bytes = this.#take(contentOf(skill)) ?? (await this.#pack(skill));
    return bytes === undefined ? 'moved' : { digest: digestOf(bytes), size: bytes.length };
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
    const archive = await packSkill(files, this.#options.format, {
      maxBytes,
      // A file is as large as the catalog reads them, which has a cap of its own.
      maxEntryBytes: -1,
    });
    this.#keep(contentOf(skill), archive);
    return archive;
  }

  async #bytesOf(file: SkillFile): Promise<Buffer | undefined> {
    try {
      const got = await this.#options.catalog.read(file.uri);
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

  #take(content: string): Buffer | undefined {
    const bytes = this.#held.get(content);
    if (bytes === undefined) return undefined;
    this.#held.delete(content);
    this.#held.set(content, bytes);
    return bytes;
  }

  #keep(content: string, bytes: Buffer): void {
    if (bytes.length > LIMITS.archiveCacheBytes || this.#held.has(content)) return;
    this.#held.set(content, bytes);
    this.#heldBytes += bytes.length;
    for (const [oldest, held] of this.#held) {
      if (this.#heldBytes <= LIMITS.archiveCacheBytes) break;
      this.#held.delete(oldest);
      this.#heldBytes -= held.length;
    }
  }
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
