/**
 * The index of the `draft-index` dialect: its shape, its rules, and how to read it.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { INDEX_SCHEMA_URI, META_KEY_FILE_DIGESTS } from './constants.ts';

/** What an index entry points at: a `SKILL.md`, or an archive with a whole skill (seed `SkillType`). */
export type SkillType = 'skill-md' | 'archive';

/** The digest of one supporting file (seed `FileDigest`). */
export interface FileDigest {
  /** Below the skill's folder, `/`-separated, not encoded. `SKILL.md` never stands here: its digest is the entry's. */
  readonly path: string;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes. */
  readonly digest: string;
}

/** One skill in an index (seed `IndexEntry`), in the order in which the fields go out. */
export interface IndexEntry {
  readonly type: SkillType;
  readonly name?: string;
  readonly description: string;
  readonly url: string;
  /** Over the raw bytes of what `url` names. */
  readonly digest?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The document at `skill://index.json` (seed `Index`), in the order in which the fields go out. */
export interface Index {
  readonly $schema: string;
  readonly skills: readonly IndexEntry[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/**
 * An index of `skills` with the schema of the draft (seed `NewIndex`).
 *
 * @example
 * newIndex([{ type: 'skill-md', name: 'pdf', description: 'Fills forms', url: 'skill://pdf/SKILL.md', digest }])
 */
export function newIndex(skills: readonly IndexEntry[] = []): Index {
  return { $schema: INDEX_SCHEMA_URI, skills };
}

/**
 * Whether `type` is one that the draft defines (seed `SkillType.Valid`); `mcp-resource-template`, which it dropped, is
 * none.
 *
 * @example
 * isSkillType('archive') // true
 */
export function isSkillType(type: unknown): type is SkillType {
  return type === 'skill-md' || type === 'archive';
}

/**
 * Whether entries of this type carry a name and a digest: both types do (seed `SkillType.HasManifestFields`).
 *
 * @example
 * hasManifestFields('skill-md') // true
 */
export function hasManifestFields(type: unknown): boolean {
  return isSkillType(type);
}

/**
 * Nothing, if `entry` has every field that the draft demands, in this order: type, description, url, name, digest
 * (seed `IndexEntry.Validate`). A field that is no text counts as missing; whether digest and url are well-formed is
 * not looked at.
 *
 * Errors: `UNKNOWN_SKILL_TYPE`, `INDEX_ENTRY_MISSING_DESCRIPTION`, `INDEX_ENTRY_MISSING_URL`,
 * `INDEX_ENTRY_MISSING_NAME`, `INDEX_ENTRY_MISSING_DIGEST`.
 *
 * @example
 * const known = index.skills.filter((entry) => isSkillType(entry.type))
 * for (const entry of known) validateIndexEntry(entry)
 */
export function validateIndexEntry(entry: unknown): asserts entry is IndexEntry {
  requireEntry(entry, 'the index entry');
}

/**
 * Nothing, if `index` has a schema and every entry its fields (seed `Index.Validate`): what a server asks before it
 * publishes. A client skips entries of types that it does not know instead of refusing the document. Any schema will
 * do; no skills at all are fine; entries with one url are not looked for.
 *
 * Errors: `INDEX_MISSING_SCHEMA`, `INVALID_INDEX` (no object, or `skills` is no list), those of
 * {@link validateIndexEntry}, each naming the entry as `skills[i]`.
 *
 * @example
 * validateIndex(JSON.parse(text))
 */
export function validateIndex(index: unknown): asserts index is Index {
  if (!isRecord(index)) throw new SkillError('INVALID_INDEX', 'the index is no JSON object');
  const schema = own(index, '$schema');
  if (typeof schema !== 'string' || schema === '') {
    throw new SkillError(
      'INDEX_MISSING_SCHEMA',
      `the index has no $schema; that of the draft is ${INDEX_SCHEMA_URI}`,
    );
  }
  const skills = own(index, 'skills') ?? [];
  if (!Array.isArray(skills)) throw new SkillError('INVALID_INDEX', 'skills of the index is no list');
  for (const [at, entry] of skills.entries()) requireEntry(entry, `skills[${at}]`);
}

/**
 * The entry whose `url` is exactly `uri`, the first of several (seed `Index.Lookup`). A skill that is served need not
 * be in the index.
 *
 * @example
 * lookup(index, 'skill://pdf/SKILL.md')?.digest
 */
export function lookup(index: Index, uri: string): IndexEntry | undefined {
  return index.skills.find((entry) => entry.url === uri);
}

/**
 * The digests of an entry's supporting files (seed `IndexEntry.FileDigests`), or undefined when it states none, or
 * states them in another shape: then none of them counts.
 *
 * @example
 * fileDigests(entry)?.map(({ path }) => path) // ['references/FORMS.md']
 */
export function fileDigests(entry: Pick<IndexEntry, '_meta'>): readonly FileDigest[] | undefined {
  const { _meta: meta } = entry;
  const pins = isRecord(meta) ? own(meta, META_KEY_FILE_DIGESTS) : undefined;
  if (!Array.isArray(pins)) return undefined;
  const found: FileDigest[] = [];
  for (const pin of pins as readonly unknown[]) {
    if (!isRecord(pin)) return undefined;
    const [path, digest] = [own(pin, 'path') ?? '', own(pin, 'digest')];
    // A pin without a digest would make a check against it succeed.
    if (typeof path !== 'string' || typeof digest !== 'string' || digest === '') return undefined;
    found.push({ path, digest });
  }
  return found;
}

/**
 * The digest of one supporting file by its path below the skill's folder, exactly as the index spells it (seed
 * `IndexEntry.FileDigest`); the first of several counts.
 *
 * @example
 * fileDigest(entry, 'references/FORMS.md') // 'sha256:…'
 */
export function fileDigest(entry: Pick<IndexEntry, '_meta'>, path: string): string | undefined {
  return fileDigests(entry)?.find((pin) => pin.path === path)?.digest;
}

const FIELDS: readonly (readonly [string, SkillErrorCode])[] = [
  ['description', 'INDEX_ENTRY_MISSING_DESCRIPTION'],
  ['url', 'INDEX_ENTRY_MISSING_URL'],
  ['name', 'INDEX_ENTRY_MISSING_NAME'],
  ['digest', 'INDEX_ENTRY_MISSING_DIGEST'],
];

function requireEntry(entry: unknown, where: string): void {
  const fields = isRecord(entry) ? entry : {};
  const type = own(fields, 'type');
  if (!isSkillType(type)) {
    const shown =
      typeof type === 'string' ? quote(type) : type === undefined ? 'missing' : `a ${typeof type}`;
    throw new SkillError('UNKNOWN_SKILL_TYPE', `${where}: type is ${shown}; it is skill-md or archive`);
  }
  for (const [field, code] of FIELDS) {
    const value = own(fields, field);
    if (typeof value !== 'string' || value === '') {
      throw new SkillError(code, `${where}: ${field} is missing; it is text that is not empty`);
    }
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
