/**
 * The `draft-index` dialect: `skill://index.json`, and `resources/read` of what it names.
 *
 * @module
 */
import { isSkillError, SkillError } from '../../errors.ts';
import { parseFrontmatter } from '../../format/index.ts';
import { canonicalUri } from '../../uri/canonical.ts';
import { requireSameUri } from '../answer-uri.ts';
import type { DialectListing, DialectReader, RawContents, RequestScope } from '../dialect.ts';
import { entriesOf, type IndexDocument, readIndexDocument } from '../index-document.ts';
import { indexSkill } from '../index-skills.ts';
import { type JudgedEntries, judgeEntries } from '../judge-entries.ts';
import type { ReaderContext } from '../reader-context.ts';
import type { FoundSkill, ListingProblem } from '../skill.ts';
import type { ArchiveFiles, FetchArchive } from './archive-files.ts';

const ANY = { anyScheme: true } as const;

/** Reads a server of the draft, in either of the two shapes of its index. */
export class DraftIndexReader implements DialectReader {
  readonly dialect = 'draft-index';
  readonly #context: ReaderContext;
  readonly #archives: ArchiveFiles;
  /** What {@link DraftIndexReader.detect} read, for the listing that follows it. */
  #detected: IndexDocument | undefined;
  /** Skills of the last listing that come as archives, by the canonical URI of their folder. */
  #archived: ReadonlyMap<string, FoundSkill> = new Map();

  constructor(context: ReaderContext, archives: ArchiveFiles) {
    this.#context = context;
    this.#archives = archives;
  }

  /** Whether the server has an index. */
  async detect(scope: RequestScope): Promise<boolean> {
    const { connection } = this.#context;
    if (!connection.hasResources) return false;
    this.#detected = await readIndexDocument(connection, scope);
    return this.#detected !== undefined;
  }

  /** Every entry of the index; a server without one has an empty listing. Errors: `INVALID_INDEX`, those of the connection. */
  async list(scope: RequestScope): Promise<DialectListing> {
    const { skills, problems, ttlMs, complete, found } = await this.#judged(scope);
    return {
      skills,
      complete,
      ...(found ? {} : { spoken: false }),
      problems,
      ...(ttlMs === undefined ? {} : { ttlMs }),
    };
  }

  /**
   * One skill by its URI. One that is not in the index is read: its entry is then what its own `SKILL.md` says, with the
   * integrity `none`.
   *
   * Errors: `RESOURCE_NOT_FOUND`, those of archives, of the frontmatter and of the connection.
   */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    const canonical = canonicalUri(uri, ANY);
    const { skills, problems } = await this.#judged(scope);
    const found = skills.find(({ entry }) => canonicalUri(entry.uri, ANY) === canonical);
    if (found !== undefined) return this.tell(found, scope);
    const refused = problems.find((problem) => problem.uri !== undefined && isSame(problem.uri, canonical));
    if (refused !== undefined) {
      throw new SkillError('INVALID_ENTRY', refused.message, { details: { uri } });
    }
    const raw = await this.#readLive(uri, scope);
    const { frontmatter } = parseFrontmatter(raw.bytes);
    return {
      entry: { uri, frontmatter, resources: [{ uri }] },
      dialect: 'draft-index',
      integrity: 'none',
      wholeFrontmatter: true,
    };
  }

  /** The skill with the files of its archive, if it comes as one. */
  async tell(skill: FoundSkill, scope: RequestScope): Promise<FoundSkill> {
    return skill.archive === undefined ? skill : this.#archives.get(skill, this.#fetch(skill), scope);
  }

  /** The bytes of one file: of a skill that comes as an archive always from there, never from the server live. */
  read(skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents> {
    if (skill.archive === undefined) return this.#readFile(uri, scope);
    return this.#archives.read(skill, uri, this.#fetch(skill), scope);
  }

  /** A file of a skill that comes as an archive, by its URI alone; undefined for any other URI. */
  async readUri(uri: string, scope: RequestScope): Promise<RawContents | undefined> {
    const canonical = canonicalUri(uri, ANY);
    for (const [folder, skill] of this.#archived) {
      if (canonical.startsWith(folder)) return this.read(skill, uri, scope);
    }
    return undefined;
  }

  /** mcpkit knows a file by its bare name alone, where a URI has to encode it, and pins it by that name. */
  async #readFile(uri: string, scope: RequestScope): Promise<RawContents> {
    try {
      return await this.#readLive(uri, scope);
    } catch (error) {
      const bare = unencoded(uri);
      if (bare === undefined || !isSkillError(error, 'RESOURCE_NOT_FOUND')) throw error;
      // What went wrong with the bare name is nothing that anybody asked for.
      return this.#readLive(bare, scope).catch((second: unknown) => {
        throw isSkillError(second) ? error : second;
      });
    }
  }

  #readLive(uri: string, scope: RequestScope): Promise<RawContents> {
    return this.#context.connection.read(uri, this.#context.maxResourceBytes, scope);
  }

  #fetch({ archive, entry }: FoundSkill): FetchArchive {
    return async (scope) => {
      const uri = archive?.uri ?? entry.uri;
      const raw = await this.#readLive(uri, scope);
      requireSameUri(uri, raw.uri);
      return raw;
    };
  }

  async #judged(scope: RequestScope): Promise<
    JudgedEntries & {
      readonly ttlMs: number | undefined;
      readonly complete: boolean;
      readonly found: boolean;
    }
  > {
    const { connection, walk } = this.#context;
    const detected = scope.fresh === true ? undefined : this.#detected;
    this.#detected = undefined;
    const document = detected ?? (await readIndexDocument(connection, scope));
    if (document === undefined)
      return { skills: [], problems: [], ttlMs: undefined, complete: true, found: false };
    const entries = entriesOf(document);
    const judged = await judgeEntries(entries.slice(0, walk.maxEntries), indexSkill, 'url');
    this.#archived = new Map(
      judged.skills
        .filter(({ archive }) => archive !== undefined)
        .map((skill) => [canonicalUri(skill.entry.uri, ANY).replace(/[^/]*$/, ''), skill]),
    );
    const complete = entries.length <= walk.maxEntries;
    const problems = complete
      ? judged.problems
      : [...judged.problems, tooMany(entries.length, walk.maxEntries)];
    return { skills: judged.skills, problems, ttlMs: document.ttlMs, complete, found: true };
  }
}

/** The URI with nothing encoded; undefined: it is the same, or would mean something else. */
function unencoded(uri: string): string | undefined {
  const bare = uri.split('/').map(decodeSegment);
  if (bare.some((segment) => segment === undefined)) return undefined;
  const text = bare.join('/');
  return text === uri ? undefined : text;
}

function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  return /[/\\?#%\u0000-\u001f\u007f]/.test(text) ? undefined : text;
}

function tooMany(actual: number, limit: number): ListingProblem {
  const message = `the index has ${actual} entries, more than the limit of ${limit}; raise maxEntries`;
  return { code: 'LISTING_INCOMPLETE', message };
}

function isSame(uri: string, canonical: string): boolean {
  try {
    return canonicalUri(uri, ANY) === canonical;
  } catch {
    // The URI of a problem may be none.
    return false;
  }
}
