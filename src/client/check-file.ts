/**
 * Bytes against the entry, for every dialect.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { type Frontmatter, type JsonObject, parseFrontmatter } from '../format/index.ts';
import { verifyBytes, verifyDigest, verifyFrontmatter } from '../integrity/index.ts';
import { quote } from '../uri/quote.ts';
import type { ClientResource, FoundSkill } from './skill.ts';

/** A `SKILL.md` as it was parsed from the bytes that were checked. */
export interface ReadSkillFile {
  readonly frontmatter: JsonObject;
  readonly body: string;
}

/**
 * What the bytes of a skill's own `SKILL.md` say, undefined for any other file, after size, digest and frontmatter were
 * compared as far as the entry states them.
 *
 * An entry with the whole frontmatter demands the same in the file, field by field (requirement H32); one of the draft
 * index states `name` and `description`, and these have to be the same. Other dialects describe a skill in words of
 * their own, and what the file says is given as it is; a file without a frontmatter then has none.
 *
 * Errors: `SIZE_MISMATCH`, `DIGEST_MISMATCH`, `FRONTMATTER_MISMATCH`.
 *
 * @example
 * checkFile(skill, resource, bytes, true)?.body
 */
export function checkFile(
  skill: FoundSkill,
  { uri, digest, size }: ClientResource,
  bytes: Uint8Array,
  isManifest: boolean,
): ReadSkillFile | undefined {
  if (digest !== undefined && size !== undefined) verifyBytes({ uri, digest, size }, bytes);
  else if (digest !== undefined && !verifyDigest(bytes, digest, uri)) throw noDigest(uri);
  else if (size !== undefined && size !== bytes.byteLength) throw wrongSize(uri, size, bytes.byteLength);
  if (!isManifest) return undefined;
  const { entry, wholeFrontmatter } = skill;
  if (wholeFrontmatter) verifyFrontmatter({ ...entry, resources: 'dynamic' }, bytes);
  let parsed: Frontmatter;
  try {
    parsed = parseFrontmatter(bytes);
  } catch (cause) {
    if (!isSkillError(cause)) throw cause;
    if (skill.dialect === 'draft-index') throw differs(entry.uri, [], cause);
    return undefined;
  }
  if (!wholeFrontmatter && skill.dialect === 'draft-index')
    requireStated(entry.uri, entry.frontmatter, parsed);
  return { frontmatter: parsed.frontmatter, body: parsed.body };
}

function requireStated(uri: string, stated: JsonObject, parsed: Frontmatter): void {
  const fields = (['description', 'name'] as const).filter(
    (field) =>
      Object.hasOwn(stated, field) &&
      stated[field] !== parsed[field] &&
      stated[field] !== parsed.frontmatter[field],
  );
  if (fields.length > 0) throw differs(uri, fields);
}

function differs(uri: string, fields: readonly string[], cause?: SkillError): SkillError {
  const why =
    cause === undefined
      ? `differs from its entry in ${fields.map(quote).join(', ')}`
      : `cannot be compared: ${cause.message}`;
  return new SkillError('FRONTMATTER_MISMATCH', `${quote(uri)} ${why}; the skill must not be loaded`, {
    details: { uri, fields },
    cause,
  });
}

function wrongSize(uri: string, expected: number, actual: number): SkillError {
  return new SkillError(
    'SIZE_MISMATCH',
    `${quote(uri)} has ${actual} bytes, not ${expected}; its content must not be used`,
    {
      details: { uri, expected, actual },
    },
  );
}

function noDigest(uri: string): SkillError {
  return new SkillError('DIGEST_MISMATCH', `the entry of ${quote(uri)} has no digest to compare with`, {
    details: { uri },
  });
}
