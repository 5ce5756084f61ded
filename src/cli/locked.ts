/**
 * Pulled skills held against their record, on the server and on this machine.
 *
 * @module
 */
import { join } from 'node:path';
import type { FoundSkill, SkillListing } from '../client/skill.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { localFolder } from './local-files.ts';
import { type RecordedSkill, readRecord } from './pull-record.ts';
import { digestsOf, type RecordIndex, recordIndex } from './pull-unit.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { usageError } from './usage.ts';
import { errorJson, type SkillReport } from './verify-skill.ts';

/** See {@link readLocked}. */
export interface Locked {
  /** The recorded skills that a listing has. */
  found(listing: SkillListing): readonly FoundSkill[];
  /** Reports of those that it has not. */
  missing(listing: SkillListing): readonly SkillReport[];
  /** The report, failed where the skill is not what was recorded, there or here. */
  compare(report: SkillReport): Promise<SkillReport>;
}

const NAMED = 5;

/**
 * Resolves to the skills that were pulled from a target into `folder` (threats R1, R2: a server that shows others something
 * else, or something else by now). Errors: `USAGE` when there are none; those of `readRecord`.
 */
export async function readLocked(opened: OpenedTarget, folder: string): Promise<Locked> {
  const record = await readRecord(folder);
  const origin = opened.origin(folder);
  const index = recordIndex(record);
  /** A skill may have been pulled into several folders. */
  const mine = new Map<string, RecordedSkill[]>();
  for (const skill of record.values()) {
    if (skill.target !== origin) continue;
    const known = mine.get(skill.uri);
    if (known === undefined) mine.set(skill.uri, [skill]);
    else known.push(skill);
  }
  if (mine.size === 0) {
    throw usageError(
      `nothing in ${folder} was pulled from ${opened.label}`,
      `skillwire pull TARGET --to ${folder}, with the target written the same way`,
    );
  }
  return {
    found: ({ skills }) => skills.filter(({ entry }) => mine.has(entry.uri)),
    missing({ skills, complete }) {
      const listed = new Set(skills.map(({ entry }) => entry.uri));
      return [...mine.values()].flatMap(([skill]) =>
        skill === undefined || listed.has(skill.uri) ? [] : [missingReport(skill, complete)],
      );
    },
    async compare(report) {
      let compared = report;
      for (const skill of mine.get(report.uri) ?? []) {
        if (compared.outcome !== 'failed') compared = await compareOne(compared, skill, folder, index);
      }
      return compared;
    },
  };
}

async function compareOne(
  report: SkillReport,
  skill: RecordedSkill,
  folder: string,
  index: RecordIndex,
): Promise<SkillReport> {
  const there = differences(
    digestsOf([skill], skill.path),
    new Map(report.files.map((file) => [file.path, file.digest])),
  );
  if (there.length > 0 && report.outcome !== 'unread' && report.outcome !== 'incomplete') {
    return failed(report, `the server has something else than what was pulled: ${some(there)}`);
  }
  try {
    const known = digestsOf(index.within(skill.path), skill.path);
    const local = await localFolder(join(folder, ...skill.path.split('/')), new Set(known.keys()));
    const here = local.kind === 'folder' ? differences(known, local.files) : ['the folder itself'];
    return here.length === 0
      ? report
      : failed(report, `${join(folder, skill.path)} was changed here: ${some(here)}`);
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return { ...report, outcome: 'failed', error: errorJson(error) };
  }
}

function differences(
  recorded: ReadonlyMap<string, string | undefined>,
  found: ReadonlyMap<string, string | undefined>,
): string[] {
  const paths = new Set([...recorded.keys(), ...found.keys()]);
  return [...paths].filter(
    (path) => recorded.get(path) === undefined || recorded.get(path) !== found.get(path),
  );
}

function failed(report: SkillReport, why: string): SkillReport {
  const error = new SkillError('RECORD_MISMATCH', `${report.uri}: ${why}`);
  return { ...report, outcome: 'failed', error: errorJson(error) };
}

function missingReport({ uri, name, dialect, integrity }: RecordedSkill, complete: boolean): SkillReport {
  const error = new SkillError('RECORD_MISMATCH', `${uri} is not listed any more`);
  return {
    uri,
    name,
    dialect: dialect as SkillReport['dialect'],
    integrity: integrity as SkillReport['integrity'],
    // It may stand in the part that was not listed.
    outcome: complete ? 'failed' : 'incomplete',
    files: [],
    error: errorJson(error),
  };
}

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).join(', ');
  return paths.length > NAMED ? `${shown} and ${paths.length - NAMED} more` : shown;
}
