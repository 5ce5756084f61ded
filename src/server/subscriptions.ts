/**
 * The resources that one session of a 2025-era client wants to hear of.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { PROMPTS_INDEX_URI } from '../prompts/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { canonicalUri } from '../uri/index.ts';
import { quote } from '../uri/quote.ts';
import { type RawParams, uriOf } from './params.ts';
import { type WireHandler, wireHandler } from './register.ts';
import type { ServedUris } from './served-uris.ts';
import { refuseLongUri } from './surfaces/lookup.ts';

/** The subscriptions of one session, by the URI as it is listed. */
export class Subscriptions {
  readonly #served: Pick<ServedUris, 'isServed' | 'canonical'>;
  readonly #uris: Set<string> = new Set();

  constructor(served: Pick<ServedUris, 'isServed' | 'canonical'>) {
    this.#served = served;
  }

  /**
   * The subscriptions that hear of a change of `uri`, as it is listed: that of the same URI, and for the index of prompts
   * those of its pages, since each may be another one now.
   */
  heard(uri: string): readonly string[] {
    const same = this.#uris.has(uri) ? [uri] : [];
    if (uri !== PROMPTS_INDEX_URI) return same;
    return [...same, ...[...this.#uris].filter((each) => each.startsWith(`${PROMPTS_INDEX_URI}?`))];
  }

  /** Whether a request about this URI, in any equivalent spelling, is about something here. */
  async concern(uri: string): Promise<boolean> {
    if (await this.#served.isServed(uri)) return true;
    // What was subscribed to may be gone by now.
    const canonical = this.#served.canonical(uri);
    return canonical !== undefined && this.#uris.has(canonical);
  }

  /**
   * Answers `resources/subscribe`. Errors: `INVALID_REQUEST` (no URI, or too many), `URI_TOO_LONG`, those of
   * `parseSkillUri`, `RESOURCE_NOT_FOUND`.
   */
  async subscribe(params: RawParams): Promise<object> {
    const uri = uriOf(params);
    refuseLongUri(uri);
    if (!(await this.#served.isServed(uri))) {
      throw new SkillError('RESOURCE_NOT_FOUND', `no such resource: ${quote(uri)}`, { details: { uri } });
    }
    const key = this.#keyOf(uri);
    if (this.#uris.size >= LIMITS.subscriptions && !this.#uris.has(key)) {
      throw new SkillError(
        'INVALID_REQUEST',
        `this session has ${LIMITS.subscriptions} subscriptions, which is the most; unsubscribe from one, or rely on list_changed`,
        { details: { uri, limit: LIMITS.subscriptions } },
      );
    }
    this.#uris.add(key);
    return {};
  }

  /** Answers `resources/unsubscribe`; a URI that was never subscribed to is fine. Errors: as above, but for what is not served. */
  unsubscribe(params: RawParams): object {
    const uri = uriOf(params);
    refuseLongUri(uri);
    this.#uris.delete(this.#keyOf(uri));
    return {};
  }

  #keyOf(uri: string): string {
    return this.#served.canonical(uri) ?? canonicalUri(uri);
  }

  /** The handlers of the two methods; a client of 2026-07-28 has neither. */
  handlers(told: {
    readonly logger: Logger;
    readonly telemetry: Telemetry;
  }): ReadonlyMap<'resources/subscribe' | 'resources/unsubscribe', WireHandler> {
    return new Map([
      ['resources/subscribe', wireHandler('resources/subscribe', (params) => this.subscribe(params), told)],
      [
        'resources/unsubscribe',
        wireHandler('resources/unsubscribe', (params) => this.unsubscribe(params), told),
      ],
    ]);
  }
}
