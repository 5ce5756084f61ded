/**
 * Getting skills and reading their files, by the reader that each came from.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { MANIFEST_FILENAME } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import type { ContentCache } from './content-cache.ts';
import type { Dialects } from './detect.ts';
import type { RequestScope } from './dialect.ts';
import type { DynamicGuard } from './dynamic.ts';
import { freezeSkill } from './entry-files.ts';
import type { Listings } from './listings.ts';
import type { FoundSkill } from './skill.ts';
import { readVerified, STALE, type VerifiedFile } from './verified-read.ts';

/** What {@link SkillReads} stands on. */
export interface SkillReadParts {
  readonly dialects: Dialects;
  readonly listings: Listings;
  readonly telemetry: Telemetry;
  readonly cache: ContentCache;
  readonly dynamic: DynamicGuard;
  readonly maxResourceBytes: number | undefined;
}

/** Gets and reads skills of one server. */
export class SkillReads {
  readonly #parts: SkillReadParts;
  /** Skills whose files a listing did not tell, by what the listing gave. */
  #told: WeakMap<FoundSkill, FoundSkill> = new WeakMap();

  constructor(parts: SkillReadParts) {
    this.#parts = parts;
  }

  /** See `SkillsClient.getSkill`. */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    const canonical = canonicalUri(uri, { anyScheme: true });
    const { telemetry, dialects } = this.#parts;
    return telemetry.span('skills.get', { 'mcp.skill.uri': uri }, () =>
      dialects.with(
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

  /** See `SkillsClient.read`. */
  async read(skill: FoundSkill, ref: string | undefined, scope: RequestScope): Promise<VerifiedFile> {
    const { telemetry, dialects, cache, dynamic, maxResourceBytes } = this.#parts;
    if (typeof skill?.entry?.uri !== 'string') {
      throw new SkillError('INVALID_ENTRY', 'there is no skill to read; an empty listing gives none', {
        details: { at: 'entry' },
      });
    }
    const attributes = {
      'mcp.skill.uri': skill.entry.uri,
      ...(ref === undefined ? {} : { 'mcp.skill.file': ref }),
    };
    return telemetry.span('skills.read', attributes, async (span) => {
      const usual =
        skill.dialect === 'released' ? LIMITS.clientResourceBytes : LIMITS.clientResourceBytesOther;
      const context = {
        reader: dialects.readerOf(skill.dialect),
        cache,
        dynamic,
        maxResourceBytes: capOf(maxResourceBytes, usual),
      };
      try {
        const file = await readVerified(context, await this.told(skill, scope), ref, scope);
        span.readBytes(file.bytes.byteLength);
        return file;
      } catch (error) {
        // The skill was edited, or the server lies: either way what is known of it is no longer good.
        if (isSkillError(error) && STALE.has(error.code)) this.forget();
        throw error;
      }
    });
  }

  /** The skill with its files, which some dialects tell only when asked. */
  async told(skill: FoundSkill, scope: RequestScope): Promise<FoundSkill> {
    if (skill.entry.resources !== 'on-request') return skill;
    const held = this.#told.get(skill);
    if (held !== undefined) return held;
    const reader = this.#parts.dialects.readerOf(skill.dialect);
    const told = freezeSkill(await (reader.tell?.(skill, scope) ?? reader.get(skill.entry.uri, scope)));
    this.#told.set(skill, told);
    return told;
  }

  /** What was kept as fresh counts no more. */
  forget(): void {
    this.#parts.listings.forget();
    this.#told = new WeakMap();
  }
}
