/**
 * The naming rule of skills.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

const RULE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_LENGTH = 64;

/** What is wrong with a name, and how to write it. */
export interface NameProblem {
  readonly code: 'EMPTY_SKILL_NAME' | 'INVALID_SKILL_NAME';
  readonly message: string;
  readonly hint: string;
}

/**
 * Returns nothing when `name` satisfies the naming rule: 1 to 64 of `a-z`, `0-9` and single inner hyphens.
 *
 * Throws a `SkillError`: `EMPTY_SKILL_NAME`, or `INVALID_SKILL_NAME` with a message for each kind of breach and the
 * `hint` in its `details`. Requirements S5 and S12.
 *
 * @example
 * validateSkillName('git-workflow')
 */
export function validateSkillName(name: string): void {
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new SkillError(problem.code, problem.message, { details: { hint: problem.hint } });
}

/** What is wrong with `name`, or undefined. */
export function nameProblem(name: string): NameProblem | undefined {
  if (name === '') {
    return {
      code: 'EMPTY_SKILL_NAME',
      message: 'the skill name is empty',
      hint: 'write a name such as "my-skill"',
    };
  }
  if (name.length <= MAX_LENGTH && RULE.test(name)) return undefined;
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}…` : name);
  const suggestion = slug(name);
  const hint =
    suggestion === ''
      ? 'use lower-case letters a-z, digits and single hyphens'
      : `write it with lower-case letters a-z, digits and single hyphens, for example "${suggestion}"`;
  return { code: 'INVALID_SKILL_NAME', message: `the skill name ${shown} ${breach(name)}`, hint };
}

function breach(name: string): string {
  if (/[/\\]/.test(name)) return 'has a slash, so it would be split in a URI';
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'has a line end or another control character';
  if (name !== name.trim()) return 'begins or ends with a space';
  if (/\s/.test(name)) return 'has a space';
  if (/[^\u0000-\u007f]/.test(name)) {
    const char = /[^\u0000-\u007f]/u.exec(name)?.[0] ?? '';
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `has "${char}" (U+${code}), which is not ASCII`;
  }
  if (name.includes('_')) return 'has an underscore';
  if (/[A-Z]/.test(name)) return 'has an upper-case letter';
  const other = /[^a-z0-9-]/.exec(name);
  if (other !== null) return `has ${JSON.stringify(other[0])}, which is no letter, digit or hyphen`;
  if (name.startsWith('-')) return 'begins with a hyphen';
  if (name.endsWith('-')) return 'ends with a hyphen';
  if (name.includes('--')) return 'has two hyphens in a row';
  return `is ${name.length} characters long; the limit is ${MAX_LENGTH}`;
}

/** The nearest name that satisfies the rule, or the empty string. */
export function slug(text: string): string {
  return text
    .slice(0, 1_000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
}
