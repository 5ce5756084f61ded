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

/** What {@link buildEntry} needs of a skill; a catalog's `Skill` is one. */
export interface EntryParts {
  /** URI of `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: JsonObject;
  /** Every file, `SKILL.md` included, in the order in which they go out. */
  readonly files: readonly { readonly uri: string; readonly digest?: string; readonly size: number }[];
  readonly dynamic: boolean;
}

/**
 * The entry of a skill. `resources` is `"dynamic"` when the skill is, and whenever a file has no digest: an array
 * would then be incomplete (requirements S29, S34).
 *
 * @example
 * buildEntry(snapshot.skills[0])
 */
export function buildEntry(skill: EntryParts): SkillEntry {
  const { uri, frontmatter } = skill;
  if (skill.dynamic) return { uri, frontmatter, resources: 'dynamic' };
  const resources: EntryResource[] = [];
  for (const file of skill.files) {
    if (file.digest === undefined) return { uri, frontmatter, resources: 'dynamic' };
    resources.push({ uri: file.uri, digest: file.digest, size: file.size });
  }
  return { uri, frontmatter, resources };
}
