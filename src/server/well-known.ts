/**
 * The documents and artifacts of the `well-known` dialect, made from the snapshot in force.
 *
 * @module
 */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { ARCHIVE_FORMATS } from '../archive/index.ts';
import type { Catalog, CatalogRead } from '../catalog/catalog.ts';
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import type { Logger } from '../logger.ts';
import { startPace } from '../pace.ts';
import { discoveryIndexText, legacyIndexText } from '../wire/index.ts';
import type { SkillPacker } from './skill-packer.ts';
import {
  artifactPath,
  artifactType,
  discoveryEntries,
  legacyEntries,
  manifestFile,
  type WellKnownSkills,
  wellKnownSkills,
} from './surfaces/well-known.ts';

/** Something that well-known clients fetch. */
export interface WellKnownContent {
  readonly bytes: Buffer;
  /** `sha256:` + 64 lower-case hex digits over `bytes`. */
  readonly digest: string;
  readonly mimeType: string;
}

/** What a provider serves in the `well-known` dialect, for an HTTP server. */
export interface WellKnown {
  /** How long an index may be cached, ms. */
  readonly ttlMs: number;
  /**
   * Begins to make the index of the snapshot in force, so that the first who asks need not wait for thousands of skills to
   * be packed: the most common installer gives up after 10 s, and then takes the form without digests. Until somebody asks
   * it takes a quarter of the processor, since others are served meanwhile.
   */
  prepare(): void;
  /** The discovery 0.2.0 index. Packs what is not packed yet. Errors: `FILE_CHANGED`, `PROVIDER_CLOSED`. */
  index(): Promise<WellKnownContent>;
  /**
   * The artifact at a path beside that index, as its entries have it; undefined when no skill has it now.
   * Errors: `FILE_CHANGED`, `FILE_UNREADABLE`, `PROVIDER_CLOSED`, those of packing.
   */
  artifact(path: string): Promise<WellKnownContent | undefined>;
  /** The index of the older form. Errors: `PROVIDER_CLOSED`. */
  legacyIndex(): Promise<WellKnownContent>;
  /** A file of a skill by its path, as the older form has it; undefined when there is none. Errors: as `artifact`. */
  legacyFile(name: string, path: string): Promise<WellKnownContent | undefined>;
}

/** What {@link createWellKnown} needs. */
export interface WellKnownOptions {
  readonly catalog: Catalog;
  /** Packs as tar.gz. */
  readonly packer: SkillPacker;
  /** Brings the catalog up to date with the source. */
  readonly settle: () => Promise<void>;
  readonly ttlMs: number;
  readonly logger: Logger;
}

interface Made {
  readonly snapshot: Snapshot;
  /** Aborted when somebody waits for it. */
  readonly haste: AbortController;
  readonly content: Promise<WellKnownContent | 'moved'>;
}

/** Skills change faster than they can be read and packed after this many attempts. */
const ATTEMPTS = 4;
/** How long packing that nobody waits for rests, in times of what it worked. */
const REST = 3;
const ARTIFACT = /^([a-z0-9-]{1,64})\/([0-9a-f]{64})\/(?:SKILL\.md|\1\.tar\.gz)$/;

/**
 * The `well-known` dialect of a catalog. Both indexes are made once for each snapshot, whoever asks; the archives that
 * the first needs are packed one after the other, and other requests have their turn between them.
 *
 * @example
 * const { bytes } = await createWellKnown({ catalog, packer, settle, ttlMs: 5_000, logger }).index()
 */
export function createWellKnown(options: WellKnownOptions): WellKnown {
  const { catalog, packer, settle, ttlMs, logger } = options;
  let made: Made | undefined;
  const failures = new Failures(logger);
  let older: { readonly snapshot: Snapshot; readonly content: WellKnownContent } | undefined;

  const current = (): Made => {
    const { snapshot } = catalog;
    if (made?.snapshot === snapshot) return made;
    const haste = new AbortController();
    const content = makeIndex(snapshot, packer, failures, haste.signal);
    const mine: Made = { snapshot, haste, content };
    made = mine;
    const drop = (): void => {
      if (made === mine) made = undefined;
    };
    content.then((value) => value === 'moved' && drop(), drop);
    return mine;
  };

  return {
    ttlMs,
    prepare() {
      // Whoever asks is told what went wrong.
      current().content.catch((error: unknown) => {
        logger.debug('the well-known index could not be prepared', {
          code: isSkillError(error) ? error.code : 'INTERNAL',
        });
      });
    },
    async index() {
      await settle();
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const mine = current();
        mine.haste.abort();
        const content = await mine.content;
        // Packing takes time: an index of skills that are others by now would lead to nothing.
        if (content !== 'moved' && mine.snapshot === catalog.snapshot) return content;
      }
      throw tooFast();
    },
    async artifact(path) {
      const [, name = '', hex = ''] = ARTIFACT.exec(path) ?? [];
      const digest = `sha256:${hex}`;
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const skill = chosen(catalog).skills.get(name);
        if (skill === undefined || path !== artifactPath(name, artifactType(skill), digest)) return undefined;
        const content = await (artifactType(skill) === 'archive'
          ? packedSkill(skill, digest, packer)
          : bareSkill(skill, digest, catalog));
        // What was withdrawn meanwhile is not sent.
        if (content !== 'moved' && chosen(catalog).skills.get(name) === skill) return content;
      }
      throw tooFast();
    },
    async legacyIndex() {
      await settle();
      const { snapshot } = catalog;
      if (older?.snapshot !== snapshot) {
        const text = legacyIndexText(legacyEntries(wellKnownSkills(snapshot)));
        older = { snapshot, content: indexContent(text) };
      }
      return older.content;
    },
    async legacyFile(name, path) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const uri = chosen(catalog)
          .older.get(name)
          ?.files.find((file) => file.path === path)?.uri;
        if (uri === undefined) return undefined;
        const got = await readOrMoved(uri, catalog);
        if (got === 'moved') continue;
        const now = chosen(catalog)
          .older.get(name)
          ?.files.find((file) => file.path === path);
        const { digest } = got.file;
        if (digest === undefined || now?.digest !== digest) continue;
        return { bytes: got.bytes, digest, mimeType: got.file.mimeType };
      }
      throw tooFast();
    },
  };
}

function chosen(catalog: Catalog): WellKnownSkills {
  return wellKnownSkills(catalog.snapshot);
}

function tooFast(): SkillError {
  return new SkillError('FILE_CHANGED', 'the skills change faster than they can be read; try again later');
}

async function makeIndex(
  snapshot: Snapshot,
  packer: SkillPacker,
  failures: Failures,
  haste: AbortSignal,
): Promise<WellKnownContent | 'moved'> {
  const skills = wellKnownSkills(snapshot);
  const failed = new Map<string, SkillError>();
  const pace = startPace();
  const digests = new Map<Skill, string>();
  for (const skill of skills.skills.values()) {
    if (artifactType(skill) === 'skill-md') {
      const digest = manifestFile(skill)?.digest;
      if (digest !== undefined) digests.set(skill, digest);
      continue;
    }
    const begun = performance.now();
    const isWork = !packer.knows(skill);
    // Reads and small packs are done at once, without a turn of the loop between them.
    if (isWork) await setImmediate();
    else if (pace.due()) await pace.rest();
    try {
      const known = await packer.facts(skill);
      if (known === undefined) return 'moved';
      digests.set(skill, known.digest);
    } catch (error) {
      if (!isSkillError(error) || error.code === 'PROVIDER_CLOSED') throw error;
      failed.set(skill.uri, error);
    }
    if (isWork && !haste.aborted) await rest((performance.now() - begun) * REST, haste);
  }
  failures.tell(failed);
  return indexContent(discoveryIndexText(discoveryEntries(skills, (skill) => digests.get(skill))));
}

/** Waits for `ms`, or until there is haste; holds no process. */
async function rest(ms: number, haste: AbortSignal): Promise<void> {
  // What ends the wait is no failure.
  await setTimeout(ms, undefined, { signal: haste, ref: false }).catch(() => undefined);
}

/** Says of each skill that cannot be packed why, once for as long as that stays so. */
class Failures {
  readonly #logger: Logger;
  #told: ReadonlyMap<string, SkillError> = new Map();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(failed: ReadonlyMap<string, SkillError>): void {
    for (const [skill, { code, message }] of failed) {
      if (this.#told.get(skill)?.message === message) continue;
      this.#logger.warn('a skill cannot be packed, so the well-known index leaves it out', {
        skill,
        code,
        error: message,
      });
    }
    this.#told = failed;
  }
}

function indexContent(text: string): WellKnownContent {
  const bytes = Buffer.from(text);
  return { bytes, digest: digestOf(bytes), mimeType: 'application/json' };
}

/** The archive of a skill, undefined when it has another digest, `'moved'` when the catalog serves other files by now. */
async function packedSkill(
  skill: Skill,
  digest: string,
  packer: SkillPacker,
): Promise<WellKnownContent | 'moved' | undefined> {
  if (packer.problemOf(skill) !== undefined) return undefined;
  const facts = await packer.facts(skill);
  if (facts === undefined) return 'moved';
  if (facts.digest !== digest) return undefined;
  const bytes = await packer.bytes(skill);
  return bytes === undefined ? 'moved' : { bytes, digest, mimeType: ARCHIVE_FORMATS['tar.gz'].mimeType };
}

async function bareSkill(
  skill: Skill,
  digest: string,
  catalog: Catalog,
): Promise<WellKnownContent | 'moved' | undefined> {
  if (manifestFile(skill)?.digest !== digest) return undefined;
  const got = await readOrMoved(skill.uri, catalog);
  if (got === 'moved' || got.file.digest !== digest) return 'moved';
  return { bytes: got.bytes, digest, mimeType: got.file.mimeType };
}

async function readOrMoved(uri: string, catalog: Catalog): Promise<CatalogRead | 'moved'> {
  try {
    return await catalog.read(uri);
  } catch (error) {
    if (isSkillError(error, 'RESOURCE_NOT_FOUND')) return 'moved';
    throw error;
  }
}
