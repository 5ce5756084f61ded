/**
 * Refused skills as errors.
 *
 * @module
 */
import { ERROR_TABLE, SkillError, type SkillErrorCode } from '../errors.ts';
import type { RefusedSkill } from './snapshot.ts';

/**
 * Returns nothing when a catalog may open with these refusals. A `SKILL.md` at the root is never fine; with `throw`
 * nothing is. As in seed 000, nesting is reported before what is wrong with a single skill, and that in order of path.
 *
 * Errors: the code of the refusal.
 */
export function requireServable(refused: readonly RefusedSkill[], invalidSkills: 'skip' | 'throw'): void {
  const root = refused.find(({ diagnostic }) => diagnostic.code === 'ROOT_SKILL');
  if (root !== undefined) throw errorOf(root, 'MANIFEST_NOT_IN_ROOT');
  if (invalidSkills === 'skip') return;
  const first = refused.find(({ diagnostic }) => diagnostic.code === 'NESTED_SKILL') ?? refused[0];
  if (first !== undefined) throw errorOf(first);
}

function errorOf({ path, diagnostic }: RefusedSkill, code: string = diagnostic.code): SkillError {
  const { message, range, hint } = diagnostic;
  const place =
    range === undefined ? diagnostic.path : `${diagnostic.path}:${range.start.line}:${range.start.column}`;
  const text = `${place === '' ? '' : `${place}: `}${message}${hint === undefined ? '' : `; ${hint}`}`;
  return new SkillError(isErrorCode(code) ? code : 'SKILL_REFUSED', text, { details: { path, diagnostic } });
}

function isErrorCode(code: string): code is SkillErrorCode {
  return Object.hasOwn(ERROR_TABLE, code);
}
