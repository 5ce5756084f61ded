/**
 * The archives of archive mode: where they stand, and what stands there.
 *
 * @module
 */
import { ARCHIVE_FORMATS } from '../archive/index.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { ArchiveFacts, SkillPacker } from './skill-packer.ts';

/** Options of {@link ArchiveShelf}. */
export interface ArchiveShelfOptions {
  readonly catalog: Catalog;
  readonly packer: SkillPacker;
  /** Whether files are readable beside the archives; a file at the URI of an archive then beats it. */
  readonly servesFiles: boolean;
  readonly logger: Logger;
}

/** A skill changes faster than it can be packed after this many attempts. */
const ATTEMPTS = 4;

/** The archives of a catalog's skills, by URI. */
export class ArchiveShelf {
  readonly suffix: string;
  readonly mimeType: string;
  readonly #options: ArchiveShelfOptions;

  constructor(options: ArchiveShelfOptions) {
    this.#options = options;
    ({ suffix: this.suffix, mimeType: this.mimeType } = ARCHIVE_FORMATS[options.packer.format]);
  }

  /** What packs them. */
  get packer(): SkillPacker {
    return this.#options.packer;
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
    return this.#options.packer.problemOf(skill) === undefined && this.#isFree(skill, snapshot);
  }

  /**
   * The digest and size of the archive of a skill of a snapshot; undefined when it has none, `'moved'` when the skill is
   * no longer what the catalog serves. Errors: `PROVIDER_CLOSED`.
   */
  async facts(skill: Skill, snapshot: Snapshot): Promise<ArchiveFacts | 'moved' | undefined> {
    if (!this.has(skill, snapshot)) return undefined;
    try {
      return (await this.#options.packer.facts(skill)) ?? 'moved';
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
   * Errors: `RESOURCE_NOT_FOUND`, `FILE_CHANGED`, and those of `SkillPacker.bytes`.
   */
  async read(uri: string): Promise<Buffer> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const skill = this.skillOf(uri);
      if (skill === undefined) break;
      const bytes = await this.#options.packer.bytes(skill);
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
}
