/**
 * Content against its entry: the one code path of server and client (requirements H26, H32, H33).
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { parseFrontmatter } from '../format/frontmatter.ts';
import type { JsonObject, JsonValue } from '../format/json.ts';
import { quote } from '../uri/quote.ts';
import { verifyDigest } from './digest.ts';
import type { EntryResource, SkillEntry } from './entry.ts';

const FIELDS_NAMED = 10;

/**
 * Throws unless the bytes are those of the resource. The size is compared first, so that what is far too long is never
 * hashed; nothing is copied.
 *
 * Errors: `SIZE_MISMATCH`, `DIGEST_MISMATCH`; details `uri`, `expected`, `actual`.
 *
 * @example
 * verifyBytes(resource, bytes)
 */
export function verifyBytes(resource: EntryResource, bytes: Uint8Array): void {
  const { uri, digest, size } = resource;
  if (bytes.byteLength !== size) {
    throw new SkillError(
      'SIZE_MISMATCH',
      `${quote(uri)} has ${bytes.byteLength} bytes, not ${size}; its content must not be used`,
      { details: { uri, expected: size, actual: bytes.byteLength } },
    );
  }
  if (!verifyDigest(bytes, digest, uri)) {
    throw new SkillError('DIGEST_MISMATCH', `the entry of ${quote(uri)} has no digest to compare with`, {
      details: { uri, expected: digest },
    });
  }
}

function sameObject(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}

function sameValue(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  return !isList(b) && sameObject(a, b);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * The names of the top-level fields in which the entry and the parsed `SKILL.md` differ, sorted: missing on either
 * side, or unequal as JSON. Empty when they are identical in content (requirement S25).
 *
 * @example
 * compareFrontmatter(entry, parsed.frontmatter) // ['description']
 */
export function compareFrontmatter(entry: Pick<SkillEntry, 'frontmatter'>, parsed: JsonObject): string[] {
  const { frontmatter } = entry;
  const names = new Set([...Object.keys(frontmatter), ...Object.keys(parsed)]);
  return [...names]
    .filter(
      (name) =>
        !Object.hasOwn(frontmatter, name) ||
        !Object.hasOwn(parsed, name) ||
        !sameValue(frontmatter[name], parsed[name]),
    )
    .sort();
}

/**
 * Throws unless the frontmatter in the bytes of a `SKILL.md` is that of the entry, field by field (requirements H32,
 * H33). Due for dynamic skills too.
 *
 * Errors: `FRONTMATTER_MISMATCH`; details `uri` and `fields`. When the bytes have no readable frontmatter, `fields` is
 * empty and the cause is the parser's error.
 *
 * @example
 * verifyFrontmatter(entry, bytes)
 */
export function verifyFrontmatter(entry: SkillEntry, bytes: Uint8Array): void {
  let parsed: JsonObject;
  try {
    parsed = parseFrontmatter(bytes).frontmatter;
  } catch (cause) {
    if (!isSkillError(cause)) throw cause;
    throw new SkillError(
      'FRONTMATTER_MISMATCH',
      `${quote(entry.uri)} cannot be compared with its entry: ${cause.message}`,
      { details: { uri: entry.uri, fields: [] }, cause },
    );
  }
  const fields = compareFrontmatter(entry, parsed);
  if (fields.length === 0) return;
  const named = fields.slice(0, FIELDS_NAMED).map(quote).join(', ');
  const more = fields.length > FIELDS_NAMED ? ` and ${fields.length - FIELDS_NAMED} more` : '';
  throw new SkillError(
    'FRONTMATTER_MISMATCH',
    `${quote(entry.uri)} differs from its entry in ${named}${more}; the skill must not be loaded`,
    { details: { uri: entry.uri, fields } },
  );
}
