/**
 * The resources that one session of a 2025-era client wants to hear of.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { canonicalUri } from '../uri/index.ts';
import { quote } from '../uri/quote.ts';
import { type RawParams, uriOf } from './params.ts';
import { type WireHandler, wireHandler } from './register.ts';
import { canonicalOf, refuseLongUri } from './surfaces/lookup.ts';

/** The subscriptions of one session, by the URI as it is listed. */
export class Subscriptions {
  readonly #isServed: (uri: string) => boolean;
  readonly #uris: Set<string> = new Set();

  /** `isServed` tells whether something can be read at a URI. */
  constructor(isServed: (uri: string) => boolean) {
    this.#isServed = isServed;
  }

  /** Whether this URI, as it is listed, is subscribed to. */
  has(uri: string): boolean {
    return this.#uris.has(uri);
  }

  /** Whether a request about this URI, in any equivalent spelling, is about something here. */
  concern(uri: string): boolean {
    if (this.#isServed(uri)) return true;
    // What was subscribed to may be gone by now.
    const canonical = canonicalOf(uri);
    return canonical !== undefined && this.#uris.has(canonical);
  }

  /**
   * Answers `resources/subscribe`. Errors: `INVALID_REQUEST` (no URI, or too many), `URI_TOO_LONG`, those of
   * `parseSkillUri`, `RESOURCE_NOT_FOUND`.
   */
  subscribe(params: RawParams): object {
    const uri = uriOf(params);
    refuseLongUri(uri);
    if (!this.#isServed(uri)) {
      throw new SkillError('RESOURCE_NOT_FOUND', `no such resource: ${quote(uri)}`, { details: { uri } });
    }
    if (this.#uris.size >= LIMITS.subscriptions && !this.#uris.has(canonicalUri(uri))) {
      throw new SkillError(
        'INVALID_REQUEST',
        `this session has ${LIMITS.subscriptions} subscriptions, which is the most; unsubscribe from one, or rely on list_changed`,
        { details: { uri, limit: LIMITS.subscriptions } },
      );
    }
    this.#uris.add(canonicalUri(uri));
    return {};
  }

  /** Answers `resources/unsubscribe`; a URI that was never subscribed to is fine. Errors: as above, but for what is not served. */
  unsubscribe(params: RawParams): object {
    const uri = uriOf(params);
    refuseLongUri(uri);
    this.#uris.delete(canonicalUri(uri));
    return {};
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
