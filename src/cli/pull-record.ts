/**
 * The record of what was pulled into a folder: from where, and which bytes.
 *
 * @module
 */
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '../errors.ts';
import { isDigest } from '../integrity/index.ts';
import { collisionKey, compareCodePoints, isSafePath } from '../source/index.ts';
import { placeFiles } from '../store/index.ts';

/** A file as it was pulled. */
export interface RecordedFile {
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

/** A skill as it was pulled. */
export interface RecordedSkill {
  /** The folder below that of the record, `/`-separated. */
  readonly path: string;
  readonly name: string;
  readonly uri: string;
  /** Where it came from; no credential stands in it. */
  readonly target: string;
  readonly dialect: string;
  readonly integrity: string;
  /** When these bytes came, ISO 8601. */
  readonly pulledAt: string;
  readonly files: readonly RecordedFile[];
}

/** The folder of the record, and its file. Neither is a skill, so no server shows it. */
export const RECORD_FOLDER = '.skillwire';
/** What Windows may call it as well. */
const SHORT_NAME = /^skillw~\d/i;
const RECORD_FILE = 'pull.json';
const VERSION = 1;
/** A hundred thousand files need less. */
const MAX_BYTES = 67_108_864;

/**
 * Resolves to the skills that the record in `folder` names, by their path; empty where there is no record.
 *
 * What is recorded decides what may be replaced and removed, so a record that is damaged, or that names a place outside of
 * the folder, is refused as a whole. Errors: `PULL_RECORD_INVALID`, `FILE_UNREADABLE`, `WRITE_FAILED` when it is no folder.
 */
export async function readRecord(folder: string): Promise<Map<string, RecordedSkill>> {
  const path = join(folder, RECORD_FOLDER, RECORD_FILE);
  const text = await readText(folder, path);
  if (text === undefined) return new Map();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, 'it is no JSON', cause);
  }
  if (!isObject(value) || !Array.isArray(value.skills)) throw damaged(path, 'it has no list of skills');
  if (value.version !== VERSION)
    throw damaged(path, `its version is ${JSON.stringify(value.version)}, not ${VERSION}`);
  const skills = new Map<string, RecordedSkill>();
  for (const each of value.skills) {
    const skill = skillOf(each, path);
    if (skills.has(skill.path)) throw damaged(path, `${JSON.stringify(skill.path)} stands there twice`);
    skills.set(skill.path, skill);
  }
  return skills;
}

/** Resolves when the record in `folder` names these skills and no others. Errors: `WRITE_FAILED`. */
export async function writeRecord(folder: string, skills: Iterable<RecordedSkill>): Promise<void> {
  const sorted = [...skills].sort((a, b) => compareCodePoints(a.path, b.path));
  const text = `${JSON.stringify({ version: VERSION, skills: sorted }, null, 2)}\n`;
  const content = async (): Promise<Uint8Array> => Buffer.from(text);
  await placeFiles(join(folder, RECORD_FOLDER), [{ name: RECORD_FILE, content }], { replace: true });
}

async function readText(folder: string, path: string): Promise<string | undefined> {
  try {
    // A link would make the record that of another folder.
    if ((await lstat(join(folder, RECORD_FOLDER))).isSymbolicLink() || (await lstat(path)).isSymbolicLink()) {
      throw damaged(path, 'it is a link');
    }
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES)
        throw damaged(path, `it has ${size} bytes, more than the ${MAX_BYTES} of any record`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    if (error instanceof SkillError) throw error;
    if (code === 'ENOTDIR') {
      const details = { path: folder, hint: 'name a folder, which pull makes if need be' };
      throw new SkillError(
        'WRITE_FAILED',
        `${folder} is a file or lies below one, and no folder for skills`,
        { details },
      );
    }
    throw new SkillError('FILE_UNREADABLE', `cannot read ${path} (${String(code)})`, { cause: error });
  }
}

function skillOf(value: unknown, path: string): RecordedSkill {
  if (!isObject(value)) throw damaged(path, 'one of its skills is no object');
  const text = (key: string): string => {
    const found = value[key];
    if (typeof found !== 'string') throw damaged(path, `a skill has no ${key}`);
    return found;
  };
  const place = text('path');
  if (!isPlace(place)) throw damaged(path, `${JSON.stringify(place)} is no folder below it`);
  if (!Array.isArray(value.files)) throw damaged(path, `${JSON.stringify(place)} has no list of files`);
  return {
    path: place,
    name: text('name'),
    uri: text('uri'),
    target: text('target'),
    dialect: text('dialect'),
    integrity: text('integrity'),
    pulledAt: text('pulledAt'),
    files: value.files.map((file) => fileOf(file, path)),
  };
}

function fileOf(value: unknown, path: string): RecordedFile {
  if (
    isObject(value) &&
    typeof value.path === 'string' &&
    value.path !== '' &&
    isSafePath(value.path) &&
    isDigest(value.digest) &&
    typeof value.size === 'number'
  ) {
    return { path: value.path, digest: value.digest, size: value.size };
  }
  throw damaged(path, `${JSON.stringify(value)?.slice(0, 200)} is no file with a digest`);
}

/** The root is no folder below it, and neither is the folder of the record. */
function isPlace(path: string): boolean {
  return path !== '' && isSafePath(path) && !isOwnPath(path);
}

/**
 * Whether a path below the target folder leads into the folder of the record or one that is kept for work, on some file
 * system: a server that could write there would say itself what was pulled.
 *
 * @example
 * isOwnPath('.SkillWire/pull.json') // true
 */
export function isOwnPath(path: string): boolean {
  return collisionKey(path).startsWith(RECORD_FOLDER) || SHORT_NAME.test(path);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(path: string, why: string, cause?: unknown): SkillError {
  const hint =
    'restore it from version control; without it nothing here counts as pulled, and nothing is replaced';
  return new SkillError('PULL_RECORD_INVALID', `${path} is not a record of what was pulled: ${why}`, {
    details: { path, hint },
    ...(cause === undefined ? {} : { cause }),
  });
}
