/**
 * Listings of one server: asked for as seldom as the server allows, and not more often than it can bear.
 *
 * @module
 */
import { type Clock, MAX_TIMER_MS } from '../clock.ts';
import { isSkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Connection } from './connection.ts';
import type { Dialects } from './detect.ts';
import type { RequestScope } from './dialect.ts';
import { freezeSkill } from './entry-files.ts';
import { ListingCache } from './listing-cache.ts';
import { SharedRuns } from './shared-runs.ts';
import type { ClientDialect, ListingProblem, SkillListing } from './skill.ts';

/** What {@link Listings} stands on. */
export interface ListingParts {
  readonly connection: Connection;
  readonly dialects: Dialects;
  readonly telemetry: Telemetry;
  readonly clock: Clock;
}

/** A server that has no skills is asked again after this, ms. */
const NOTHING_MS = 30_000;

/** Lists one server. */
export class Listings {
  readonly #parts: ListingParts;
  readonly #cache: ListingCache<SkillListing>;
  readonly #runs: SharedRuns<SkillListing> = new SharedRuns();
  #generation = 0;

  constructor(parts: ListingParts) {
    this.#parts = parts;
    this.#cache = new ListingCache(parts.clock);
  }

  /**
   * The listing that counts now; `fresh` asks the server in any case. When it was asked very often, there is a pause of at
   * most a second before.
   *
   * Errors: those of the connection and of the reader.
   *
   * @example
   * const { skills } = await listings.list({})
   */
  async list(scope: RequestScope): Promise<SkillListing> {
    const { generation } = this.#parts.connection;
    if (generation !== this.#generation) this.forget();
    this.#generation = generation;
    const fresh = scope.fresh === true;
    const held = fresh ? undefined : this.#cache.current();
    if (held !== undefined) return held;
    return this.#runs.run(fresh ? 'fresh' : 'list', (signal) => this.#walk({ fresh, signal }), scope.signal);
  }

  /** What is known counts no more. */
  forget(): void {
    this.#cache.forget();
  }

  async #walk(scope: RequestScope & { readonly signal: AbortSignal }): Promise<SkillListing> {
    const { clock, telemetry } = this.#parts;
    // Also when nothing is held: a server may say at every moment that something changed, or answer with what is no listing.
    await pause(clock, Math.min(this.#cache.waitMs(), LIMITS.clientListMs), scope.signal);
    this.#cache.began();
    const startedAt = clock.now();
    return telemetry.span('skills.list', {}, async (span) => {
      try {
        const { listing, ttlMs } = await this.#ask(scope);
        span.set('mcp.skill.count', listing.skills.length);
        this.#cache.ended(listing, ttlMs, startedAt);
        return listing;
      } catch (error) {
        if (isSkillError(error) && error.details.retryAfterMs !== undefined) this.#cache.spared();
        throw error;
      }
    });
  }

  #ask(scope: RequestScope): Promise<{ readonly listing: SkillListing; readonly ttlMs: number | undefined }> {
    return this.#parts.dialects.with(
      scope,
      async (reader, known) => {
        const { skills, complete, spoken, problems, ttlMs } = await reader.list(scope);
        // Nobody looked for a dialect that was named.
        const absent = spoken === false && this.#parts.dialects.isForced;
        const told = absent && problems.length === 0 ? [notSpoken(reader.dialect)] : problems;
        const listing: SkillListing = Object.freeze({
          skills: Object.freeze(skills.map(freezeSkill)),
          complete,
          dialect: absent ? undefined : reader.dialect,
          problems: Object.freeze([...known, ...told]),
        });
        return { listing, ttlMs };
      },
      (problems) => ({
        listing: Object.freeze({ skills: Object.freeze([]), complete: true, dialect: undefined, problems }),
        ttlMs: NOTHING_MS,
      }),
    );
  }
}

function notSpoken(dialect: ClientDialect): ListingProblem {
  return {
    code: 'RESOURCE_NOT_FOUND',
    message: `the server has nothing of the dialect ${dialect}, which was asked for`,
  };
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    // The timers of the clock keep no process alive, and here somebody waits.
    const awake = setInterval(() => {}, MAX_TIMER_MS);
    const stop = clock.after(ms, () => {
      clearInterval(awake);
      signal.removeEventListener('abort', leave);
      resolve();
    });
    const leave = (): void => {
      clearInterval(awake);
      stop();
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}
