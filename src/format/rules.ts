/**
 * Every diagnostic code: how severe it is, what it means, a bad and a good example.
 *
 * @module
 */
import type { Severity } from './diagnostic.ts';
import { BODY_RULES } from './rules-body.ts';
import { FORMAT_RULES } from './rules-format.ts';
import { TREE_RULES } from './rules-tree.ts';

/** One rule, as `docs/reference/rules.md` shows it. */
export interface Rule {
  /** The usual severity; an option that refuses what it would otherwise report raises it to `error`. */
  readonly severity: Severity;
  /** What is wrong, in a few words. */
  readonly title: string;
  /** What it means for the skill, and what to do. */
  readonly text: string;
  /** What has the problem: a `SKILL.md`, or a folder tree or name. */
  readonly bad: string;
  /** The same without the problem. */
  readonly good: string;
}

/**
 * The rules by code, in the order of `docs/reference/rules.md`.
 *
 * @example
 * RULES['DUPLICATE_KEY']?.title
 */
export const RULES: Readonly<Record<string, Rule>> = { ...FORMAT_RULES, ...BODY_RULES, ...TREE_RULES };
