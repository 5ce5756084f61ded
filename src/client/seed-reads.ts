/**
 * Reading by URI, as the Go package does it: what is checked is what the caller asks for.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { type Frontmatter, parseFrontmatter } from '../format/index.ts';
import { verifyDigest } from '../integrity/index.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { formatSkillUri } from '../uri/format.ts';
import { MANIFEST_FILENAME, parseSkillUri } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { resolveRelative } from '../uri/resolve.ts';
import { fileDigest, type Index, type IndexEntry } from '../wire/index.ts';
import { requireSameUri } from './answer-uri.ts';
import type { Connection } from './connection.ts';
import type { Dialects } from './detect.ts';
import type { RawContents, RequestScope } from './dialect.ts';
import { filesOf } from './entry-files.ts';
import { indexOf, readIndexDocument } from './index-document.ts';
import type { FoundSkill } from './skill.ts';

/** A `SKILL.md` as it was read (seed `SkillManifest`). */
export interface SkillManifest {
  readonly uri: string;
  readonly frontmatter: Frontmatter;
  /** What follows the frontmatter. */
  readonly body: string;
  /** The bytes as they came: digests are over these. */
  readonly raw: Uint8Array;
}

/** Bytes, and whether they were checked (seed `ReadResult`). */
export interface ReadResult {
  readonly uri: string;
  readonly bytes: Uint8Array;
  /** They have the digest that was given. */
  readonly digestVerified: boolean;
}

/** What {@link SeedReads} stands on. */
export interface SeedReadParts {
  readonly connection: Connection;
  readonly dialects: Dialects;
  readonly telemetry: Telemetry;
  readonly maxResourceBytes: number | undefined;
  /** Files may stand elsewhere than on the MCP server, so that the dialect has to be known before a read. */
  readonly elsewhere: boolean;
}

const ANY = { anyScheme: true, nested: true } as const;

/** Reads of one server by URI. */
export class SeedReads {
  readonly #parts: SeedReadParts;

  constructor(parts: SeedReadParts) {
    this.#parts = parts;
  }

  /** The bytes of any resource, checked against nothing but the URI in the answer (seed `ReadSkillURI`). */
  async uri(uri: string, scope: RequestScope): Promise<Uint8Array> {
    return this.#parts.telemetry.span('skills.read', { 'mcp.skill.uri': uri }, async (span) => {
      const raw = await this.#raw(uri, scope);
      requireSameUri(uri, raw.uri);
      span.readBytes(raw.bytes.byteLength);
      return raw.bytes;
    });
  }

  /** The bytes of a resource that have the digest; an empty one checks nothing (seed `ReadAndVerify`). */
  async verified(uri: string, digest: string, scope: RequestScope): Promise<ReadResult> {
    const attributes = { 'mcp.skill.uri': uri, 'mcp.skill.expected_digest': digest };
    return this.#parts.telemetry.span('skills.read_and_verify', attributes, async (span) => {
      const bytes = await this.uri(uri, scope);
      const digestVerified = verifyDigest(bytes, digest, uri);
      span.set('mcp.skill.digest_verified', digestVerified);
      return { uri, bytes, digestVerified };
    });
  }

  /** A `SKILL.md`, parsed (seed `ReadSkillManifest`). */
  async manifest(uri: string, scope: RequestScope): Promise<SkillManifest> {
    return this.#parts.telemetry.span('skills.read_manifest', { 'mcp.skill.uri': uri }, async (span) => {
      const { isManifest, skillPath } = parseSkillUri(uri, ANY);
      if (!isManifest) {
        throw new SkillError('NOT_MANIFEST_URI', `${quote(uri)} does not end in /${MANIFEST_FILENAME}`, {
          details: { uri },
        });
      }
      span.set('mcp.skill.path', skillPath.join('/'));
      const raw = await this.uri(uri, scope);
      const frontmatter = parseFrontmatter(raw);
      span.set('mcp.skill.name', frontmatter.name);
      return { uri, frontmatter, body: frontmatter.body, raw };
    });
  }

  /** A file that a `SKILL.md` refers to, unchecked (seed `ReadSkillFile`). */
  file(manifest: Pick<SkillManifest, 'uri'>, ref: string, scope: RequestScope): Promise<Uint8Array> {
    return this.uri(formatSkillUri(resolveRelative(manifest.uri, ref, ANY), ANY), scope);
  }

  /** The same, checked against the digest that the entry states (seed `ReadSkillFileVerified`). */
  async fileVerified(
    entry: IndexEntry | FoundSkill,
    manifest: Pick<SkillManifest, 'uri'>,
    ref: string,
    scope: RequestScope,
  ): Promise<ReadResult> {
    const resolved = resolveRelative(manifest.uri, ref, ANY);
    const uri = formatSkillUri(resolved, ANY);
    const pin =
      'entry' in entry
        ? filesOf(entry).files?.get(uri)?.digest
        : fileDigest(entry, resolved.filePath.join('/'));
    if (pin === undefined || pin === '') {
      throw new SkillError(
        'SUPPORTING_FILE_UNPINNED',
        `the entry states no digest for ${quote(uri)}; readSkillFile reads it unchecked`,
        { details: { uri } },
      );
    }
    return this.verified(uri, pin, scope);
  }

  /** The draft index; one without schema and skills when the server has none (seed `ListSkills`). */
  async index(scope: RequestScope): Promise<Index> {
    const { connection, telemetry } = this.#parts;
    return telemetry.span('skills.list', { 'mcp.skill.uri': 'skill://index.json' }, async (span) => {
      const document = await readIndexDocument(connection, scope);
      if (document === undefined) {
        span.set('mcp.skill.index_absent', true);
        return { $schema: '', skills: [] };
      }
      const index = indexOf(document);
      span.set('mcp.skill.count', index.skills.length);
      return index;
    });
  }

  async #raw(uri: string, scope: RequestScope): Promise<RawContents> {
    const { connection, dialects, elsewhere, maxResourceBytes } = this.#parts;
    const reader = elsewhere ? (await dialects.detect(scope)).reader : dialects.known;
    const elsewhereFound = await reader?.readUri?.(uri, scope);
    if (elsewhereFound !== undefined) return elsewhereFound;
    const usual = dialects.isReleased ? LIMITS.clientResourceBytes : LIMITS.clientResourceBytesOther;
    return connection.read(uri, capOf(maxResourceBytes, usual), scope);
  }
}
