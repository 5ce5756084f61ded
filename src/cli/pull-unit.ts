/**
 * One folder, fetched, verified and put in its place.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { placeFolder } from '../store/index.ts';
import { type LocalFolder, localFolder } from './local-files.ts';
import { type Digests, decidePull, type PullDecision } from './pull-decision.ts';
import type { RecordedFile, RecordedSkill } from './pull-record.ts';
import { foldersOf, type PullUnit, type UnitFile } from './pull-units.ts';
import type { SkillReader } from './skill-reader.ts';
import type { ReadInTurn } from './verify-skill.ts';
import { tooLarge } from './wanted-skill.ts';

/** What {@link pullUnit} works with. */
export interface PullContext {
  readonly client: SkillReader;
  /** The target folder as the user wrote it. */
  readonly folder: string;
  /** Where the skills come from, as records call it. */
  readonly origin: string;
  readonly recorded: RecordIndex;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Recorded skills that are no longer on the server go. */
  readonly prune: boolean;
  readonly maxBytes: number;
  /** Bounds how many files are read at once. */
  readonly inTurn: ReadInTurn;
  readonly signal: AbortSignal;
}

/** Recorded skills by where they stand. */
export interface RecordIndex {
  at(path: string): RecordedSkill | undefined;
  /** Those in a folder, at whatever depth, and the one that is that folder. */
  within(path: string): readonly RecordedSkill[];
}

/** An index of a record, so that thousands of folders are not compared with each other. */
export function recordIndex(recorded: ReadonlyMap<string, RecordedSkill>): RecordIndex {
  const within = new Map<string, RecordedSkill[]>();
  for (const skill of recorded.values()) {
    for (const folder of foldersOf(skill.path)) {
      const known = within.get(folder);
      if (known === undefined) within.set(folder, [skill]);
      else known.push(skill);
    }
  }
  return { at: (path) => recorded.get(path), within: (path) => within.get(path) ?? [] };
}

/** What was done with one folder. */
export interface PulledUnit {
  readonly decision: PullDecision;
  /** Bytes by path, digest and size; what records say of them. */
  readonly files: ReadonlyMap<string, RecordedFile>;
  readonly leftover?: string;
}

/** Bytes that stand in the folder and stay: they belong to a recorded skill inside it. */
type Kept = ReadonlyMap<string, string>;

/**
 * Resolves to what was done. The folder is whole when it appears, and stays as it was when anything goes wrong: every byte is
 * verified before the first is written. What stands there with the right digest is not fetched again, but for `SKILL.md`,
 * whose frontmatter has to be compared.
 *
 * Errors: those of {@link decidePull}, of `read` and of `placeFolder`; `SKILL_TOO_LARGE`.
 */
export async function pullUnit(unit: PullUnit, context: PullContext): Promise<PulledUnit> {
  const { folder, recorded, origin, force, signal } = context;
  const shown = join(folder, ...unit.path.split('/'));
  const around = enclosing(unit.path, recorded);
  const within = recorded.within(unit.path);
  const known = digestsOf(within, unit.path);
  const local = await localFolder(shown, new Set([...unit.files.keys(), ...known.keys()]));
  const kept = keptFiles(unit, within, local, context.prune);
  const stated = new Map<string, string | undefined>(kept);
  for (const [path, { file }] of unit.files) stated.set(path, file.digest);
  const facts = {
    shown,
    local,
    recorded: within.length === 0 ? undefined : known,
    others: [...new Set(within.map((skill) => skill.target))].filter((target) => target !== origin),
    force,
  };
  const early = decidePull({ ...facts, wanted: stated });
  if (early.action === 'unchanged' || (context.dryRun && !hasGaps(stated))) {
    if (early.action !== 'unchanged') refuseInside(around, shown);
    return { decision: early, files: await statedFiles(unit, shown, kept) };
  }
  const contents = await fetchAll(unit, shown, local, context);
  const files = new Map([...contents].map(([path, bytes]) => [path, recordOf(path, bytes)]));
  const keptBytes = await readKept(shown, kept);
  const wanted = new Map<string, string | undefined>(kept);
  for (const [path, file] of files) wanted.set(path, file.digest);
  // Looked at again: reading may have taken long, and an edit made meanwhile is one as well.
  const now = await localFolder(shown, new Set([...wanted.keys(), ...known.keys()]));
  const decision = decidePull({ ...facts, local: now, wanted });
  if (decision.action === 'unchanged' || context.dryRun) return { decision, files };
  refuseInside(around, shown);
  const all = [...contents, ...keptBytes].map(([path, content]) => ({ path, content }));
  // No mode but the plain one: nothing that comes from a server is a program until its user says so.
  const placed = await placeFolder(shown, all, { replace: now.kind === 'folder', signal });
  return { decision, files, ...(placed.leftover === undefined ? {} : { leftover: placed.leftover }) };
}

/** The recorded digests of the files of some skills, by their path below the folder `unit`. */
export function digestsOf(skills: readonly RecordedSkill[], unit: string): Digests {
  const digests = new Map<string, string>();
  for (const { path, files } of skills) {
    const below = path === unit ? '' : `${path.slice(unit.length + 1)}/`;
    for (const file of files) digests.set(`${below}${file.path}`, file.digest);
  }
  return digests;
}

/** A skill that was recorded inside the unit and is not pulled now keeps its files, unless what is gone is to go. */
function keptFiles(
  unit: PullUnit,
  within: readonly RecordedSkill[],
  local: LocalFolder,
  prune: boolean,
): Kept {
  const kept = new Map<string, string>();
  if (local.kind !== 'folder' || prune) return kept;
  const pulled = new Set(unit.skills.map((skill) => skill.path));
  const rest = within.filter((skill) => skill.path !== unit.path && !pulled.has(skill.path));
  for (const [path, digest] of digestsOf(rest, unit.path)) {
    if (digest !== undefined && local.files.get(path) === digest && !unit.files.has(path))
      kept.set(path, digest);
  }
  return kept;
}

function enclosing(path: string, recorded: RecordIndex): RecordedSkill | undefined {
  const above = foldersOf(path).slice(0, -1);
  return above.map((folder) => recorded.at(folder)).find((skill) => skill !== undefined);
}

function refuseInside(around: RecordedSkill | undefined, shown: string): void {
  if (around === undefined) return;
  throw new SkillError('TARGET_EXISTS', `${shown} lies in the folder of the skill ${around.path}`, {
    details: { path: shown, hint: `pull ${around.name}, which has these files too` },
  });
}

function hasGaps(digests: Digests): boolean {
  return [...digests.values()].some((digest) => digest === undefined);
}

/** What a record says of files that were not read: their digests are stated, and so is where they are not, their size. */
async function statedFiles(unit: PullUnit, shown: string, kept: Kept): Promise<Map<string, RecordedFile>> {
  const files = new Map<string, RecordedFile>();
  for (const [path, { file }] of unit.files) {
    if (file.digest === undefined || kept.has(path)) continue;
    const size = file.size ?? (await sizeOnDisk(shown, path));
    files.set(path, { path, digest: file.digest, size });
  }
  return files;
}

async function sizeOnDisk(shown: string, path: string): Promise<number> {
  try {
    return (await readFile(join(shown, ...path.split('/')))).byteLength;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

async function fetchAll(
  unit: PullUnit,
  shown: string,
  local: LocalFolder,
  { client, inTurn, maxBytes, signal }: PullContext,
): Promise<Map<string, Uint8Array>> {
  let bytes = 0;
  let failed = false;
  const one = async (path: string, { skill, file }: UnitFile): Promise<[string, Uint8Array]> => {
    const content = await inTurn(async () => {
      signal.throwIfAborted();
      // One file that fails makes the others worthless.
      if (failed) throw new SkillError('WRITE_FAILED', 'not read, since another file failed');
      return (
        (await fromDisk(shown, path, file.digest, local)) ??
        (await client.read(skill.found, file.uri, { signal })).bytes
      );
    });
    bytes += content.byteLength;
    if (bytes > maxBytes) throw tooLarge(skill.found.entry.uri, bytes, maxBytes);
    return [path, content];
  };
  let first: unknown;
  const ended = await Promise.all(
    [...unit.files].map(([path, file]) =>
      one(path, file).catch((error: unknown) => {
        first = failed ? first : error;
        failed = true;
        return undefined;
      }),
    ),
  );
  if (failed) throw first;
  return new Map(ended.flatMap((each) => (each === undefined ? [] : [each])));
}

/** The bytes of a file that stands there as it is wanted; hashed again, since it may have changed since. */
async function fromDisk(
  shown: string,
  path: string,
  digest: string | undefined,
  local: LocalFolder,
): Promise<Uint8Array | undefined> {
  if (digest === undefined || local.kind !== 'folder' || local.files.get(path) !== digest) return undefined;
  if (path === 'SKILL.md' || path.endsWith('/SKILL.md')) return undefined;
  const bytes = await readFile(join(shown, ...path.split('/'))).catch(() => undefined);
  return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined;
}

async function readKept(shown: string, kept: Kept): Promise<[string, Uint8Array][]> {
  const read: [string, Uint8Array][] = [];
  for (const [path, digest] of kept) {
    const bytes = await readFile(join(shown, ...path.split('/')));
    if (digestOf(bytes) !== digest) {
      throw new SkillError('LOCAL_CHANGES', `${join(shown, path)} changed while it was read`);
    }
    read.push([path, bytes]);
  }
  return read;
}

function recordOf(path: string, bytes: Uint8Array): RecordedFile {
  return { path, digest: digestOf(bytes), size: bytes.byteLength };
}

/** Whether an error is one of a skill, so that the others go on; anything else is a fault or an interruption. */
export function isOfOneSkill(error: unknown, signal: AbortSignal): error is SkillError {
  return isSkillError(error) && !signal.aborted;
}
