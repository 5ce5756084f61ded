/**
 * The work of `skillwire pull`.
 *
 * @module
 */
import { join } from 'node:path';
import type { FoundSkill } from '../client/skill.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { PullFlags } from './commands/pull.ts';
import type { CliContext } from './context.ts';
import { findFound } from './find-found.ts';
import { inParallel } from './in-parallel.ts';
import { interruptible } from './interrupt.ts';
import { minSkillsExit } from './min-skills.ts';
import { type TargetWords, targetOf, withTarget } from './open-target.ts';
import { plural } from './plural.ts';
import { showCount } from './progress.ts';
import { dealWithGone, goneSkills, mayPrune, type WrittenUnits } from './pull-gone.ts';
import { readRecord } from './pull-record.ts';
import { pullExitCode, pullReport } from './pull-report.ts';
import type { PulledSkill, PullResult } from './pull-result.ts';
import { isOfOneSkill, type PullContext, type PulledUnit, pullUnit, recordIndex } from './pull-unit.ts';
import { type PullUnit, planUnits } from './pull-units.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { shownName } from './skill-files.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { turns } from './turns.ts';
import { refuseLongPaths } from './unpack-plan.ts';
import { usageError } from './usage.ts';
import { type WantedSkill, wantedSkill } from './wanted-skill.ts';

/** Folders that are made side by side, and files that are read at once for all of them. */
const FOLDERS = 4;
const FILES = 8;

/**
 * Puts skills of a target into a folder, all of them if none is named, and reports.
 *
 * Errors: `USAGE`, `PULL_RECORD_INVALID`, `WRITE_FAILED` of the record, those of opening and listing; what is wrong with one
 * skill stands in the report and makes the exit code.
 */
export async function pull(
  words: TargetWords,
  wanted: readonly string[],
  flags: PullFlags,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const folder = flags.to;
  if (folder === undefined || folder === '') {
    throw usageError(
      'pull needs the folder to put skills into',
      'skillwire pull https://host/mcp --to .claude/skills',
    );
  }
  if (flags.prune === true && wanted.length > 0) {
    throw usageError(
      '--prune goes with all skills of a server, not with some',
      'leave the names out, or --prune',
    );
  }
  const target = targetOf(words, flags, context.cwd);
  let recorder: Recorder | undefined;
  const said = (): string => {
    const count = recorder?.placed ?? 0;
    return count === 0
      ? 'nothing was changed'
      : `${plural(count, 'folder')} done, the others are as they were`;
  };
  const result = await interruptible(
    output,
    async (signal) => {
      const keeper = createRecorder(folder, await readRecord(folder));
      recorder = keeper;
      return withTarget(
        target,
        flags,
        context,
        (opened) => pulled({ opened, wanted, folder, flags, context, signal, recorder: keeper }),
        { signal },
      );
    },
    said,
  );
  const counted = [{ label: result.target, count: result.listing.skills.length }];
  context.exitCode = minSkillsExit(pullExitCode(result), flags, counted, output);
  pullReport(result, flags, output);
}

interface Pulling {
  readonly opened: OpenedTarget;
  readonly wanted: readonly string[];
  readonly folder: string;
  readonly flags: PullFlags;
  readonly context: CliContext;
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
}

async function pulled(pulling: Pulling): Promise<PullResult> {
  const { opened, wanted, folder, flags, context, signal, recorder } = pulling;
  const { output } = context;
  output.status('listing skills');
  const listing = await opened.client.listSkills({ signal });
  const chosen: FoundSkill[] = [];
  for (const each of wanted) chosen.push(await findFound(opened, listing, each));
  const found = wanted.length === 0 ? listing.skills : eachOnce(chosen);
  const skills: PulledSkill[] = [];
  const ready = await wantedSkills(found, pulling, skills);
  const origin = opened.origin(folder);
  const gone = wanted.length > 0 ? [] : goneSkills(listing, ready, origin, recorder.before);
  const prune = flags.prune === true && mayPrune(listing);
  const { units, refused, contained } = planUnits(ready, prune ? gone.map((skill) => skill.path) : []);
  skills.push(...refused.map((each) => ({ ...each, status: 'refused' as const })));
  skills.push(...contained.map((skill) => ({ ...factsOf(skill), status: 'contained' as const })));
  const unitContext: PullContext = {
    client: opened.client,
    folder,
    origin,
    recorded: recordIndex(recorder.before),
    force: flags.force === true,
    dryRun: flags.dryRun === true,
    prune,
    maxBytes: maxBytesOf(flags),
    inTurn: turns(FILES),
    signal,
  };
  try {
    const written = await pullUnits(units, unitContext, pulling);
    skills.push(...written.skills);
    skills.push(...(await dealWithGone(gone, written, unitContext, recorder)));
  } finally {
    if (flags.dryRun !== true) await recorder.save();
  }
  output.status('');
  signal.throwIfAborted();
  return {
    target: opened.label,
    folder,
    dryRun: flags.dryRun === true,
    listing,
    named: wanted.length > 0,
    skills,
  };
}

/** One that was named twice is one. */
function eachOnce(skills: readonly FoundSkill[]): readonly FoundSkill[] {
  return [...new Map(skills.map((skill) => [skill.entry.uri, skill])).values()];
}

/** The skills whose entries are good; the others are told. */
async function wantedSkills(
  found: readonly FoundSkill[],
  { opened, folder, flags, context, signal }: Pulling,
  told: PulledSkill[],
): Promise<WantedSkill[]> {
  const options = {
    flat: flags.flat === true,
    allowUnverified: flags.allowUnverified === true,
    maxBytes: maxBytesOf(flags),
    maxFiles: LIMITS.archiveEntries,
  };
  const shown = showCount(context.output, 'looking at skills', found.length);
  let done = 0;
  const ready = await inParallel(found, FOLDERS, async (each) => {
    const { uri, resources } = each.entry;
    try {
      signal.throwIfAborted();
      const whole = resources === 'on-request' ? await opened.client.getSkill(uri, { signal }) : each;
      const skill = wantedSkill(whole, options);
      refuseLong(skill, folder);
      return [skill];
    } catch (error) {
      if (!isOfOneSkill(error, signal)) throw error;
      told.push({ name: shownName(each.entry), uri, status: 'refused', integrity: each.integrity, error });
      return [];
    } finally {
      done += 1;
      shown(done);
    }
  });
  return ready.flat();
}

/** Errors: `UNSAFE_NAME` for a file that this system could not open there. */
function refuseLong({ files, path }: WantedSkill, folder: string): void {
  try {
    refuseLongPaths({ files, folders: [] }, join(folder, path));
  } catch (error) {
    if (!isSkillError(error, 'ARCHIVE_NAME_TOO_LONG')) throw error;
    const details = { ...error.details, hint: 'pull into a folder with a shorter path' };
    throw new SkillError('UNSAFE_NAME', error.message, { details });
  }
}

async function pullUnits(
  units: readonly PullUnit[],
  unitContext: PullContext,
  { context, signal, recorder }: Pulling,
): Promise<WrittenUnits & { readonly skills: readonly PulledSkill[] }> {
  const shown = showCount(context.output, 'pulling skills', units.length);
  const written = new Set<string>();
  const failed = new Set<string>();
  const taken = new Set<string>();
  let done = 0;
  const all = await inParallel(units, FOLDERS, async (unit) => {
    try {
      const made = await pullUnit(unit, unitContext);
      if (!unitContext.dryRun) await recorder.took(unit, made, unitContext);
      written.add(unit.path);
      for (const { path } of unit.skills) taken.add(path);
      return unit.skills.map((skill) => skillOf(skill, unit, made));
    } catch (error) {
      if (!isOfOneSkill(error, signal)) throw error;
      failed.add(unit.path);
      return unit.skills.map((skill) => ({ ...factsOf(skill), status: 'refused' as const, error }));
    } finally {
      done += 1;
      shown(done);
    }
  });
  return { skills: all.flat(), done: written, failed, taken };
}

const STATUS = { add: 'added', update: 'updated', unchanged: 'unchanged' } as const;

/** Of a folder with several skills, those that changed are told as changed. */
function skillOf(skill: WantedSkill, unit: PullUnit, { decision, leftover }: PulledUnit): PulledSkill {
  const below = skill.path === unit.path ? '' : `${skill.path.slice(unit.path.length + 1)}/`;
  const own = (paths: readonly string[]): string[] =>
    paths.filter((path) => path.startsWith(below)).map((path) => path.slice(below.length));
  const [added, changed, removed] = [own(decision.added), own(decision.changed), own(decision.removed)];
  const touched = added.length + changed.length + removed.length > 0;
  return {
    ...factsOf(skill),
    status: touched ? STATUS[decision.action] : 'unchanged',
    added,
    changed,
    removed,
    ...(leftover === undefined ? {} : { leftover }),
  };
}

function factsOf({
  found,
  name,
  path,
}: WantedSkill): Pick<PulledSkill, 'name' | 'uri' | 'path' | 'integrity'> {
  return { name, uri: found.entry.uri, path, integrity: found.integrity };
}

function maxBytesOf({ maxBytes }: PullFlags): number {
  return capOf(maxBytes, LIMITS.archiveBytes);
}
