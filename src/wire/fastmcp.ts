/**
 * The file list of the `fastmcp` dialect: what stands at `skill://<path>/_manifest`.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { isDigest } from '../integrity/digest.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { quote } from '../uri/quote.ts';
import { DEFAULT_MAX_RESOURCE_BYTES } from './constants.ts';

/** The MIME type of a file list. */
export const FILE_LIST_MIME_TYPE = 'application/json';

/** One file in a file list, in the order in which the fields go out. */
export interface FileListEntry {
  /** Below the skill's folder, `/`-separated, not encoded. */
  readonly path: string;
  /** Length of the raw bytes. */
  readonly size: number;
  /** `sha256:` and 64 lower-case hex digits over the raw bytes. */
  readonly hash: string;
}

/** The document at `skill://<path>/_manifest`, in the order in which the fields go out. */
export interface SkillFileList {
  /** The skill's name. */
  readonly skill: string;
  /** Every file of the skill, `SKILL.md` among them; the list itself is none. */
  readonly files: readonly FileListEntry[];
}

/**
 * The text of a file list as FastMCP writes it: its fields and no other, files in order of {@link compareFilePaths},
 * JSON indented by 2 in ASCII alone, no line end after it.
 *
 * @example
 * writeSkillManifest({ skill: 'pdf', files: [{ path: 'SKILL.md', size: 120, hash: digestOf(bytes) }] })
 */
export function writeSkillManifest(list: SkillFileList): string {
  const files = list.files
    .map(({ path, size, hash }) => ({ path, size, hash }))
    .sort((a, b) => compareFilePaths(a.path, b.path));
  return JSON.stringify({ skill: list.skill, files }, undefined, 2).replace(NOT_ASCII, escaped);
}

/** Everything that Python's `json` escapes and ours does not; U+007F is among them. */
const NOT_ASCII = /[\u007f-\uffff]/g;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * A negative number, zero or a positive number as path `a` stands before, with or after `b` in a file list: by the names
 * from left to right, each in code-point order. `a/x.md` thus stands before `a-b.md`.
 *
 * @example
 * paths.sort(compareFilePaths)
 */
export function compareFilePaths(a: string, b: string): number {
  let from = 0;
  for (;;) {
    const [endA, endB] = [endOf(a, from), endOf(b, from)];
    const order = compareCodePoints(a.slice(from, endA), b.slice(from, endB));
    if (order !== 0) return order;
    // The names up to here are the same, so both end at the same place.
    if (endA === a.length || endB === b.length) return a.length - b.length;
    from = endA + 1;
  }
}

function endOf(path: string, from: number): number {
  const slash = path.indexOf('/', from);
  return slash < 0 ? path.length : slash;
}

/**
 * The file list in a text that a server sent. Fields that the dialect does not have are dropped; the order of the files is
 * the server's. Whether a path may be written to disk, and whether `skill` is the skill that was asked for, the caller has
 * to judge.
 *
 * Errors: `INVALID_MANIFEST` for a text that is longer than 10 MiB or no JSON; for a `skill` or `path` that is no text, or
 * a path that is empty or stands there twice; for a size that is no whole number from 0; for a hash in another form.
 *
 * @example
 * parseSkillManifest(contents.text).files.map(({ path }) => path) // ['SKILL.md', 'references/FORMS.md']
 */
export function parseSkillManifest(text: string): SkillFileList {
  const value = parse(text);
  if (!isRecord(value)) throw invalid(`it is ${kindOf(value)} and must be an object`);
  const skill = own(value, 'skill');
  if (typeof skill !== 'string') throw invalid(`skill is ${kindOf(skill)} and must be text`);
  const files = own(value, 'files');
  if (!Array.isArray(files)) throw invalid(`files is ${kindOf(files)} and must be a list`);
  const seen = new Set<string>();
  return { skill, files: (files as readonly unknown[]).map((file, at) => entryOf(file, at, seen)) };
}

function parse(text: string): unknown {
  if (text.length > DEFAULT_MAX_RESOURCE_BYTES) {
    throw invalid(`it has ${text.length} characters; at most ${DEFAULT_MAX_RESOURCE_BYTES} are read`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid('it is no JSON', error);
  }
}

function entryOf(file: unknown, at: number, seen: Set<string>): FileListEntry {
  const where = `files[${at}]`;
  if (!isRecord(file)) throw invalid(`${where} is ${kindOf(file)} and must be an object`);
  const path = own(file, 'path');
  if (typeof path !== 'string') throw invalid(`${where}.path is ${kindOf(path)} and must be text`);
  if (path === '') throw invalid(`${where}.path is empty`);
  if (seen.has(path)) throw invalid(`${where}.path is ${quote(path)}, which stands there twice`);
  seen.add(path);
  const size = own(file, 'size');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    const found = typeof size === 'number' ? size : kindOf(size);
    throw invalid(`${where}.size is ${found} and must be a whole number from 0`);
  }
  const hash = own(file, 'hash');
  if (!isDigest(hash)) {
    const found = typeof hash === 'string' ? quote(hash) : kindOf(hash);
    throw invalid(`${where}.hash is ${found} and must be "sha256:" and 64 lower-case hex digits`);
  }
  return { path, size, hash };
}

function invalid(why: string, cause?: unknown): SkillError {
  return new SkillError('INVALID_MANIFEST', `the file list is refused: ${why}`, { cause });
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
