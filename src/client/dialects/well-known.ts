/**
 * The `well-known` dialect: skills that a web server publishes below `/.well-known/`.
 *
 * @module
 */
import { detectArchiveFormat } from '../../archive/index.ts';
import { isSkillError, SkillError, type SkillErrorCode } from '../../errors.ts';
import { isLosslessText } from '../../integrity/index.ts';
import { mimeTypeFor } from '../../mime.ts';
import { printableUrl } from '../../net/index.ts';
import { uriFromSegments } from '../../uri/format.ts';
import { MANIFEST_FILENAME, parseSkillUri } from '../../uri/parse.ts';
import { quote } from '../../uri/quote.ts';
import { encodeSegment } from '../../uri/segment.ts';
import type { DiscoveredSkill, LegacyEntry } from '../../wire/index.ts';
import type { DialectListing, DialectReader, RawContents, RequestScope } from '../dialect.ts';
import { freezeSkill } from '../entry-files.ts';
import { judgeEntries } from '../judge-entries.ts';
import { resourcesBelow } from '../listed-files.ts';
import type { ReaderContext } from '../reader-context.ts';
import type { FoundSkill, ListingProblem } from '../skill.ts';
import type { ArchiveFiles } from './archive-files.ts';
import { WebFetch, type WebFetchOptions, type WebFile } from './web-fetch.ts';
import { type WellKnownIndex, WellKnownIndexes, type WellKnownIndexProblem } from './well-known-index.ts';

/** What {@link WellKnownReader} works with. */
export interface WellKnownReaderOptions extends WebFetchOptions {
  readonly archives: ArchiveFiles;
  /** See `ParseWellKnownOptions.tolerant`. @default false */
  readonly tolerant?: boolean | undefined;
}

const MIME_TYPE = /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/;

type Entry = DiscoveredSkill | LegacyEntry;

/** Reads what one web server publishes. */
export class WellKnownReader implements DialectReader {
  readonly dialect = 'well-known';
  readonly #archives: ArchiveFiles;
  readonly #web: WebFetch;
  readonly #indexes: WellKnownIndexes;

  /** Errors: `NET_URL_REFUSED` for a URL that is not one of a web server. */
  constructor(context: ReaderContext, options: WellKnownReaderOptions) {
    const { url, archives, tolerant = false } = options;
    this.#archives = archives;
    this.#web = new WebFetch(context, options);
    this.#indexes = new WellKnownIndexes({ url, web: this.#web, tolerant, clock: context.clock });
  }

  /** Whether there is an index, also one that breaks its rules: its listing then says which. */
  async detect(scope: RequestScope): Promise<boolean> {
    return (await this.#indexes.read(scope)).found;
  }

  /**
   * The skills of the index in force. A skill has the URI `skill://<name>/SKILL.md`, since names are unique in an index
   * and the URL of its file or archive may lie anywhere.
   */
  async list(scope: RequestScope): Promise<DialectListing> {
    const index = await this.#indexes.read(scope);
    const { ttlMs } = index;
    const complete = !index.problems.some(({ code }) => code === 'TOO_MANY_ENTRIES');
    const entries = [...index.discovered.values(), ...index.legacy.values()];
    const { skills, problems } = await judgeEntries(entries, (entry) => skillOf(entry as Entry));
    const told = [...index.problems.map(problemOf), ...problems];
    if (!index.found) told.push(nowhere(this.#indexes.places, index.denied));
    return {
      skills,
      complete,
      ...(index.found ? {} : { spoken: false }),
      problems: told,
      ...(ttlMs === undefined ? {} : { ttlMs }),
    };
  }

  /**
   * One skill of the index, with the files of its archive. Errors: `RESOURCE_NOT_FOUND`, those of `parseSkillUri`, of
   * {@link WebFetch.fetch} and of {@link ArchiveFiles.get}.
   */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    const index = await this.#indexes.read(scope);
    const entry = entryIn(index, uri);
    if (entry === undefined) throw notFound(uri, 'is not in the index of the web server');
    return this.tell(freezeSkill(skillOf(entry)), scope);
  }

  /** The skill with the files of its archive, if it comes as one: the one that was listed, whatever the index says by now. */
  async tell(skill: FoundSkill, scope: RequestScope): Promise<FoundSkill> {
    return skill.archive === undefined ? skill : this.#archives.get(skill, this.#archiveAt(skill), scope);
  }

  /** The bytes of one file. Errors: `RESOURCE_NOT_FOUND`, those of {@link WebFetch.fetch} and of {@link ArchiveFiles.read}. */
  async read(skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents> {
    if (skill.archive !== undefined) {
      return this.#archives.read(skill, uri, this.#archiveAt(skill), scope);
    }
    const { url, path } = await this.#placeOf(skill, uri, scope);
    const file = await this.#file(url, uri, '*/*', scope);
    const type = file.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
    const mimeType =
      type !== undefined && MIME_TYPE.test(type) ? type : mimeTypeFor(path, isLosslessText(file.bytes));
    return { uri, bytes: file.bytes, mimeType, cached: cameFromCache(file, scope) };
  }

  /** A file by its URI: none of these is a resource of the MCP server. Errors: as for {@link WellKnownReader.read}. */
  async readUri(uri: string, scope: RequestScope): Promise<RawContents> {
    const [name = ''] = parseSkillUri(uri, { nested: true }).segments;
    const { discovered, legacy } = await this.#indexes.read(scope);
    const entry = discovered.get(name) ?? legacy.get(name);
    if (entry === undefined) throw notFound(uri, 'is not in the index of the web server');
    return this.read(skillOf(entry), uri, scope);
  }

  #archiveAt({ archive, entry }: FoundSkill): (scope: RequestScope) => Promise<RawContents> {
    const url = archive?.uri ?? '';
    return async (scope) => {
      const file = await this.#file(url, entry.uri, 'application/gzip, application/zip, */*;q=0.1', scope);
      return { uri: url, bytes: file.bytes, cached: cameFromCache(file, scope) };
    };
  }

  /** The URL of a file of a skill that is no archive, by the index that is known; one that is not known is read. */
  async #placeOf(
    { entry }: FoundSkill,
    uri: string,
    scope: RequestScope,
  ): Promise<{ readonly url: string; readonly path: string }> {
    const held = scope.fresh === true ? undefined : this.#indexes.held;
    const index = held ?? (await this.#indexes.read(scope));
    const known = entryIn(index, entry.uri);
    const { segments } = parseSkillUri(uri, { nested: true });
    const [name, ...names] = segments;
    const path = names.join('/');
    if (known !== undefined && name === known.name) {
      if ('files' in known && known.files.includes(path)) {
        return { url: new URL(segments.map(encodeSegment).join('/'), index.url).href, path };
      }
      if ('url' in known && known.type === 'skill-md' && path === MANIFEST_FILENAME) {
        return { url: known.url, path };
      }
    }
    throw notFound(uri, 'is not named by the index of the web server; get the skill again');
  }

  async #file(url: string, uri: string, accept: string, scope: RequestScope): Promise<WebFile> {
    try {
      return await this.#web.fetch({ ...scope, url, accept });
    } catch (error) {
      if (!isSkillError(error, 'NET_STATUS') || ![404, 410].includes(Number(error.details.status)))
        throw error;
      throw notFound(uri, `is missing: ${error.message}`, error);
    }
  }
}

function manifestOf(name: string): string {
  return uriFromSegments([name, MANIFEST_FILENAME]);
}

function skillOf(entry: Entry): FoundSkill {
  const uri = manifestOf(entry.name);
  const frontmatter = { name: entry.name, description: entry.description };
  const labels = { dialect: 'well-known', wholeFrontmatter: false } as const;
  if ('files' in entry) {
    const files = entry.files.map((path) => ({ path }));
    const resources = resourcesBelow(uri, files, 'INVALID_INDEX');
    return { ...labels, integrity: 'none', entry: { uri, frontmatter, resources } };
  }
  const { type, url, digest } = entry;
  if (type === 'skill-md') {
    return { ...labels, integrity: 'complete', entry: { uri, frontmatter, resources: [{ uri, digest }] } };
  }
  const format = detectArchiveFormat(new URL(url).pathname, new Uint8Array(0));
  return {
    ...labels,
    integrity: 'complete',
    entry: { uri, frontmatter, resources: 'on-request' },
    archive: { uri: url, digest, ...(format === 'tar.gz' || format === 'zip' ? { format } : {}) },
  };
}

function entryIn({ discovered, legacy }: WellKnownIndex, uri: string): Entry | undefined {
  const { segments } = parseSkillUri(uri, { nested: true });
  const [name = '', file] = segments;
  if (segments.length !== 2 || file !== MANIFEST_FILENAME) return undefined;
  return discovered.get(name) ?? legacy.get(name);
}

/** A shared cache on the way says so; it may hold an older file than the index names. */
function cameFromCache({ headers }: WebFile, { fresh }: RequestScope): boolean {
  return headers.age !== undefined && fresh !== true;
}

function problemOf({ code, severity, at, message, url }: WellKnownIndexProblem): ListingProblem {
  const where = `${at === '' ? '' : `${at} of `}${printableUrl(url)}`;
  const told = `${where}: ${message}`;
  return { code: CODES[code] ?? 'INVALID_ENTRY', message: severity === 'error' ? told : `${told} (warning)` };
}

const CODES: Partial<Record<WellKnownIndexProblem['code'], SkillErrorCode>> = {
  NOT_JSON: 'INVALID_INDEX',
  NO_SKILLS: 'INVALID_INDEX',
  SCHEMA: 'INVALID_INDEX',
  TOO_MANY_ENTRIES: 'LISTING_INCOMPLETE',
  NAME: 'INVALID_SKILL_NAME',
  DUPLICATE_NAME: 'URI_TAKEN',
  TYPE: 'UNKNOWN_SKILL_TYPE',
};

function nowhere(places: readonly string[], denied: number | undefined): ListingProblem {
  const hint = denied === undefined ? '' : `; it answers ${denied}, so a token may be missing or wrong`;
  return {
    code: 'RESOURCE_NOT_FOUND',
    message: `the web server has no index of skills; looked at ${places.map(printableUrl).join(', ')}${hint}`,
  };
}

function notFound(uri: string, why: string, cause?: unknown): SkillError {
  return new SkillError('RESOURCE_NOT_FOUND', `${quote(uri)} ${why}`, { details: { uri }, cause });
}
