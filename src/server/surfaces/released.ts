/**
 * The released surface: `skills/list` and `skills/get`.
 *
 * @module
 */
import { entryOf } from '../../catalog/index.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { SkillEntry } from '../../integrity/entry.ts';
import type { GetSkillParams, GetSkillResult, ListSkillsParams, ListSkillsResult } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonBytes } from '../json-size.ts';
import { cacheHints, listingPage, refuseLarge } from './listing.ts';
import { findSkill } from './lookup.ts';

const listings = new WeakMap<Snapshot, readonly SkillEntry[]>();

/**
 * The entries that `skills/list` pages over: listed skills, in code-point order by URI.
 *
 * @example
 * listedEntries(catalog.snapshot).length
 */
export function listedEntries(snapshot: Snapshot): readonly SkillEntry[] {
  let listed = listings.get(snapshot);
  if (listed === undefined) {
    listed = snapshot.skills.filter((skill) => skill.listed && !skill.hidden).map(entryOf);
    listings.set(snapshot, listed);
  }
  return listed;
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
  const { items, nextCursor } = listingPage('skills', listedEntries(snapshot), params.cursor, context);
  return { skills: items, ...(nextCursor !== undefined && { nextCursor }), ...cacheHints(context) };
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
  const skill = entryOf(findSkill(snapshot, params.uri));
  refuseLarge(skill.uri, jsonBytes(skill), context);
  return { skill, ...cacheHints(context) };
}
