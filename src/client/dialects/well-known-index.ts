/**
 * The index documents of a web server: found, fetched when they changed, and read.
 *
 * @module
 */
import type { Clock } from '../../clock.ts';
import { isSkillError } from '../../errors.ts';
import { isLosslessText, textOf } from '../../integrity/index.ts';
import { LIMITS } from '../../limits.ts';
import type { Validators } from '../../net/index.ts';
import {
  DISCOVERY_INDEX_PATH,
  type DiscoveredSkill,
  LEGACY_INDEX_PATH,
  type LegacyEntry,
  parseDiscoveryIndex,
  parseLegacyIndex,
  type WellKnownProblem,
} from '../../wire/index.ts';
import type { RequestScope } from '../dialect.ts';
import { SharedRuns } from '../shared-runs.ts';
import type { WebFetch, WebFile } from './web-fetch.ts';

/** What the indexes of a web server come to. */
export interface WellKnownIndex {
  /** Whether there is an index at all, good or bad. */
  readonly found: boolean;
  /** Where the one in force came from, after redirects; empty when there is none. */
  readonly url: string;
  /** By name, as are the others. */
  readonly discovered: ReadonlyMap<string, DiscoveredSkill>;
  /** Skills of the older form, of which nothing can be checked. */
  readonly legacy: ReadonlyMap<string, LegacyEntry>;
  /** Of every document that was looked at. */
  readonly problems: readonly WellKnownIndexProblem[];
  /** As the server states it, ms. */
  readonly ttlMs: number | undefined;
  /** The status by which the server refused to say whether there is an index: 401 or 403. */
  readonly denied: number | undefined;
}

/** A broken rule, and the document that broke it. */
export interface WellKnownIndexProblem extends WellKnownProblem {
  readonly url: string;
}

/** What {@link WellKnownIndexes} works with. */
export interface WellKnownIndexOptions {
  /** The origin, or a folder on it, below which the documents are looked for. */
  readonly url: string;
  readonly web: WebFetch;
  readonly clock: Clock;
  readonly tolerant: boolean;
}

interface Document {
  readonly validators: Validators;
  readonly index: WellKnownIndex;
}

/** Answers by which a server says that it has no such document, or none for the public. */
const ABSENT = new Set([400, 401, 403, 404, 405, 406, 410]);
/** Time for which an index is not asked for again where the server says nothing, ms. */
const FRESH_MS = LIMITS.ttlMs;

/** The indexes of one web server. */
export class WellKnownIndexes {
  readonly #options: WellKnownIndexOptions;
  readonly #places: readonly string[];
  readonly #runs: SharedRuns<WellKnownIndex> = new SharedRuns();
  readonly #documents: Map<string, Document> = new Map();
  #held: { readonly index: WellKnownIndex; readonly until: number } | undefined;

  constructor(options: WellKnownIndexOptions) {
    this.#options = options;
    this.#places = placesOf(options.url);
  }

  /** The places that are looked at, in order. */
  get places(): readonly string[] {
    return this.#places;
  }

  /** The index that was read last, whatever its age. */
  get held(): WellKnownIndex | undefined {
    return this.#held?.index;
  }

  /**
   * The index in force: the first document that names a skill, or is valid and empty. A folder comes before the origin it
   * lies on, the newer form before the older. One that is fresh by the server's word is not fetched again, an older one
   * only if it changed; `fresh` goes past both.
   *
   * What is no index (a page that the server shows for every address) counts as absent.
   *
   * Errors: those of {@link WebFetch.fetch}, but for answers by which a server says that it has no such document.
   */
  async read(scope: RequestScope): Promise<WellKnownIndex> {
    const { clock } = this.#options;
    const fresh = scope.fresh === true;
    if (!fresh && this.#held !== undefined && clock.now() < this.#held.until) return this.#held.index;
    return this.#runs.run(
      fresh ? 'fresh' : 'any',
      async (signal) => {
        const index = await this.#look({ fresh, signal });
        const until = clock.now() + Math.min(index.ttlMs ?? FRESH_MS, LIMITS.clientFreshMs);
        this.#held = { index, until };
        return index;
      },
      scope.signal,
    );
  }

  async #look(scope: RequestScope): Promise<WellKnownIndex> {
    const problems: WellKnownIndexProblem[] = [];
    let last: WellKnownIndex | undefined;
    let found = false;
    let denied: number | undefined;
    for (const place of this.#places) {
      const index = await this.#document(place, scope);
      if (typeof index === 'number') {
        if (index === 401 || index === 403) denied ??= index;
        continue;
      }
      problems.push(...index.problems);
      found ||= index.found;
      last = index;
      if (isUsable(index)) return { ...index, problems };
    }
    return { url: '', discovered: new Map(), legacy: new Map(), found, problems, ttlMs: last?.ttlMs, denied };
  }

  /** The document at a place, or the status by which the server says that there is none. */
  async #document(place: string, scope: RequestScope): Promise<WellKnownIndex | number> {
    const before = scope.fresh === true ? undefined : this.#documents.get(place);
    const file = await this.#fetch(place, before?.validators, scope);
    if (typeof file === 'number') {
      this.#documents.delete(place);
      return file;
    }
    const ttlMs = ttlOf(file.headers);
    if (file.notModified && before !== undefined) return { ...before.index, ttlMs };
    const index = indexOf(file, this.#options.tolerant, ttlMs);
    this.#documents.set(place, { validators: file.validators, index });
    return index;
  }

  async #fetch(
    url: string,
    validators: Validators | undefined,
    scope: RequestScope,
  ): Promise<WebFile | number> {
    try {
      return await this.#options.web.fetch({
        ...scope,
        url,
        accept: 'application/json',
        ...(validators === undefined ? {} : { validators }),
      });
    } catch (error) {
      const status = isSkillError(error, 'NET_STATUS') ? Number(error.details.status) : 0;
      if (ABSENT.has(status)) return status;
      throw error;
    }
  }
}

function placesOf(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  const folder = pathname.replace(/\/+$/, '');
  const places = [DISCOVERY_INDEX_PATH, LEGACY_INDEX_PATH].flatMap((path) => [
    `${origin}${folder}${path}`,
    `${origin}${path}`,
  ]);
  return [...new Set(places)];
}

function isUsable({ found, discovered, legacy, problems }: WellKnownIndex): boolean {
  return found && (discovered.size > 0 || legacy.size > 0 || problems.length === 0);
}

function indexOf(file: WebFile, tolerant: boolean, ttlMs: number | undefined): WellKnownIndex {
  const { url, bytes, headers } = file;
  const make = (
    { discovered = new Map(), legacy = new Map() }: Partial<Pick<WellKnownIndex, 'discovered' | 'legacy'>>,
    problems: readonly WellKnownProblem[],
  ): WellKnownIndex => ({
    found: !problems.some(({ code, at }) => at === '' && (code === 'NOT_JSON' || code === 'NO_SKILLS')),
    url,
    discovered,
    legacy,
    problems: problems.map((problem) => ({ ...problem, url })),
    ttlMs,
    denied: undefined,
  });
  if (!isLosslessText(bytes)) {
    const why = headers['content-encoding'] === undefined ? '' : '; the server compressed it, unasked';
    return make({}, [
      { code: 'NOT_JSON', severity: 'error', at: '', message: `the index is not valid UTF-8${why}` },
    ]);
  }
  const text = textOf(bytes);
  const discovery = parseDiscoveryIndex(text, url, { tolerant });
  if (discovery.skills.length > 0) return make({ discovered: byName(discovery.skills) }, discovery.problems);
  // Without a $schema a document is of the older form, wherever it lies (discovery 0.2.0).
  const older = parseLegacyIndex(text, { tolerant });
  const isOlder =
    older.skills.length > 0 || !older.problems.some(({ code, at }) => at === '' && code === 'SCHEMA');
  return isOlder ? make({ legacy: byName(older.skills) }, older.problems) : make({}, discovery.problems);
}

function byName<T extends { readonly name: string }>(skills: readonly T[]): ReadonlyMap<string, T> {
  return new Map(skills.map((skill) => [skill.name, skill]));
}

/** How long the server calls a response fresh, ms; undefined when it does not say. */
function ttlOf(headers: Readonly<Record<string, string>>): number | undefined {
  const control = headers['cache-control']?.toLowerCase();
  if (control === undefined) return undefined;
  if (/(?:^|[\s,])no-(?:store|cache)(?:[\s,=]|$)/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  if (maxAge === undefined) return undefined;
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(0, Number(maxAge) - age) * 1_000;
}
