/**
 * From what a user calls a skill to the skill.
 *
 * @module
 */
import type { RefusedSkill, Skill, Snapshot } from '../catalog/index.ts';
import { SkillError } from '../errors.ts';
import { suggest } from '../format/suggest.ts';
import { isSafePath } from '../source/index.ts';
import { usageError } from './usage.ts';

const NAMED = 10;

/**
 * The skill of a snapshot that `wanted` means: its URI, its folder below the source, or its name.
 *
 * Errors: `SKILL_REFUSED` for a skill that is there and refused; `RESOURCE_NOT_FOUND` when there is none; `USAGE` when
 * several have the name.
 *
 * @example
 * findSkill(catalog.snapshot, 'pdf', './skills').files
 */
export function findSkill(snapshot: Snapshot, wanted: string, source: string): Skill {
  const byUri = uriOf(wanted).map((uri) => snapshot.skill(uri));
  const path = folderOf(wanted);
  const exact =
    byUri.find((skill) => skill !== undefined) ?? snapshot.skills.find((skill) => skill.path === path);
  if (exact !== undefined) return exact;
  const named = snapshot.skills.filter((skill) => skill.name === wanted || lastName(skill.path) === path);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined) {
    throw usageError(
      `${named.length} skills are called ${JSON.stringify(wanted)}`,
      `name one by its folder: ${namesOf(named.map((skill) => skill.path))}`,
    );
  }
  const refused = snapshot.refused.filter((each) => each.path === path || lastName(each.path) === path);
  if (refused.length > 0) throw refusal(refused, source);
  const known = [...new Set(snapshot.skills.map((skill) => skill.name))];
  const near = suggest(wanted, known);
  const has = known.length === 0 ? 'it has no skills at all' : `it has ${namesOf(known)}`;
  throw new SkillError('RESOURCE_NOT_FOUND', `${source} has no skill ${JSON.stringify(wanted)}`, {
    details: { hint: near === undefined ? has : `did you mean ${near}?` },
  });
}

/**
 * `SKILL_REFUSED` for skills that are refused, each with the reason.
 *
 * @example
 * throw refusal(snapshot.refused, './skills')
 */
export function refusal(refused: readonly RefusedSkill[], source: string): SkillError {
  const reasons = refused.slice(0, NAMED).map(({ path, diagnostic }) => {
    const { code, message, range } = diagnostic;
    const place = `${diagnostic.path || path || '.'}${range === undefined ? '' : `:${range.start.line}`}`;
    return `${place} [${code}] ${message}`;
  });
  const more = refused.length > NAMED ? `; and ${refused.length - NAMED} more` : '';
  const what = refused.length === 1 ? 'a skill is refused' : `${refused.length} skills are refused`;
  return new SkillError('SKILL_REFUSED', `${what}: ${reasons.join('; ')}${more}`, {
    details: {
      hint: `skillwire check ${source} says how to fix it`,
      skills: refused.map((each) => each.path),
    },
  });
}

function uriOf(wanted: string): string[] {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(wanted)) return [];
  const root = wanted.replace(/\/+$/, '');
  return [root, `${root}/SKILL.md`];
}

/** A path as users write it: `./pdf/`, `pdf/SKILL.md`, on Windows also with backslashes. */
function folderOf(wanted: string): string | undefined {
  const slashed = process.platform === 'win32' ? wanted.replaceAll('\\', '/') : wanted;
  const path = slashed
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/+$/, '')
    .replace(/(?:^|\/)SKILL\.md$/, '');
  return isSafePath(path) ? path : undefined;
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and ${names.length - NAMED} more` : shown;
}
