/**
 * Exit codes of the command line.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';

/** What each exit code means (the CLI section of the design). */
export const EXIT = {
  /** Everything is fine. */
  ok: 0,
  /** Findings or differences. */
  findings: 1,
  /** Wrong usage. */
  usage: 2,
  /** Cannot reach or open something. */
  unreachable: 3,
  /** A verification failed. */
  unverified: 4,
  /** A cap ended the work before it was done. */
  incomplete: 5,
  /** A fault in Skillwire. */
  fault: 70,
} as const;

/**
 * The exit code for an error that ended a command: that of its code, or 70 for anything that is no `SkillError`.
 *
 * @example
 * exitCodeOf(new SkillError('SOURCE_NOT_FOUND')) // 3
 */
export function exitCodeOf(error: unknown): number {
  return isSkillError(error) ? error.exitCode : EXIT.fault;
}
