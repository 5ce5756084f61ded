/**
 * The entry: one skill as released clients see it.
 *
 * @module
 */
import type { JsonObject } from '../format/json.ts';

/** One file of an entry. */
export interface EntryResource {
  readonly uri: string;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes. */
  readonly digest: string;
  /** Length of the raw bytes. */
  readonly size: number;
}

/** One skill as published: the shape of `skills/list` and `skills/get` (requirements S24, S28–S32). */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: JsonObject;
  readonly resources: readonly EntryResource[] | 'dynamic';
}
