/**
 * The `released` dialect: `skills/list`, `skills/get`, `resources/read`.
 *
 * @module
 */
import { SkillError } from '../../errors.ts';
import { type SkillEntry, validateEntry } from '../../integrity/index.ts';
import { LIMITS } from '../../limits.ts';
import { canonicalUri } from '../../uri/canonical.ts';
import { quote } from '../../uri/quote.ts';
import { EXTENSION_ID, METHOD_SKILLS_GET, METHOD_SKILLS_LIST } from '../../wire/index.ts';
import type { DialectListing, DialectReader, RawContents, RequestScope } from '../dialect.ts';
import { freezeSkill } from '../entry-files.ts';
import { isRecord } from '../json-record.ts';
import { judgeEntries } from '../judge-entries.ts';
import type { ReaderContext } from '../reader-context.ts';
import type { FoundSkill } from '../skill.ts';
import { walkPages } from '../walk.ts';

const ANY = { anyScheme: true } as const;

/** Reads a server that declares the extension. */
export class ReleasedReader implements DialectReader {
  readonly dialect = 'released';
  readonly #context: ReaderContext;

  /** `maxResourceBytes` of the context is that of the released form here. */
  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /** Whether the extension is declared (requirement H2); nothing is sent. */
  detect(): Promise<boolean> {
    return Promise.resolve(this.#context.connection.skillsSettings !== undefined);
  }

  /**
   * Every entry, judged by the rules of the extension (requirements H15, S28–S32).
   *
   * Errors: those of the connection and of `walkPages`; `METHOD_NOT_FOUND` also where the extension is not declared.
   */
  async list(scope: RequestScope): Promise<DialectListing> {
    const { connection, walk } = this.#context;
    this.#requireDeclared(METHOD_SKILLS_LIST);
    const walked = await walkPages(
      (cursor) => connection.request(METHOD_SKILLS_LIST, cursor === undefined ? {} : { cursor }, scope),
      'skills',
      walk,
    );
    const { skills, problems } = await judgeEntries(walked.items, judged);
    const { complete, ttlMs } = walked;
    return {
      skills,
      complete,
      problems: [...walked.problems, ...problems],
      ...(ttlMs === undefined ? {} : { ttlMs }),
    };
  }

  /**
   * One entry by its URI (requirement H21).
   *
   * Errors: those of the connection, `INVALID_ENTRY`, `URI_MISMATCH`.
   */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    this.#requireDeclared(METHOD_SKILLS_GET);
    const { skill } = await this.#context.connection.request(METHOD_SKILLS_GET, { uri }, scope);
    const found = judged(skill);
    const { entry } = found;
    if (canonicalUri(entry.uri, ANY) !== canonicalUri(uri, ANY)) {
      throw new SkillError(
        'URI_MISMATCH',
        `skills/get of ${quote(uri)} gave the entry of ${quote(entry.uri)}`,
        {
          details: { uri, actual: entry.uri },
        },
      );
    }
    return freezeSkill(found);
  }

  /** The bytes of one file, asked for in the spelling of the entry. */
  read(_skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents> {
    return this.#context.connection.read(uri, this.#context.maxResourceBytes, scope);
  }

  #requireDeclared(method: string): void {
    if (this.#context.connection.skillsSettings !== undefined) return;
    throw new SkillError(
      'METHOD_NOT_FOUND',
      `${method} is not asked of a server that does not declare ${EXTENSION_ID}`,
      {
        details: { method },
      },
    );
  }
}

function judged(value: unknown): FoundSkill {
  const files = isRecord(value) && Array.isArray(value.resources) ? value.resources.length : 0;
  if (files > LIMITS.clientEntryFiles) {
    const uri = isRecord(value) && typeof value.uri === 'string' ? value.uri : '';
    throw new SkillError(
      'INVALID_ENTRY',
      `the entry of ${quote(uri)} has ${files} files, more than the limit of ${LIMITS.clientEntryFiles}`,
      { details: { uri, at: 'resources', limit: LIMITS.clientEntryFiles, actual: files } },
    );
  }
  return foundSkill(validateEntry(value));
}

function foundSkill({ uri, frontmatter, resources }: SkillEntry): FoundSkill {
  const isDynamic = resources === 'dynamic';
  return {
    entry: {
      uri,
      frontmatter,
      resources: isDynamic ? resources : resources.map(({ uri, digest, size }) => ({ uri, digest, size })),
    },
    dialect: 'released',
    integrity: isDynamic ? 'dynamic' : 'complete',
    wholeFrontmatter: true,
  };
}
