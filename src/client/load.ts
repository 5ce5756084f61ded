/**
 * Every skill of a server at once: a failure stays with its skill (seed `LoadIndex`, `LoadAll`).
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { quote } from '../uri/quote.ts';
import { fileDigests, type Index, type IndexEntry } from '../wire/index.ts';
import type { RequestScope } from './dialect.ts';
import { filesOf } from './entry-files.ts';
import type { LoadedSkill } from './load-result.ts';
import type { ReadResult } from './seed-reads.ts';
import type { FoundSkill, Integrity } from './skill.ts';
import type { SkillReads } from './skill-reads.ts';

/**
 * What became of each entry of an index, in code-point order by URL whatever the order of the index. A `SKILL.md` is
 * read and checked by its digest; one without a digest is read unchecked. Archives are left to their own reader.
 *
 * The reason of a signal comes through; any other failure stands at its entry.
 *
 * @example
 * const loaded = await loadEntries(index, (uri, digest) => client.readAndVerify(uri, digest), {})
 */
export async function loadEntries(
  index: Index,
  read: (uri: string, digest: string) => Promise<ReadResult>,
  scope: RequestScope,
): Promise<LoadedSkill[]> {
  const loaded: LoadedSkill[] = [];
  for (const entry of index.skills) {
    const result = await outcome(entry, scope, async () => {
      if (entry.type !== 'skill-md') throw notLoaded(entry);
      return { body: (await read(entry.url, entry.digest ?? '')).bytes };
    });
    loaded.push(entry.type === 'skill-md' ? { ...result, integrity: integrityOf(entry) } : result);
  }
  return sorted(loaded);
}

/**
 * The same of skills of any dialect, by the reads that check them; an entry is made for each from what its server states.
 *
 * @example
 * const loaded = await loadFound(listing.skills, reads, {})
 */
export async function loadFound(
  skills: readonly FoundSkill[],
  reads: SkillReads,
  scope: RequestScope,
): Promise<LoadedSkill[]> {
  const loaded: LoadedSkill[] = [];
  for (const skill of skills) {
    let told = skill;
    const result = await outcome(entryOf(skill), scope, async () => {
      told = await reads.told(skill, scope);
      return { body: (await reads.read(told, undefined, scope)).bytes };
    });
    loaded.push({ ...result, entry: entryOf(told), integrity: told.integrity });
  }
  return sorted(loaded);
}

/** As the listing of an index has it. */
function integrityOf(entry: IndexEntry): Integrity {
  if (entry.digest === undefined || entry.digest === '') return 'none';
  return fileDigests(entry) === undefined ? 'partial' : 'complete';
}

async function outcome(
  entry: IndexEntry,
  { signal }: RequestScope,
  read: () => Promise<{ readonly body: Uint8Array }>,
): Promise<LoadedSkill> {
  try {
    return { entry, ...(await read()) };
  } catch (error) {
    if (signal?.aborted === true || !isSkillError(error)) throw error;
    return { entry, error };
  }
}

/** A skill as an entry of an index, with the digest of its `SKILL.md` where one is known. */
function entryOf(skill: FoundSkill): IndexEntry {
  const { uri, frontmatter } = skill.entry;
  const { files, manifest } = filesOf(skill);
  const digest = files?.get(manifest)?.digest;
  const { name, description } = frontmatter;
  return {
    type: 'skill-md',
    ...(typeof name === 'string' ? { name } : {}),
    description: typeof description === 'string' ? description : '',
    url: uri,
    ...(digest === undefined ? {} : { digest }),
  };
}

function notLoaded(entry: IndexEntry): SkillError {
  if (entry.type === 'archive') {
    return new SkillError(
      'ARCHIVE_NOT_LOADED',
      `${quote(entry.url)} is an archive; take the skill from listSkills and read it`,
      { details: { uri: entry.url } },
    );
  }
  return new SkillError(
    'UNKNOWN_SKILL_TYPE',
    `${quote(entry.url)} has the type ${quote(entry.type)}, which is not loaded`,
    {
      details: { uri: entry.url },
    },
  );
}

function sorted(loaded: LoadedSkill[]): LoadedSkill[] {
  return loaded.sort((a, b) => compareCodePoints(a.entry.url, b.entry.url));
}
