/**
 * Skills of a target made ready to be compared.
 *
 * @module
 */
import type { FoundSkill, SkillListing } from '../client/skill.ts';
import { isSkillError, type SkillError } from '../errors.ts';
import { parseFrontmatter } from '../format/index.ts';
import type { JsonObject } from '../format/json.ts';
import { digestOf } from '../integrity/index.ts';
import { canonicalUri } from '../uri/index.ts';
import type { ComparedFile, ComparedSkill } from './diff-skills.ts';
import { canonicalOrItself } from './find-found.ts';
import { inParallel } from './in-parallel.ts';
import { refusedEntries } from './report-problems.ts';
import { filesOf, shownName } from './skill-files.ts';
import type { SkillReader } from './skill-reader.ts';
import { turns } from './turns.ts';

/** One side of a comparison. */
export interface ComparedSide {
  readonly listing: SkillListing;
  readonly skills: readonly ComparedSkill[];
  /** Skills that could not be looked at. */
  readonly failed: readonly { readonly uri: string; readonly error: SkillError }[];
  /** Canonical URIs of which it is not known what is there: of those and of entries that were refused. */
  readonly unknown: ReadonlySet<string>;
  /** The whole frontmatter of one of them. */
  frontmatter(skill: ComparedSkill): Promise<JsonObject>;
}

const SKILLS = 8;
const FILES = 8;

/**
 * Resolves to the skills of a target. Files are compared by the digests that the server states; one without is read and
 * hashed.
 *
 * Errors: those of `listSkills`; what goes wrong with one skill is told in `failed`.
 */
export async function comparedSide(
  client: SkillReader,
  onSkill: (done: number, total: number) => void,
): Promise<ComparedSide> {
  const listing = await client.listSkills();
  const failed: { uri: string; error: SkillError }[] = [];
  const found = new Map<string, FoundSkill>();
  const inTurn = turns(FILES);
  let done = 0;
  const skills = await inParallel(listing.skills, SKILLS, async (each) => {
    try {
      const whole = each.entry.resources === 'on-request' ? await client.getSkill(each.entry.uri) : each;
      const skill = await compared(whole, (uri) => inTurn(() => client.read(whole, uri)));
      found.set(skill.uri, whole);
      return [skill];
    } catch (error) {
      if (!isSkillError(error)) throw error;
      failed.push({ uri: each.entry.uri, error });
      return [];
    } finally {
      done += 1;
      onSkill(done, listing.skills.length);
    }
  });
  return {
    listing,
    skills: skills.flat(),
    failed,
    unknown: new Set(
      [...failed, ...refusedEntries(listing)].flatMap(({ uri }) =>
        uri === undefined ? [] : [canonicalOrItself(uri)],
      ),
    ),
    async frontmatter(skill) {
      const whole = found.get(skill.uri);
      if (whole === undefined || whole.wholeFrontmatter) return skill.frontmatter;
      return parseFrontmatter((await client.read(whole)).bytes).frontmatter;
    },
  };
}

async function compared(
  whole: FoundSkill,
  read: (uri: string) => Promise<{ readonly bytes: Uint8Array }>,
): Promise<ComparedSkill> {
  const { uri, frontmatter, resources } = whole.entry;
  const facts = {
    uri: canonicalUri(uri, { anyScheme: true }),
    name: shownName(whole.entry),
    frontmatter,
  };
  if (resources === 'dynamic') return { ...facts, files: 'dynamic' };
  const files = await Promise.all(
    filesOf(whole).map(async ({ path, uri: file, digest, size }): Promise<[string, ComparedFile]> => {
      if (digest !== undefined) return [path, { digest, ...(size === undefined ? {} : { size }) }];
      const { bytes } = await read(file);
      return [path, { digest: digestOf(bytes), size: bytes.byteLength }];
    }),
  );
  return { ...facts, files: new Map(files) };
}
