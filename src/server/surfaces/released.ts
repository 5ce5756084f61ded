/**
 * The released surface: `skills/list` and `skills/get`.
 *
 * @module
 */
import { entryOf } from '../../catalog/index.ts';
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import type { GetSkillParams, GetSkillResult, ListSkillsParams, ListSkillsResult } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { measuredBytes } from '../json-size.ts';
import { cacheHints, listingPage, refuseLarge } from './listing.ts';
import { findSkill } from './lookup.ts';

const listings = new WeakMap<Snapshot, readonly Skill[]>();
const sizes = new WeakMap<Skill, number>();

/**
 * The skills whose entries `skills/list` pages over, in code-point order by URI. The entries themselves are made for a page:
 * all of them would take as much memory as the catalog.
 *
 * @example
 * listedSkills(catalog.snapshot).length
 */
export function listedSkills(snapshot: Snapshot): readonly Skill[] {
  let listed = listings.get(snapshot);
  if (listed === undefined) {
    listed = snapshot.skills.filter((skill) => skill.listed && !skill.hidden);
    listings.set(snapshot, listed);
  }
  return listed;
}

/**
 * The bytes of the entry of a skill as JSON, worked out once and without the entry: a listing is measured as a whole before
 * any of it goes out.
 *
 * @example
 * entryBytes(skill) // 812
 */
export function entryBytes(skill: Skill): number {
  const known = sizes.get(skill);
  if (known !== undefined) return known;
  const size = measured(skill);
  sizes.set(skill, size);
  return size;
}

const AROUND = '{"uri":"","frontmatter":,"resources":}'.length;
const AROUND_FILE = '{"uri":"","digest":"","size":},'.length;
/** `sha256:` and 64 digits. */
const DIGEST_BYTES = 71;

/** URIs are canonical, so that each character is a byte and none is escaped. */
function measured(skill: Skill): number {
  const size = AROUND + skill.uri.length + measuredBytes(skill.frontmatter);
  let files = 0;
  for (const file of skill.files) {
    if (skill.dynamic || file.digest === undefined) return size + '"dynamic"'.length;
    files += AROUND_FILE + file.uri.length + DIGEST_BYTES + `${file.size}`.length;
  }
  if (skill.dynamic) return size + '"dynamic"'.length;
  return size + '[]'.length + Math.max(0, files - 1);
}

/**
 * One page of the listed skills (requirements S38–S42). An entry is never split, and one that no response could carry
 * is left out, so that it does not silence the others.
 *
 * Errors: `INVALID_CURSOR`.
 *
 * @example
 * listSkills(catalog.snapshot, {}, context).skills[0]?.uri
 */
export function listSkills(
  snapshot: Snapshot,
  params: ListSkillsParams,
  context: SurfaceContext,
): ListSkillsResult {
  const skills = listedSkills(snapshot);
  const { items, nextCursor } = listingPage('skills', skills, params.cursor, context, entryBytes);
  return {
    skills: items.map(entryOf),
    ...(nextCursor !== undefined && { nextCursor }),
    ...cacheHints(context),
  };
}

/**
 * The entry of one skill, listed or not (requirements S43–S47).
 *
 * Errors, all `-32602` but the last: `RESOURCE_NOT_FOUND`, `URI_TOO_LONG`, those of `parseSkillUri`,
 * `RESPONSE_TOO_LARGE`.
 *
 * @example
 * getSkill(catalog.snapshot, { uri: 'skill://pdf/SKILL.md' }, context).skill.frontmatter
 */
export function getSkill(
  snapshot: Snapshot,
  params: GetSkillParams,
  context: SurfaceContext,
): GetSkillResult {
  const skill = findSkill(snapshot, params.uri);
  refuseLarge(skill.uri, entryBytes(skill), context);
  return { skill: entryOf(skill), ...cacheHints(context) };
}
