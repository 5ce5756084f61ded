/**
 * Keeps the record of what was pulled while skills take their places.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { type RecordedFile, type RecordedSkill, readRecord, writeRecord } from './pull-record.ts';
import type { PullContext, PulledUnit } from './pull-unit.ts';
import type { PullUnit } from './pull-units.ts';

/** Time between two writes of the record while the work goes on. */
const EVERY_MS = 2_000;
const ATTEMPTS = 5;

/** See {@link createRecorder}. */
export interface Recorder {
  /** What was recorded at the start. */
  readonly before: ReadonlyMap<string, RecordedSkill>;
  /** Folders that were made or replaced so far. */
  readonly placed: number;
  /** Takes up what stands in a folder now. */
  took(unit: PullUnit, made: PulledUnit, context: Pick<PullContext, 'origin'>): Promise<void>;
  /** Drops a skill that was removed. */
  forget(path: string): void;
  /** Writes what changed since the last time; nothing when nothing did. Errors: `WRITE_FAILED`. */
  save(): Promise<void>;
}

/**
 * The record of `folder`, which is written now and then and at the end. A process that is killed in between leaves folders
 * that are not in it; the next one finds the very bytes that it wants there, and takes them up.
 *
 * @example
 * const recorder = createRecorder('skills', await readRecord('skills'))
 */
export function createRecorder(
  folder: string,
  before: ReadonlyMap<string, RecordedSkill>,
  now: () => number = Date.now,
): Recorder {
  /** What is to be in the record, or undefined for what is not, as far as it was changed here. */
  const changes = new Map<string, RecordedSkill | undefined>();
  let placed = 0;
  let savedAt = now();
  let saving = Promise.resolve();
  const write = async (): Promise<void> => {
    savedAt = now();
    if (changes.size === 0) return;
    const taken = new Map(changes);
    changes.clear();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await mergeInto(folder, taken);
        return;
      } catch (error) {
        // Another pull made the first record of the folder at the same moment.
        if (!isSkillError(error, 'TARGET_EXISTS') || attempt === ATTEMPTS) throw error;
      }
    }
  };
  const save = (): Promise<void> => {
    saving = saving.then(write);
    return saving;
  };
  return {
    before,
    get placed() {
      return placed;
    },
    async took(unit, made, { origin }) {
      if (made.decision.action !== 'unchanged') placed += 1;
      const pulledAt = new Date(now()).toISOString();
      for (const skill of recordsOf(unit, made, origin, pulledAt)) {
        const old = before.get(skill.path);
        if (old === undefined || !isSame(old, skill)) changes.set(skill.path, skill);
      }
      if (now() - savedAt >= EVERY_MS) await save();
    },
    forget(path) {
      placed += 1;
      changes.set(path, undefined);
    },
    save,
  };
}

/** What is there is read anew: another pull may have put skills into the same folder meanwhile. */
async function mergeInto(
  folder: string,
  changes: ReadonlyMap<string, RecordedSkill | undefined>,
): Promise<void> {
  const record = await readRecord(folder);
  for (const [path, skill] of changes) {
    if (skill === undefined) record.delete(path);
    else record.set(path, skill);
  }
  await writeRecord(folder, record.values());
}

function recordsOf(unit: PullUnit, made: PulledUnit, target: string, pulledAt: string): RecordedSkill[] {
  return unit.skills.map(({ found, name, path, files }) => {
    const below = path === unit.path ? '' : `${path.slice(unit.path.length + 1)}/`;
    const recorded = files.flatMap((file): RecordedFile[] => {
      const facts = made.files.get(`${below}${file.path}`);
      return facts === undefined ? [] : [{ ...facts, path: file.path }];
    });
    const { dialect, integrity, entry } = found;
    return { path, name, uri: entry.uri, target, dialect, integrity, pulledAt, files: recorded };
  });
}

/** But for the time: a record changes only when what it says does. */
function isSame(a: RecordedSkill, b: RecordedSkill): boolean {
  return JSON.stringify({ ...a, pulledAt: '' }) === JSON.stringify({ ...b, pulledAt: '' });
}
