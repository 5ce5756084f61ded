/**
 * Lists that come in pages, from a server that may never end them (threat T6c).
 *
 * @module
 */
import type { Clock } from '../clock.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { isRecord, type JsonRecord, weightOf } from './json-record.ts';
import type { ListingProblem } from './skill.ts';

/** The caps of a walk, each in force: Infinity is off. */
export interface WalkLimits {
  readonly maxPages: number;
  readonly maxEntries: number;
  readonly clock: Clock;
}

/** A list as far as it was walked. */
export interface Walk {
  readonly items: readonly unknown[];
  /** False when a cap, a cursor that leads nowhere or a failing page ended it. */
  readonly complete: boolean;
  readonly problems: readonly ListingProblem[];
  /** The shortest time that any page is called fresh; absent: not every page says it. */
  readonly ttlMs?: number;
}

/**
 * Every item of a list. `ask` gives a page for a cursor, undefined for the first; `field` is where its items stand.
 *
 * An end is a page without `nextCursor`; an empty one is a cursor like any other. A server may use one cursor for every
 * page, so that a cursor alone proves no circle: a page that brings nothing new under a cursor used before does, and ends
 * the walk without its items. What ends a walk early is a problem, with the items so far.
 *
 * Errors: those of `ask` for the first page; `INVALID_RESULT` when that is no page. The reason of a signal comes through.
 *
 * @example
 * const { items } = await walkPages((cursor) => connection.request('skills/list', { cursor }, scope), 'skills', limits)
 */
export async function walkPages(
  ask: (cursor: string | undefined) => Promise<JsonRecord>,
  field: string,
  limits: WalkLimits,
): Promise<Walk> {
  const walker = new Walker(field, limits);
  let cursor: string | undefined;
  for (;;) {
    let page: JsonRecord;
    try {
      page = await ask(cursor);
    } catch (error) {
      if (walker.pages === 0 || !isSkillError(error)) throw error;
      return walker.end(new SkillError(error.code, `page ${walker.pages + 1} failed: ${error.message}`));
    }
    const stop = walker.take(page, cursor);
    if (stop !== undefined) return walker.end(stop === 'end' ? undefined : stop);
    cursor = page.nextCursor as string;
  }
}

const CURSOR_UNITS = 65_536;

class Walker {
  readonly #field: string;
  readonly #limits: WalkLimits;
  readonly #startedAt: number;
  readonly #items: unknown[] = [];
  /** Items of pages that brought nothing new, until one does or the list ends. */
  readonly #held: unknown[] = [];
  readonly #seen: Set<string> = new Set();
  readonly #cursors: Set<string> = new Set();
  #ttlMs: number | undefined = Number.POSITIVE_INFINITY;
  #weight = 0;
  #idle = 0;
  pages = 0;

  constructor(field: string, limits: WalkLimits) {
    this.#field = field;
    this.#limits = limits;
    this.#startedAt = limits.clock.now();
  }

  /** `end`, why the walk ends early, or undefined when `page.nextCursor` is to be asked. */
  take(page: JsonRecord, cursor: string | undefined): 'end' | SkillError | undefined {
    const items = page[this.#field];
    const { nextCursor } = page;
    const last = nextCursor === undefined || nextCursor === null;
    if (!Array.isArray(items)) return this.#noPage(`${this.#field} is no list`);
    if (!last && typeof nextCursor !== 'string') return this.#noPage('nextCursor is no string');
    this.pages += 1;
    const isNew = this.#bringsNew(items);
    const again = cursor !== undefined && this.#cursors.has(cursor);
    if (cursor !== undefined) this.#cursors.add(cursor);
    if (!isNew && again && !last) {
      return incomplete('a cursor came again with nothing new behind it', { pages: this.pages });
    }
    const full = this.#hold(items);
    if (full !== undefined) return full;
    // A circle repeats what it had, and that must not look like a list that names things twice.
    if (isNew || last) this.#keepHeld();
    const { ttlMs } = page;
    if (typeof ttlMs !== 'number' || !(ttlMs >= 0)) this.#ttlMs = undefined;
    else if (this.#ttlMs !== undefined) this.#ttlMs = Math.min(this.#ttlMs, ttlMs);
    return last ? 'end' : this.#nextIsDue(nextCursor as string, isNew);
  }

  end(problem: SkillError | undefined): Walk {
    const ttlMs = this.#ttlMs;
    return {
      items: this.#items,
      complete: problem === undefined,
      problems: problem === undefined ? [] : [{ code: problem.code, message: problem.message }],
      ...(ttlMs === undefined || ttlMs === Number.POSITIVE_INFINITY ? {} : { ttlMs }),
    };
  }

  #hold(items: readonly unknown[]): SkillError | undefined {
    const { maxEntries } = this.#limits;
    for (const item of items) {
      if (this.#items.length + this.#held.length >= maxEntries) {
        this.#keepHeld();
        return incomplete(`it has more than ${maxEntries} entries; raise maxEntries`, { limit: maxEntries });
      }
      this.#weight += weightOf(item, LIMITS.clientListingBytes - this.#weight);
      if (this.#weight > LIMITS.clientListingBytes) {
        this.#keepHeld();
        return incomplete(`its entries take more than ${LIMITS.clientListingBytes} bytes`, {
          limit: LIMITS.clientListingBytes,
        });
      }
      this.#held.push(item);
    }
    return undefined;
  }

  #keepHeld(): void {
    for (const item of this.#held.splice(0)) this.#items.push(item);
  }

  #nextIsDue(nextCursor: string, isNew: boolean): SkillError | undefined {
    const { maxPages, clock } = this.#limits;
    this.#idle = isNew ? 0 : this.#idle + 1;
    if (nextCursor.length > CURSOR_UNITS) {
      return incomplete(`a cursor has ${nextCursor.length} characters`, { limit: CURSOR_UNITS });
    }
    if (this.pages >= maxPages) {
      return incomplete(`it has more than ${maxPages} pages; raise maxPages`, { limit: maxPages });
    }
    if (this.#idle >= LIMITS.clientIdlePages) {
      return incomplete(`${this.#idle} pages in a row brought nothing new`, {
        limit: LIMITS.clientIdlePages,
      });
    }
    if (clock.now() - this.#startedAt > LIMITS.clientListingMs) {
      return incomplete(`it takes longer than ${LIMITS.clientListingMs} ms`, {
        limit: LIMITS.clientListingMs,
      });
    }
    return undefined;
  }

  #bringsNew(items: readonly unknown[]): boolean {
    const before = this.#seen.size;
    for (const item of items) {
      if (isRecord(item) && typeof item.uri === 'string' && item.uri.length <= LIMITS.uriBytes) {
        this.#seen.add(item.uri);
        if (this.#seen.size > this.#limits.maxEntries) break;
      }
    }
    return this.#seen.size > before;
  }

  #noPage(why: string): SkillError {
    const error = new SkillError('INVALID_RESULT', `a page of the list is none: ${why}`);
    if (this.pages === 0) throw error;
    return error;
  }
}

function incomplete(why: string, details: JsonRecord): SkillError {
  return new SkillError('LISTING_INCOMPLETE', `the list is not whole: ${why}`, { details });
}
