/**
 * Why a skill is in no listing.
 *
 * @module
 */
import type { Skill } from '../catalog/index.ts';
import type { Diagnostic } from '../format/index.ts';

/** What official clients refuse in an entry (design decision 6). */
const UNLISTING: ReadonlySet<string> = new Set([
  'DESCRIPTION_TOO_LONG',
  'COMPATIBILITY_INVALID',
  'METADATA_NOT_MAPPING',
  'METADATA_VALUE_NOT_STRING',
  'PROTO_KEY',
]);

/** The diagnostic that keeps an unlisted skill out of listings. */
export function reasonUnlisted(skill: Skill, diagnostics: readonly Diagnostic[]): Diagnostic | undefined {
  const path = skill.path === '' ? 'SKILL.md' : `${skill.path}/SKILL.md`;
  return diagnostics.find((each) => each.path === path && UNLISTING.has(each.code));
}
