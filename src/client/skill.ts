/**
 * A skill as a client sees it: the same shape whatever dialect the server speaks.
 *
 * @module
 */
import type { JsonObject } from '../format/json.ts';

/** The way in which a skill travelled. `plain` is a bare `skill://` resource. */
export type ClientDialect = 'released' | 'draft-index' | 'fastmcp' | 'well-known' | 'plain';

/**
 * What can be checked of a skill before its bytes are used: `complete` (a digest known before the read covers every file;
 * an archive's does), `partial` (`SKILL.md` only), `none`, `dynamic` (the server makes the content anew).
 */
export type Integrity = 'complete' | 'partial' | 'none' | 'dynamic';

/** One file of a skill as its entry states it. */
export interface ClientResource {
  /** In the entry's spelling, which is the one to ask for. */
  readonly uri: string;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes; absent where the dialect states none. */
  readonly digest?: string;
  /** Length of the raw bytes; absent where the dialect states none. */
  readonly size?: number;
}

/** One skill as its server published it. */
export interface ClientEntry {
  /** URI of `SKILL.md`. */
  readonly uri: string;
  /** As the server states it: the whole frontmatter, or in dialects that state no more, `name` and `description`. */
  readonly frontmatter: JsonObject;
  /**
   * Every file; `dynamic`; or `on-request` where a listing does not tell them and `getSkill` does (the file list of a
   * FastMCP server, the content of an archive).
   */
  readonly resources: readonly ClientResource[] | 'dynamic' | 'on-request';
}

/** A skill with the labels that tell what to make of it. */
export interface FoundSkill {
  readonly entry: ClientEntry;
  readonly dialect: ClientDialect;
  readonly integrity: Integrity;
  /** Whether the entry's frontmatter is the whole one, so that `SKILL.md` has to equal it field by field. */
  readonly wholeFrontmatter: boolean;
  /** Where the files are taken from, if not one by one: the URI or URL of an archive, with its digest. */
  readonly archive?: { readonly uri: string; readonly digest?: string; readonly format?: 'tar.gz' | 'zip' };
}

/** An entry that was refused, or a reason why a listing is not whole. */
export interface ListingProblem {
  /** A key of `ERROR_TABLE`. */
  readonly code: string;
  readonly message: string;
  readonly uri?: string;
}

/** What a server has, as far as it says so. An empty one proves nothing (requirement H20). */
export interface SkillListing {
  /** In the order of the server; two skills may have one name, never one URI. */
  readonly skills: readonly FoundSkill[];
  /** False when a cap, a repeated cursor or a failing page ended the walk. */
  readonly complete: boolean;
  /** Absent: no dialect that was looked for is spoken. */
  readonly dialect: ClientDialect | undefined;
  readonly problems: readonly ListingProblem[];
}
