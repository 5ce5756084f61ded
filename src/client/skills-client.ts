/**
 * Skills of one MCP server, whichever dialect it speaks.
 *
 * @module
 */
import type { Client } from '@modelcontextprotocol/client';
import { SkillError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import { quote } from '../uri/quote.ts';
import type { DirectoryResource, Index, IndexEntry, ReadDirectoryResult } from '../wire/index.ts';
import { type ActivateOptions, type ActivationEvent, tellActivation } from './activation.ts';
import { type ClientParts, clientParts } from './client-parts.ts';
import type { RequestScope } from './dialect.ts';
import {
  type ReadDirectoryOptions,
  readDirectoryPage,
  type WalkDirectoryOptions,
  walkDirectories,
} from './directory.ts';
import { isRecord } from './json-record.ts';
import { loadEntries, loadFound } from './load.ts';
import type { LoadedSkill } from './load-result.ts';
import type { SkillsClientOptions } from './options.ts';
import type { ReadResult, SkillManifest } from './seed-reads.ts';
import type { FoundSkill, SkillListing } from './skill.ts';
import type { VerifiedFile } from './verified-read.ts';

/**
 * Lists, gets and reads the skills of one server, every file checked against what the server itself published (seed
 * `Client`). Nothing is fetched before it is asked for (requirement H34).
 *
 * @example
 * const client = new SkillsClient(mcpClient, { origin: 'docs' })
 * const { skills } = await client.listSkills()
 * const { body } = await client.read(skills[0])
 */
export class SkillsClient {
  readonly #options: SkillsClientOptions;
  readonly #parts: ClientParts;

  /** `client` is connected. Errors: `USAGE` for options that contradict one another; `NET_URL_REFUSED`. */
  constructor(client: Client, options: SkillsClientOptions = {}) {
    this.#options = options;
    this.#parts = clientParts(client, options);
  }

  /** The label that the host gave this server. */
  get origin(): string | undefined {
    return this.#options.origin;
  }

  /** Whether the server declares the skills extension, in the released or the draft form (seed `SupportsSkills`). */
  get supportsSkills(): boolean {
    return this.#parts.connection.skillsSettings !== undefined;
  }

  /** Whether the server declares that it reads directories (seed `SupportsDirectoryRead`, requirement H1). */
  get supportsDirectoryRead(): boolean {
    const settings = this.#parts.connection.skillsSettings;
    if (settings === undefined) return false;
    const { config } = settings;
    return settings.directoryRead === true || (isRecord(config) && config.directoryRead === true);
  }

  /** Bytes counted against `serverByteBudget`; 0 without one (seed `BytesConsumed`). */
  get bytesConsumed(): number {
    return this.#parts.connection.budget.consumed;
  }

  /**
   * The skills of the server, as far as it tells them: an empty listing proves nothing (requirement H20). One invalid
   * entry is a problem and takes nothing else down; a cap or a cursor that leads nowhere makes it not `complete`.
   *
   * The same listing is given while the `ttlMs` of the server lasts; `fresh` asks again.
   *
   * Errors: `SERVER_UNREACHABLE`, `SERVER_ERROR`, `INVALID_RESULT`, `METHOD_NOT_FOUND`; the reason of a signal.
   *
   * @example
   * const { skills, complete, problems } = await client.listSkills()
   */
  listSkills(scope: RequestScope = {}): Promise<SkillListing> {
    return this.#parts.listings.list(scope);
  }

  /**
   * One skill by the URI of its `SKILL.md`, listed or not, with its files told (requirement H21).
   *
   * Errors: `NOT_MANIFEST_URI` and those of `canonicalUri`; `RESOURCE_NOT_FOUND`, `INVALID_ENTRY`, `URI_MISMATCH`, those
   * of {@link SkillsClient.listSkills}.
   *
   * @example
   * const skill = await client.getSkill('skill://pdf/SKILL.md')
   */
  getSkill(uri: string, scope: RequestScope = {}): Promise<FoundSkill> {
    return this.#parts.reads.get(uri, scope);
  }

  /**
   * One file of a skill, checked against the entry; `ref` is relative to the skill's folder or absolute, by default its
   * `SKILL.md`. See `readVerified` for the checks and their order.
   *
   * Errors: `UNLISTED_FILE`, `SUPPORTING_FILE_UNPINNED`, `DYNAMIC_REFUSED`, `RESOURCE_TOO_LARGE` before any request;
   * `URI_MISMATCH`, `SIZE_MISMATCH`, `DIGEST_MISMATCH`, `FRONTMATTER_MISMATCH`: nothing of the file may be used; those of
   * `resolveRelative`, of the connection and of archives; `INVALID_ENTRY` for a skill that no client gave.
   *
   * @example
   * const { text } = await client.read(skill, 'references/FORMS.md')
   */
  read(skill: FoundSkill, ref?: string, scope: RequestScope = {}): Promise<VerifiedFile> {
    return this.#parts.reads.read(skill, ref, scope);
  }

  /**
   * The bytes of any resource, checked against nothing but the URI in the answer: no load of a skill (requirement H23;
   * seed `ReadSkillURI`).
   *
   * Errors: `RESOURCE_NOT_FOUND`, `RESOURCE_TOO_LARGE`, `SERVER_BYTE_BUDGET_EXCEEDED`, `URI_MISMATCH`, `INVALID_RESULT`,
   * those of the connection.
   */
  readSkillUri(uri: string, scope: RequestScope = {}): Promise<Uint8Array> {
    return this.#parts.seed.uri(uri, scope);
  }

  /**
   * The bytes of a resource that have the digest; an empty digest checks nothing (seed `ReadAndVerify`).
   *
   * Errors: `DIGEST_MISMATCH`, those of {@link SkillsClient.readSkillUri}.
   */
  readAndVerify(uri: string, digest: string, scope: RequestScope = {}): Promise<ReadResult> {
    return this.#parts.seed.verified(uri, digest, scope);
  }

  /**
   * A `SKILL.md` with its frontmatter parsed and compared with nothing (seed `ReadSkillManifest`).
   *
   * Errors: `NOT_MANIFEST_URI`, those of `parseSkillUri`, `parseFrontmatter` and {@link SkillsClient.readSkillUri}.
   */
  readSkillManifest(uri: string, scope: RequestScope = {}): Promise<SkillManifest> {
    return this.#parts.seed.manifest(uri, scope);
  }

  /**
   * A file that a `SKILL.md` refers to, unchecked (seed `ReadSkillFile`).
   *
   * Errors: those of `resolveRelative`, before any request, and of {@link SkillsClient.readSkillUri}.
   */
  async readSkillFile(
    manifest: Pick<SkillManifest, 'uri'>,
    ref: string,
    scope: RequestScope = {},
  ): Promise<Uint8Array> {
    return this.#parts.seed.file(manifest, ref, scope);
  }

  /**
   * The same, checked against the digest that the entry states; `SKILL.md` itself is not pinned by an entry of an index
   * (seed `ReadSkillFileVerified`).
   *
   * Errors: `SUPPORTING_FILE_UNPINNED` before any request; `DIGEST_MISMATCH`, those of {@link SkillsClient.readSkillFile}.
   */
  readSkillFileVerified(
    entry: IndexEntry | FoundSkill,
    manifest: Pick<SkillManifest, 'uri'>,
    ref: string,
    scope: RequestScope = {},
  ): Promise<ReadResult> {
    return this.#parts.seed.fileVerified(entry, manifest, ref, scope);
  }

  /**
   * The draft index, no rule applied to its entries; without schema and entries when the server has none (seed
   * `ListSkills`).
   *
   * Errors: `INVALID_INDEX`, those of the connection.
   */
  readIndex(scope: RequestScope = {}): Promise<Index> {
    return this.#parts.seed.index(scope);
  }

  /** What became of each entry of an index, sorted by URL; a failure stands at its entry (seed `LoadIndex`). */
  loadIndex(index: Index, scope: RequestScope = {}): Promise<LoadedSkill[]> {
    return loadEntries(index, (uri, digest) => this.readAndVerify(uri, digest, scope), scope);
  }

  /**
   * Every `SKILL.md` of the server in whatever dialect, sorted by URI; a failure stands at its skill (seed `LoadAll`).
   * Outside an index of the older draft, each is checked as {@link SkillsClient.read} does it.
   *
   * Errors: those of {@link SkillsClient.listSkills} and {@link SkillsClient.readIndex}.
   */
  async loadAll(scope: RequestScope = {}): Promise<LoadedSkill[]> {
    const { reader } = await this.#parts.dialects.detect(scope);
    if (reader?.dialect === 'draft-index') {
      const index = await this.readIndex(scope);
      if (index.skills.some(({ type }) => `${type}` !== '')) return this.loadIndex(index, scope);
    }
    const { skills } = await this.listSkills(scope);
    return loadFound(skills, this.#parts.reads, scope);
  }

  /**
   * One page of the direct children of a directory (seed `ReadDirectory`). With `skill`, what its entry does not list is
   * left out; a directory never adds to an entry (requirements H38, H40).
   *
   * Errors: `DIRECTORY_READ_NOT_SUPPORTED` before any request; `INVALID_RESULT`, `RESOURCE_NOT_FOUND`, those of the
   * connection.
   */
  async readDirectory(uri: string, options: ReadDirectoryOptions = {}): Promise<ReadDirectoryResult> {
    this.#requireDirectories(uri);
    const { connection, telemetry } = this.#parts;
    return telemetry.span('skills.read_directory', { 'mcp.skill.uri': uri }, async (span) => {
      const page = await readDirectoryPage(connection, uri, options);
      span.set('mcp.skill.entries', page.resources.length);
      return page;
    });
  }

  /**
   * Everything below a directory, each place once, within the caps of a list.
   *
   * Errors: `LISTING_INCOMPLETE` after what a cap let through; those of {@link SkillsClient.readDirectory}.
   */
  async *walkDirectory(
    uri: string,
    options: WalkDirectoryOptions = {},
  ): AsyncGenerator<DirectoryResource, void, void> {
    this.#requireDirectories(uri);
    yield* walkDirectories(this.#parts.connection, this.#parts.walk, uri, options);
  }

  /**
   * Drops listings and entries that were kept as fresh: call it when the server tells that its resources changed.
   *
   * @example
   * mcpClient.setNotificationHandler('notifications/resources/list_changed', () => client.forget())
   */
  forget(): void {
    this.#parts.reads.forget();
  }

  /**
   * Tells that the host puts a skill into the context of its model, and returns what was told (seed `Activate`). Nothing
   * is sent; it never throws and judges no URI.
   *
   * @example
   * client.activate(skill.entry.uri, { reason: 'user_requested' })
   */
  activate(uri: string, options: ActivateOptions = {}): ActivationEvent {
    const { onActivate, logger = silentLogger } = this.#options;
    return tellActivation(uri, options, { telemetry: this.#parts.telemetry, onActivate, logger });
  }

  #requireDirectories(uri: string): void {
    if (this.supportsDirectoryRead) return;
    throw new SkillError(
      'DIRECTORY_READ_NOT_SUPPORTED',
      `${quote(uri)} is not asked for: the server does not declare directoryRead`,
      { details: { uri } },
    );
  }
}
