/**
 * The `draft-index` surface: the index of seed 000, made from a snapshot.
 *
 * @module
 */
import type { Skill, SkillFile, Snapshot } from '../../catalog/snapshot.ts';
import { compareCodePoints } from '../../uri/code-point-order.ts';
import {
  type FileDigest,
  type Index,
  type IndexEntry,
  META_KEY_FILE_DIGESTS,
  META_KEY_REVISION,
  META_KEY_VERSION,
  newIndex,
} from '../../wire/index.ts';

/** Whether the index states a digest for each supporting file, or for `SKILL.md` alone. */
export type SupportingDigests = 'per-file' | 'off';

/** An archive with one skill, as the index states it. */
export interface SkillArchive {
  readonly uri: string;
  readonly digest: string;
}

/** What an index says beside the snapshot. */
export interface DraftIndexOptions {
  /** The provider's version when the index was made. */
  readonly version: number;
  /** @default 'per-file' */
  readonly supportingDigests?: SupportingDigests;
  /**
   * Archive mode: the archive of a skill, `'files'` for one that has none and is indexed by its `SKILL.md`, or undefined
   * for one that cannot be had at all.
   * @default file mode
   */
  readonly archiveOf?: (skill: Skill) => SkillArchive | 'files' | undefined;
}

/**
 * The index of a snapshot as seed 000 has it: every served skill, unlisted ones too, hidden ones not, in code-point
 * order by url, under the version and the revision of the catalog. A skill whose `SKILL.md` is made anew for each
 * reader has no digest to state, and stands in no index.
 *
 * @example
 * draftIndex(catalog.snapshot, { version: provider.version }).skills[0]?.digest
 */
export function draftIndex(snapshot: Snapshot, options: DraftIndexOptions): Index {
  const { supportingDigests = 'per-file', archiveOf, version } = options;
  const entries: IndexEntry[] = [];
  for (const skill of snapshot.skills) {
    if (skill.hidden) continue;
    const archive = archiveOf === undefined ? 'files' : archiveOf(skill);
    if (archive === undefined) continue;
    const entry = archive === 'files' ? fileEntry(skill, supportingDigests) : archiveEntry(skill, archive);
    if (entry !== undefined) entries.push(entry);
  }
  // Snapshots are in this order by the URIs of SKILL.md, which are the urls unless there are archives.
  if (archiveOf !== undefined) entries.sort((a, b) => (a.url < b.url ? -1 : 1));
  return {
    ...newIndex(entries),
    _meta: { [META_KEY_VERSION]: version, [META_KEY_REVISION]: snapshot.revision },
  };
}

/**
 * An index as the text that goes out: compact JSON, fields in the order of the draft. Entries are written once for as
 * long as their skill does not change.
 *
 * @example
 * draftIndexText(draftIndex(catalog.snapshot, { version: 0 }))
 */
export function draftIndexText(index: Index): string {
  const { skills, ...head } = index;
  const { $schema, _meta } = head;
  const meta = _meta === undefined ? '' : `,"_meta":${JSON.stringify(_meta)}`;
  return `{"$schema":${JSON.stringify($schema)},"skills":[${skills.map(textOf).join(',')}]${meta}}`;
}

/** What stands around the texts of an entry and of a pin, quoted once more as the text of a response. */
const ENTRY_BYTES =
  '{\\"type\\":\\"skill-md\\",\\"name\\":\\"\\",\\"description\\":\\"\\",\\"url\\":\\"\\",\\"digest\\":\\"\\"},'
    .length + 71;
const PIN_BYTES = '{\\"path\\":\\"\\",\\"digest\\":\\"\\"},'.length + 71;

/**
 * The bytes that the index of a snapshot takes in a response at least: what is escaped in it, or not ASCII, takes more.
 * Nothing is built for it, so that a start with many skills does not wait.
 *
 * @example
 * indexBytesAtLeast(catalog.snapshot, 'per-file') > LIMITS.responseBytesStdio
 */
export function indexBytesAtLeast(snapshot: Snapshot, supportingDigests: SupportingDigests): number {
  let bytes = 0;
  for (const { hidden, name, description, uri, files } of snapshot.skills) {
    if (hidden) continue;
    bytes += ENTRY_BYTES + name.length + description.length + uri.length;
    if (supportingDigests === 'off') continue;
    for (const { path, digest, uri: at } of files) {
      if (digest !== undefined && at !== uri) bytes += PIN_BYTES + path.length;
    }
  }
  return bytes;
}

/**
 * The entries of the skills of a snapshot without digests, each by its `SKILL.md`: seed 000's `Provider.Catalog`.
 *
 * @example
 * catalogEntries(catalog.snapshot).map((entry) => entry.url)
 */
export function catalogEntries(snapshot: Snapshot): readonly IndexEntry[] {
  return snapshot.skills
    .filter((skill) => !skill.hidden)
    .map(({ name, description, uri }) => ({ type: 'skill-md', name, description, url: uri }));
}

const texts = new WeakMap<IndexEntry, string>();

function textOf(entry: IndexEntry): string {
  let text = texts.get(entry);
  if (text === undefined) {
    text = JSON.stringify(entry);
    texts.set(entry, text);
  }
  return text;
}

const known: Readonly<Record<SupportingDigests, WeakMap<Skill, IndexEntry>>> = {
  'per-file': new WeakMap(),
  off: new WeakMap(),
};

function fileEntry(skill: Skill, mode: SupportingDigests): IndexEntry | undefined {
  const before = known[mode].get(skill);
  if (before !== undefined) return before;
  const digest = skill.files.find((file) => file.uri === skill.uri)?.digest;
  if (digest === undefined) return undefined;
  const pins = mode === 'off' ? undefined : pinsOf(skill);
  const entry: IndexEntry = {
    type: 'skill-md',
    name: skill.name,
    description: skill.description,
    url: skill.uri,
    digest,
    ...(pins !== undefined && { _meta: { [META_KEY_FILE_DIGESTS]: pins } }),
  };
  known[mode].set(skill, entry);
  return entry;
}

/** An empty list says that there is nothing but `SKILL.md`; undefined: there is more, and none of it has a digest. */
function pinsOf(skill: Skill): readonly FileDigest[] | undefined {
  const pins = skill.files
    .filter((file): file is SkillFile & { readonly digest: string } => {
      return file.digest !== undefined && file.uri !== skill.uri;
    })
    .map(({ path, digest }) => ({ path, digest }))
    .sort((a, b) => compareCodePoints(a.path, b.path));
  return pins.length === 0 && skill.files.length > 1 ? undefined : pins;
}

function archiveEntry(skill: Skill, { uri, digest }: SkillArchive): IndexEntry {
  return { type: 'archive', name: skill.name, description: skill.description, url: uri, digest };
}
