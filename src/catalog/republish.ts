/**
 * A publication made from the one before, when only the insides of some skills differ.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import { buildSkill } from './build-skill.ts';
import { byPlace } from './order.ts';
import type { Publication } from './publish.ts';
import type { CatalogSettings } from './settings.ts';
import type { Skill } from './snapshot.ts';
import { indexOfUri } from './sorted-index.ts';
import type { TreeFolder } from './tree.ts';

/** A publication with the skills in it that took the place of older ones of the same URI. */
export interface Republication {
  readonly publication: Publication;
  readonly replaced: readonly Skill[];
}

/** The same skill folder in two trees. */
interface Pair {
  readonly old: TreeFolder;
  readonly now: TreeFolder;
}

/**
 * The publication of `now`, given that `before` is that of `old`: equal to `publish(now)`, at the cost of what differs.
 *
 * Undefined when anything differs that other skills depend on: a skill that came, went or is refused, another name or
 * URI, nesting, a name that two skills have. Then all skills have to be judged together.
 */
export function republish(
  before: Publication,
  { old, now }: Pair,
  settings: CatalogSettings,
): Republication | undefined {
  const pairs: Pair[] = [];
  if (!collect({ old, now }, pairs)) return undefined;
  const skills = before.skills.slice();
  const replaced: Skill[] = [];
  const gone = new Set<Diagnostic>();
  const come: Diagnostic[] = [];
  const names = namesWithTwins(before);
  for (const pair of pairs) {
    if (!isAlike(pair) || names.has(pair.now.head?.name ?? '')) return undefined;
    const hidden = settings.hidden(pair.now.path);
    const built = buildSkill(pair.now, hidden, settings.maxSkillBytes);
    const was = buildSkill(pair.old, hidden, settings.maxSkillBytes);
    const at = was === undefined ? -1 : indexOfUri(skills, was.skill.uri);
    if (built === undefined || was === undefined || skills[at] !== was.skill) return undefined;
    skills[at] = built.skill;
    replaced.push(built.skill);
    for (const each of [...problemsOf(pair.old), ...was.diagnostics]) gone.add(each);
    come.push(...problemsOf(pair.now), ...built.diagnostics);
  }
  const diagnostics =
    gone.size === 0 && come.length === 0
      ? before.diagnostics
      : [...before.diagnostics.filter((each) => !gone.has(each)), ...come].sort(byPlace);
  return { publication: { skills, refused: before.refused, diagnostics }, replaced };
}

/** Finds the skills that differ; false when the folders around them do. */
function collect({ old, now }: Pair, pairs: Pair[]): boolean {
  if (old === now) return true;
  if (old.head !== undefined && now.head !== undefined) {
    pairs.push({ old, now });
    return true;
  }
  if (old.head !== undefined || now.head !== undefined || old.folders.length !== now.folders.length)
    return false;
  if (old.id !== now.id || !sameProblems(old.problems, now.problems)) return false;
  return now.folders.every((folder, index) => {
    const other = old.folders[index];
    return other !== undefined && other.path === folder.path && collect({ old: other, now: folder }, pairs);
  });
}

/** Whether other skills see no difference between two states of one. */
function isAlike({ old, now }: Pair): boolean {
  const { head } = now;
  return (
    old.id === now.id &&
    old.uri === now.uri &&
    old.skills === 1 &&
    now.skills === 1 &&
    !old.linked &&
    !now.linked &&
    old.head?.outcome !== 'refused' &&
    head?.outcome === old.head?.outcome &&
    head?.name === old.head?.name &&
    head?.renamed === false
  );
}

/** A folder that was listed again reports the same things anew; only none at all are surely the same. */
function sameProblems(old: readonly Diagnostic[], now: readonly Diagnostic[]): boolean {
  return old === now || (old.length === now.length && old.every((each, index) => each === now[index]));
}

function problemsOf(folder: TreeFolder): Diagnostic[] {
  if (!folder.noisy) return [];
  return [
    ...folder.problems,
    ...(folder.head?.diagnostics ?? []),
    ...folder.folders.flatMap((below) => problemsOf(below)),
  ];
}

/** The names that several listed skills have: whether these are copies depends on all their files. */
function namesWithTwins(before: Publication): ReadonlySet<string> {
  if (!before.diagnostics.some(({ code }) => code === 'DUPLICATE_NAME')) return new Set();
  const seen = new Set<string>();
  return new Set(before.skills.map(({ name }) => name).filter((name) => seen.has(name) || !seen.add(name)));
}
