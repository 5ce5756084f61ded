/**
 * What differs between two sets of skills.
 *
 * @module
 */
import type { JsonObject, JsonValue } from '../format/json.ts';
import { sameJson } from '../format/same-json.ts';

/** A file as it is compared. */
export interface ComparedFile {
  readonly digest: string;
  readonly size?: number;
}

/** A skill as it is compared. */
export interface ComparedSkill {
  readonly uri: string;
  readonly name: string;
  readonly frontmatter: JsonObject;
  /** By path below the skill; `dynamic` where nothing stays the same. */
  readonly files: ReadonlyMap<string, ComparedFile> | 'dynamic';
}

/** A field of the frontmatter; `undefined` where it is not there. */
export interface FieldChange {
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

/** A file that differs. */
export interface FileChange {
  readonly path: string;
  readonly before?: ComparedFile;
  readonly after?: ComparedFile;
}

/** A file with another name and the same bytes. */
export interface FileRename {
  readonly from: string;
  readonly to: string;
  readonly digest: string;
}

/** What differs between two states of a skill. */
export interface SkillChange {
  readonly frontmatter: readonly FieldChange[];
  readonly added: readonly FileChange[];
  readonly removed: readonly FileChange[];
  readonly changed: readonly FileChange[];
  readonly renamed: readonly FileRename[];
  /** A URI that worked works no more: a file went, or has another name. */
  readonly breaking: boolean;
}

/** A skill that was taken for another by what it holds. */
export interface SkillRename {
  readonly from: ComparedSkill;
  readonly to: ComparedSkill;
  /** What told: every file, the files but `SKILL.md`, or the description. */
  readonly by: 'files' | 'supporting-files' | 'description';
  readonly change: SkillChange;
}

/** All that differs. */
export interface SkillDiff {
  readonly added: readonly ComparedSkill[];
  readonly removed: readonly ComparedSkill[];
  readonly renamed: readonly SkillRename[];
  readonly changed: readonly { readonly skill: ComparedSkill; readonly change: SkillChange }[];
  readonly unchanged: number;
}

/** Gives the whole frontmatter of a skill, where its entry may state a part only. */
export type WholeFrontmatter = (skill: ComparedSkill, side: 'before' | 'after') => Promise<JsonObject>;

const MANIFEST = 'SKILL.md';

/**
 * Resolves to what differs. Skills are the same by their URI; one that is gone and one that is new are taken for a renamed one
 * when they hold the same files, the same files but `SKILL.md`, or have the same description. What has another URI is
 * breaking: links and configurations that name the old one lead nowhere.
 *
 * @example
 * const { renamed } = await diffSkills(before, after, async (skill) => skill.frontmatter)
 */
export async function diffSkills(
  before: readonly ComparedSkill[],
  after: readonly ComparedSkill[],
  whole: WholeFrontmatter,
): Promise<SkillDiff> {
  const old = new Map(before.map((skill) => [skill.uri, skill]));
  const fresh = new Map(after.map((skill) => [skill.uri, skill]));
  const changed: { skill: ComparedSkill; change: SkillChange }[] = [];
  let unchanged = 0;
  for (const [uri, skill] of fresh) {
    const was = old.get(uri);
    if (was === undefined) continue;
    const change = await changeOf(was, skill, whole);
    if (isEmpty(change)) unchanged += 1;
    else changed.push({ skill, change });
  }
  const gone = [...old.values()].filter(({ uri }) => !fresh.has(uri));
  const came = [...fresh.values()].filter(({ uri }) => !old.has(uri));
  const renamed: SkillRename[] = [];
  for (const { by, keyOf } of LIKENESSES) {
    for (const { from, to } of pairs(gone, came, keyOf)) {
      gone.splice(gone.indexOf(from), 1);
      came.splice(came.indexOf(to), 1);
      renamed.push({ from, to, by, change: await changeOf(from, to, whole) });
    }
  }
  return { added: came, removed: gone, renamed, changed, unchanged };
}

/** Whether anything differs. */
export function hasDifferences({ added, removed, renamed, changed }: SkillDiff): boolean {
  return added.length + removed.length + renamed.length + changed.length > 0;
}

const LIKENESSES: readonly {
  readonly by: SkillRename['by'];
  readonly keyOf: (skill: ComparedSkill) => string | undefined;
}[] = [
  { by: 'files', keyOf: ({ files }) => filesKey(files, () => true) },
  { by: 'supporting-files', keyOf: ({ files }) => filesKey(files, (path) => path !== MANIFEST) },
  {
    by: 'description',
    keyOf: ({ frontmatter: { description } }) =>
      typeof description === 'string' && description.trim() !== '' ? description : undefined,
  },
];

function filesKey(files: ComparedSkill['files'], isMeant: (path: string) => boolean): string | undefined {
  if (files === 'dynamic') return undefined;
  const lines = [...files].flatMap(([path, { digest }]) => (isMeant(path) ? [`${path}\n${digest}`] : []));
  return lines.length === 0 ? undefined : lines.sort().join('\n');
}

/** Pairs of which neither could be another's: two alike on one side are nobody's for sure. */
function pairs(
  gone: readonly ComparedSkill[],
  came: readonly ComparedSkill[],
  keyOf: (skill: ComparedSkill) => string | undefined,
): { readonly from: ComparedSkill; readonly to: ComparedSkill }[] {
  const from = uniqueBy(gone, keyOf);
  const to = uniqueBy(came, keyOf);
  return [...from].flatMap(([key, skill]) => {
    const other = to.get(key);
    return other === undefined ? [] : [{ from: skill, to: other }];
  });
}

function uniqueBy(
  skills: readonly ComparedSkill[],
  keyOf: (skill: ComparedSkill) => string | undefined,
): Map<string, ComparedSkill> {
  const unique = new Map<string, ComparedSkill>();
  const twice = new Set<string>();
  for (const skill of skills) {
    const key = keyOf(skill);
    if (key === undefined) continue;
    if (unique.has(key)) twice.add(key);
    unique.set(key, skill);
  }
  for (const key of twice) unique.delete(key);
  return unique;
}

async function changeOf(
  was: ComparedSkill,
  is: ComparedSkill,
  whole: WholeFrontmatter,
): Promise<SkillChange> {
  const frontmatter = sameManifest(was, is)
    ? []
    : fieldChanges(await whole(was, 'before'), await whole(is, 'after'));
  const files = fileChanges(was.files, is.files);
  return { frontmatter, ...files, breaking: files.removed.length + files.renamed.length > 0 };
}

/** The same bytes have the same frontmatter, whatever part of it an entry states. */
function sameManifest({ files: a }: ComparedSkill, { files: b }: ComparedSkill): boolean {
  if (a === 'dynamic' || b === 'dynamic') return false;
  const digest = a.get(MANIFEST)?.digest;
  return digest !== undefined && digest === b.get(MANIFEST)?.digest;
}

function fieldChanges(was: JsonObject, is: JsonObject): FieldChange[] {
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort();
  return fields.flatMap((field) => {
    const before = Object.hasOwn(was, field) ? was[field] : undefined;
    const after = Object.hasOwn(is, field) ? is[field] : undefined;
    const same = before !== undefined && after !== undefined && sameJson(before, after);
    return same ? [] : [{ field, before, after }];
  });
}

function fileChanges(
  was: ComparedSkill['files'],
  is: ComparedSkill['files'],
): Pick<SkillChange, 'added' | 'removed' | 'changed' | 'renamed'> {
  if (was === 'dynamic' || is === 'dynamic') return { added: [], removed: [], changed: [], renamed: [] };
  const changed: FileChange[] = [];
  for (const [path, before] of was) {
    const after = is.get(path);
    if (after !== undefined && after.digest !== before.digest) changed.push({ path, before, after });
  }
  const removed = [...was].flatMap(([path, before]) => (is.has(path) ? [] : [{ path, before }]));
  const added = [...is].flatMap(([path, after]) => (was.has(path) ? [] : [{ path, after }]));
  const renamed: FileRename[] = [];
  for (const { path: from, before } of [...removed]) {
    const same = added.findIndex(({ after }) => after.digest === before.digest);
    const to = added[same];
    if (to === undefined) continue;
    renamed.push({ from, to: to.path, digest: before.digest });
    added.splice(same, 1);
    removed.splice(
      removed.findIndex(({ path }) => path === from),
      1,
    );
  }
  return { added, removed, changed, renamed };
}

function isEmpty({ frontmatter, added, removed, changed, renamed }: SkillChange): boolean {
  return frontmatter.length + added.length + removed.length + changed.length + renamed.length === 0;
}
