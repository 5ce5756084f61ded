/**
 * The folders that skills come to, each of which takes its place in one step.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { collisionKey, compareCodePoints } from '../source/index.ts';
import type { SkillFile } from './skill-files.ts';
import { refuseCollisions, type WantedSkill } from './wanted-skill.ts';

/** A skill that is not pulled, and why. */
export interface RefusedPull {
  readonly uri: string;
  readonly name: string;
  readonly error: SkillError;
}

/** A folder that takes its place in one step: a skill and those inside it. */
export interface PullUnit {
  readonly path: string;
  /** From the outermost on. */
  readonly skills: readonly WantedSkill[];
  /** By path below the unit. */
  readonly files: ReadonlyMap<string, UnitFile>;
}

/** A file of a unit, and the skill through which it is read. */
export interface UnitFile {
  readonly skill: WantedSkill;
  readonly file: SkillFile;
}

/** What {@link planUnits} came to. */
export interface PullPlan {
  readonly units: readonly PullUnit[];
  readonly refused: readonly RefusedPull[];
  /** Skills whose files all stand in the folder of another, under another name. */
  readonly contained: readonly WantedSkill[];
}

/**
 * The folders that `skills` come to. Two skills of one folder, or of folders that some file system takes for one, are both
 * refused (requirement H12: none of them wins). A skill inside another goes into the folder of that one, since the outer
 * skill lists its files too. `roots` are further folders to be written as a whole.
 */
export function planUnits(skills: readonly WantedSkill[], roots: readonly string[] = []): PullPlan {
  const refused: RefusedPull[] = [];
  const apart = refuseTaken(skills, refused);
  const sorted = [...apart].sort((a, b) => compareCodePoints(`${a.path}/`, `${b.path}/`));
  const groups = new Map<string, WantedSkill[]>();
  const tops = outermost([...roots, ...sorted.map((skill) => skill.path)]);
  for (const skill of sorted) {
    const top = foldersOf(skill.path).find((path) => tops.has(path)) ?? skill.path;
    const group = groups.get(top);
    if (group === undefined) groups.set(top, [skill]);
    else group.push(skill);
  }
  const contained: WantedSkill[] = [];
  const units: PullUnit[] = [];
  for (const [path, group] of groups) units.push(unitOf(path, group, refused, contained));
  return { units: units.filter((unit) => unit.skills.length > 0), refused, contained };
}

/** Whether a path is that of a folder, or one in it. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** A path and those above it, from the top on: `a`, `a/b`, `a/b/c`. */
export function foldersOf(path: string): string[] {
  return path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
}

function outermost(paths: readonly string[]): ReadonlySet<string> {
  const tops = new Set<string>();
  let last: string | undefined;
  for (const path of [...new Set(paths)].sort((a, b) => compareCodePoints(`${a}/`, `${b}/`))) {
    if (last !== undefined && isAtOrBelow(path, last)) continue;
    tops.add(path);
    last = path;
  }
  return tops;
}

function refuseTaken(skills: readonly WantedSkill[], refused: RefusedPull[]): readonly WantedSkill[] {
  const spellings = new Map<string, Set<string>>();
  const owners = new Map<string, WantedSkill[]>();
  for (const skill of skills) {
    for (const path of foldersOf(skill.path)) {
      const key = collisionKey(path);
      spellings.set(key, (spellings.get(key) ?? new Set()).add(path));
    }
    const key = collisionKey(skill.path);
    owners.set(key, [...(owners.get(key) ?? []), skill]);
  }
  return skills.filter((skill) => {
    const others = (owners.get(collisionKey(skill.path)) ?? []).filter((each) => each !== skill);
    const respelled = foldersOf(skill.path).find(
      (path) => (spellings.get(collisionKey(path))?.size ?? 0) > 1,
    );
    if (others.length === 0 && respelled === undefined) return true;
    const uris = others.map((each) => each.found.entry.uri);
    const what =
      uris.length > 0
        ? `would stand in the folder ${JSON.stringify(skill.path)}, and so would ${uris.slice(0, 5).join(', ')}`
        : `has ${JSON.stringify(respelled)} in its path, which other skills spell in another way: one folder on some file systems`;
    const hint =
      uris.length > 0
        ? 'pull them into different folders, or without --flat'
        : 'pull them into different folders';
    refused.push({
      uri: skill.found.entry.uri,
      name: skill.name,
      error: new SkillError('NAME_COLLISION', `${skill.found.entry.uri} ${what}`, {
        details: { uri: skill.found.entry.uri, path: skill.path, others: uris, hint },
      }),
    });
    return false;
  });
}

function unitOf(
  path: string,
  group: readonly WantedSkill[],
  refused: RefusedPull[],
  contained: WantedSkill[],
): PullUnit {
  const files = new Map<string, UnitFile>();
  const skills: WantedSkill[] = [];
  for (const skill of group) {
    const below = skill.path === path ? '' : skill.path.slice(path.length + 1);
    if (below !== '' && stands(skill, below, files)) {
      contained.push(skill);
      continue;
    }
    const added = new Map<string, UnitFile>();
    try {
      for (const file of skill.files) {
        const place = below === '' ? file.path : `${below}/${file.path}`;
        const there = files.get(place);
        if (there === undefined) added.set(place, { skill, file });
        else if (!isSame(there.file, file)) throw differs(skill, there.skill, place);
      }
      refuseCollisions([...files, ...added].map(([each, { file }]) => ({ ...file, path: each })));
    } catch (error) {
      if (!isSkillError(error)) throw error;
      refused.push({ uri: skill.found.entry.uri, name: skill.name, error });
      continue;
    }
    for (const [place, each] of added) files.set(place, each);
    skills.push(skill);
  }
  return { path, skills, files };
}

/**
 * Whether the files of a skill stand in an enclosing one under another folder name: a server that publishes a folder under
 * the name of its skill lists the same bytes twice, and only one of them is wanted.
 */
function stands(skill: WantedSkill, below: string, files: ReadonlyMap<string, UnitFile>): boolean {
  if (files.has(`${below}/SKILL.md`)) return false;
  const above = below.includes('/') ? below.slice(0, below.lastIndexOf('/') + 1) : '';
  const manifest = skill.files.find((file) => file.path === 'SKILL.md');
  for (const [place, { file }] of files) {
    if (!place.startsWith(above) || !place.endsWith('/SKILL.md') || manifest === undefined) continue;
    const folder = place.slice(above.length, -'/SKILL.md'.length);
    if (folder === '' || folder.includes('/') || !hasSameDigest(file, manifest)) continue;
    const all = skill.files.every((each) => {
      const other = files.get(`${above}${folder}/${each.path}`);
      return other !== undefined && hasSameDigest(other.file, each);
    });
    if (all) return true;
  }
  return false;
}

function hasSameDigest(a: SkillFile, b: SkillFile): boolean {
  return a.digest !== undefined && a.digest === b.digest;
}

function isSame(a: SkillFile, b: SkillFile): boolean {
  return a.uri === b.uri || hasSameDigest(a, b);
}

function differs(skill: WantedSkill, other: WantedSkill, place: string): SkillError {
  const { uri } = skill.found.entry;
  return new SkillError(
    'NAME_COLLISION',
    `${uri} and ${other.found.entry.uri} have different bytes for the one file ${JSON.stringify(place)}`,
    { details: { uri, other: other.found.entry.uri, path: place } },
  );
}
