/**
 * Skills of one MCP server, whichever dialect it speaks.
 *
 * @module
 */
import type { Client } from '@modelcontextprotocol/client';
import { systemClock } from '../clock.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { silentLogger } from '../logger.ts';
import { createTelemetry, type Telemetry } from '../telemetry/index.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { MANIFEST_FILENAME } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { type ActivateOptions, type ActivationEvent, tellActivation } from './activation.ts';
import { Connection } from './connection.ts';
import { ContentCache } from './content-cache.ts';
import { Dialects } from './detect.ts';
import type { RequestScope } from './dialect.ts';
import { DynamicGuard } from './dynamic.ts';
import { freezeSkill } from './entry-files.ts';
import { isRecord } from './json-record.ts';
import { Listings } from './listings.ts';
import type { SkillsClientOptions } from './options.ts';
import { readersOf } from './readers.ts';
import type { FoundSkill, SkillListing } from './skill.ts';
import { readVerified, STALE, type VerifiedFile } from './verified-read.ts';

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
  readonly #telemetry: Telemetry;
  readonly #connection: Connection;
  readonly #dialects: Dialects;
  readonly #listings: Listings;
  readonly #cache: ContentCache;
  readonly #dynamic: DynamicGuard;
  /** Skills whose files a listing did not tell, by what the listing gave. */
  #resolved: WeakMap<FoundSkill, FoundSkill> = new WeakMap();

  /** `client` is connected. Errors: `USAGE` for options that contradict one another. */
  constructor(client: Client, options: SkillsClientOptions = {}) {
    const { clock = systemClock, random = Math.random, logger = silentLogger, cacheBytes } = options;
    this.#options = options;
    this.#telemetry = createTelemetry(options);
    this.#connection = new Connection(client, { ...options, clock, random, telemetry: this.#telemetry });
    const readers = readersOf(
      {
        connection: this.#connection,
        walk: {
          maxPages: capOf(options.maxPages, LIMITS.clientPages),
          maxEntries: capOf(options.maxEntries, LIMITS.clientEntries),
          clock,
        },
        maxResourceBytes: capOf(options.maxResourceBytes, LIMITS.clientResourceBytesOther),
        clock,
        logger,
      },
      options,
    );
    this.#dialects = new Dialects(this.#connection, readers, options.dialect !== undefined);
    this.#listings = new Listings({
      connection: this.#connection,
      dialects: this.#dialects,
      telemetry: this.#telemetry,
      clock,
    });
    this.#cache = new ContentCache(cacheBytes === false ? 0 : capOf(cacheBytes, LIMITS.clientCacheBytes));
    this.#dynamic = new DynamicGuard(options.dynamic);
  }

  /** The label that the host gave this server. */
  get origin(): string | undefined {
    return this.#options.origin;
  }

  /** Whether the server declares the skills extension, in the released or the draft form (seed `SupportsSkills`). */
  get supportsSkills(): boolean {
    return this.#connection.skillsSettings !== undefined;
  }

  /** Whether the server declares that it reads directories (seed `SupportsDirectoryRead`, requirement H1). */
  get supportsDirectoryRead(): boolean {
    const settings = this.#connection.skillsSettings;
    if (settings === undefined) return false;
    const { config } = settings;
    return settings.directoryRead === true || (isRecord(config) && config.directoryRead === true);
  }

  /** Bytes counted against `serverByteBudget`; 0 without one (seed `BytesConsumed`). */
  get bytesConsumed(): number {
    return this.#connection.budget.consumed;
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
    return this.#listings.list(scope);
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
  async getSkill(uri: string, scope: RequestScope = {}): Promise<FoundSkill> {
    const canonical = canonicalUri(uri, { anyScheme: true });
    return this.#telemetry.span('skills.get', { 'mcp.skill.uri': uri }, () =>
      this.#dialects.with(
        scope,
        async (reader) => {
          if (reader.dialect !== 'plain' && !canonical.endsWith(`/${MANIFEST_FILENAME}`)) {
            throw new SkillError('NOT_MANIFEST_URI', `${quote(uri)} does not end in /${MANIFEST_FILENAME}`, {
              details: { uri },
            });
          }
          return freezeSkill(await reader.get(uri, scope));
        },
        () => {
          throw new SkillError(
            'RESOURCE_NOT_FOUND',
            `${quote(uri)}: the server offers no skills in any dialect`,
            {
              details: { uri },
            },
          );
        },
      ),
    );
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
  async read(skill: FoundSkill, ref?: string, scope: RequestScope = {}): Promise<VerifiedFile> {
    const attributes = {
      'mcp.skill.uri': skill.entry.uri,
      ...(ref === undefined ? {} : { 'mcp.skill.file': ref }),
    };
    return this.#telemetry.span('skills.read', attributes, async (span) => {
      const reader = this.#dialects.readerOf(skill.dialect);
      try {
        const told = await this.#told(skill, scope);
        const isReleased = skill.dialect === 'released';
        const file = await readVerified(
          {
            reader,
            cache: this.#cache,
            dynamic: this.#dynamic,
            maxResourceBytes: capOf(
              this.#options.maxResourceBytes,
              isReleased ? LIMITS.clientResourceBytes : LIMITS.clientResourceBytesOther,
            ),
          },
          told,
          ref,
          scope,
        );
        span.readBytes(file.bytes.byteLength);
        return file;
      } catch (error) {
        // The skill was edited, or the server lies: either way what is known of it is no longer good.
        if (isSkillError(error) && STALE.has(error.code)) this.forget();
        throw error;
      }
    });
  }

  /**
   * Drops listings and entries that were kept as fresh: call it when the server tells that its resources changed.
   *
   * @example
   * mcpClient.setNotificationHandler('notifications/resources/list_changed', () => client.forget())
   */
  forget(): void {
    this.#listings.forget();
    this.#resolved = new WeakMap();
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
    return tellActivation(uri, options, { telemetry: this.#telemetry, onActivate, logger });
  }

  /** The skill with its files, which some dialects tell only when asked. */
  async #told(skill: FoundSkill, scope: RequestScope): Promise<FoundSkill> {
    if (skill.entry.resources !== 'on-request') return skill;
    const held = this.#resolved.get(skill);
    if (held !== undefined) return held;
    const told = freezeSkill(await this.#dialects.readerOf(skill.dialect).get(skill.entry.uri, scope));
    this.#resolved.set(skill, told);
    return told;
  }
}
