/**
 * What pulling came to.
 *
 * @module
 */
import type { SkillListing } from '../client/skill.ts';
import type { SkillError } from '../errors.ts';

/** What was done with one skill, or would be. */
export type PullStatus =
  | 'added'
  | 'updated'
  | 'unchanged'
  /** Its files stand in the folder of a skill around it. */
  | 'contained'
  | 'removed'
  /** No longer on the server, and left where it is. */
  | 'gone'
  | 'refused';

/** One skill as it was dealt with. */
export interface PulledSkill {
  readonly name: string;
  readonly uri: string;
  /** The folder below the target folder; absent where it was never settled. */
  readonly path?: string;
  readonly status: PullStatus;
  readonly integrity?: string;
  /** Paths below the folder that came, differ, or went. */
  readonly added?: readonly string[];
  readonly changed?: readonly string[];
  readonly removed?: readonly string[];
  readonly error?: SkillError;
  /** A folder with what was replaced, which could not be removed. */
  readonly leftover?: string;
}

/** All of it. */
export interface PullResult {
  readonly target: string;
  readonly folder: string;
  readonly dryRun: boolean;
  readonly listing: SkillListing;
  /** Whether skills were named, so that the listing need not be whole. */
  readonly named: boolean;
  readonly skills: readonly PulledSkill[];
}
