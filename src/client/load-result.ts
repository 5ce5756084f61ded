/**
 * What loading a skill came to.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import type { IndexEntry } from '../wire/index.ts';
import type { Integrity } from './skill.ts';

/** One entry of an index and what became of it (seed `LoadedSkill`): either `body` or `error` is there. */
export interface LoadedSkill {
  readonly entry: IndexEntry;
  /** The whole `SKILL.md`, frontmatter included: the bytes that were checked. */
  readonly body?: Uint8Array;
  /** Why it was left out. A host shows it and gives nothing of this skill to a model. */
  readonly error?: SkillError;
  /** What could be checked of the whole skill; absent: only whether the entry states a digest is known. */
  readonly integrity?: Integrity;
}
