/**
 * What a dialect does for the client: entries and raw bytes. Checks, caps, caching and telemetry are the client's.
 *
 * @module
 */
import type { ClientDialect, ClientResource, FoundSkill, ListingProblem } from './skill.ts';

/** Options of one request. */
export interface RequestScope {
  readonly signal?: AbortSignal;
  /** Go past a response cache: asked after a check failed. */
  readonly fresh?: boolean;
}

/** What a listing came to. */
export interface DialectListing {
  readonly skills: readonly FoundSkill[];
  readonly complete: boolean;
  readonly problems: readonly ListingProblem[];
  /** There is nothing of the dialect, which is less than a listing without skills. */
  readonly spoken?: false;
  /** How long the server calls this fresh, ms; absent: it does not say. */
  readonly ttlMs?: number;
}

/** The bytes of one resource as they came, within the caps and not checked against any entry. */
export interface RawContents {
  /** The URI in the answer. */
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
  /** Came from a response cache, so that a failed check is worth another try. */
  readonly cached: boolean;
}

/** One dialect, spoken to one server. */
export interface DialectReader {
  readonly dialect: ClientDialect;
  /** Whether the server speaks it; asked once, in the order of the design, with as few requests as that takes. */
  detect(scope: RequestScope): Promise<boolean>;
  list(scope: RequestScope): Promise<DialectListing>;
  /** One skill by the URI of its `SKILL.md`, listed or not, its files told. Errors: `RESOURCE_NOT_FOUND`, `INVALID_ENTRY` … */
  get(uri: string, scope: RequestScope): Promise<FoundSkill>;
  /** The files of a skill that a listing gave without them, where that takes less than {@link DialectReader.get}. */
  tell?(skill: FoundSkill, scope: RequestScope): Promise<FoundSkill>;
  /** The bytes of one file of a skill that {@link DialectReader.get} gave. */
  read(skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents>;
  /** A file by its URI alone, where it is not to be asked of the server by that URI; undefined: it is. */
  readUri?(uri: string, scope: RequestScope): Promise<RawContents | undefined>;
  /**
   * Why the bytes of a file may not be those that its entry states, where the dialect has a known fault; for the message
   * of a check that failed (`hint` of its details), never a reason to let it pass.
   */
  explain?(resource: ClientResource, raw: RawContents): string | undefined;
}
