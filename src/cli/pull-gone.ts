/**
 * Skills that were pulled and are on the server no more.
 *
 * @module
 */
import { join } from 'node:path';
import type { SkillListing } from '../client/skill.ts';
import { removeFolder } from '../store/index.ts';
import { localFolder } from './local-files.ts';
import { refuseLossyRemoval } from './pull-decision.ts';
import type { RecordedSkill } from './pull-record.ts';
import type { PulledSkill } from './pull-result.ts';
import { isOfOneSkill, type PullContext } from './pull-unit.ts';
import { foldersOf, isAtOrBelow } from './pull-units.ts';
import type { Recorder } from './recorder.ts';
import type { WantedSkill } from './wanted-skill.ts';

/** An answer that names nothing proves nothing (requirement H20), and neither does one with faults that are nobody's. */
export function mayPrune({ complete, skills, problems }: SkillListing): boolean {
  return complete && skills.length > 0 && problems.every(({ uri }) => uri !== undefined);
}

/**
 * The recorded skills of `origin` that a listing has no more, or that go to another folder now. None of a listing that is not
 * complete. An entry that was refused is no word about the skill that it was.
 */
export function goneSkills(
  { complete, skills, problems }: SkillListing,
  wanted: readonly WantedSkill[],
  origin: string,
  recorded: ReadonlyMap<string, RecordedSkill>,
): RecordedSkill[] {
  if (!complete) return [];
  const listed = new Set(skills.map(({ entry }) => entry.uri));
  for (const { uri } of problems) if (uri !== undefined) listed.add(uri);
  const places = new Map(wanted.map((skill) => [skill.found.entry.uri, skill.path]));
  return [...recorded.values()].filter(({ target, uri, path }) => {
    if (target !== origin) return false;
    return listed.has(uri) ? (places.get(uri) ?? path) !== path : true;
  });
}

/** Folders that were written as a whole, and those that could not be. */
export interface WrittenUnits {
  readonly done: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Where skills stand now that were pulled. */
  readonly taken: ReadonlySet<string>;
}

/**
 * Resolves to what was done with skills that are gone: removed with `prune` unless an edit would be lost, otherwise left. What
 * stood in a folder that was written as a whole went with it, and of one in whose very place another skill stands there is
 * nothing left to tell.
 */
export async function dealWithGone(
  gone: readonly RecordedSkill[],
  units: WrittenUnits,
  context: PullContext,
  recorder: Recorder,
): Promise<PulledSkill[]> {
  const told: PulledSkill[] = [];
  for (const skill of gone) {
    const { name, uri, path } = skill;
    if (units.taken.has(path)) continue;
    const facts = { name, uri, path };
    const above = foldersOf(path);
    if (!context.prune || above.some((folder) => units.failed.has(folder))) {
      told.push({ ...facts, status: 'gone' });
      continue;
    }
    context.signal.throwIfAborted();
    try {
      if (!above.some((folder) => units.done.has(folder))) await removeGone(skill, gone, context);
      if (!context.dryRun) recorder.forget(path);
      told.push({ ...facts, status: 'removed' });
    } catch (error) {
      if (!isOfOneSkill(error, context.signal)) throw error;
      told.push({ ...facts, status: 'refused', error });
    }
  }
  return told;
}

async function removeGone(
  { path, files }: RecordedSkill,
  gone: readonly RecordedSkill[],
  { folder, force, dryRun }: PullContext,
): Promise<void> {
  const shown = join(folder, ...path.split('/'));
  const recorded = new Map(files.map((file) => [file.path, file.digest]));
  for (const inside of gone) {
    if (inside.path === path || !isAtOrBelow(inside.path, path)) continue;
    const below = inside.path.slice(path.length + 1);
    for (const file of inside.files) recorded.set(`${below}/${file.path}`, file.digest);
  }
  refuseLossyRemoval(shown, await localFolder(shown, new Set(recorded.keys())), recorded, force);
  if (!dryRun) await removeFolder(shown, { upTo: folder });
}
