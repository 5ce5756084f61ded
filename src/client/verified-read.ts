/**
 * The one way by which a file of a skill is read and handed out: listed, of the right size and digest, and for `SKILL.md`
 * with the frontmatter of the entry (requirements H26, H27, H30–H33).
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import type { JsonObject } from '../format/json.ts';
import { isLosslessText, textOf } from '../integrity/index.ts';
import { quote } from '../uri/quote.ts';
import { requireSameUri } from './answer-uri.ts';
import { checkFile, type ReadSkillFile } from './check-file.ts';
import type { ContentCache } from './content-cache.ts';
import type { DialectReader, RawContents, RequestScope } from './dialect.ts';
import type { DynamicGuard } from './dynamic.ts';
import { type EntryFiles, filesOf } from './entry-files.ts';
import { lineEndHint } from './line-ends.ts';
import { resolveRef } from './resolve-ref.ts';
import type { ClientDialect, ClientResource, FoundSkill, Integrity } from './skill.ts';

/** A file of a skill, after its checks. */
export interface VerifiedFile {
  /** In the entry's spelling. */
  readonly uri: string;
  /** The bytes that were checked, the caller's own. */
  readonly bytes: Uint8Array;
  /** The same as text, where they are valid UTF-8. */
  readonly text?: string;
  readonly mimeType?: string;
  /** Whether the bytes have the digest of the entry. It says that they are consistent with it and not that they are safe. */
  readonly verified: boolean;
  /** That of the skill. */
  readonly integrity: Integrity;
  readonly dialect: ClientDialect;
  /** Of the skill's own `SKILL.md` alone: that of a nested one read as a file means nothing here (requirement H5). */
  readonly frontmatter?: JsonObject;
  /** What follows the frontmatter, of the skill's own `SKILL.md`. */
  readonly body?: string;
}

/** What a verified read stands on. */
export interface VerifiedReadContext {
  readonly reader: DialectReader;
  readonly cache: ContentCache;
  readonly dynamic: DynamicGuard;
  /** Bytes of one resource. */
  readonly maxResourceBytes: number;
}

/** Failures that a stale copy in between can explain. */
export const STALE: ReadonlySet<string> = new Set([
  'SIZE_MISMATCH',
  'DIGEST_MISMATCH',
  'FRONTMATTER_MISMATCH',
  'URI_MISMATCH',
]);

/**
 * One file of a skill whose entry tells its files. `ref` is relative to the skill's folder or absolute,
 * by default its `SKILL.md`.
 *
 * What the entry does not list, or states to be too large, is refused before any request. Then the answer's URI, the
 * size, the digest over the raw bytes and, for `SKILL.md`, the frontmatter are compared. A failed check of a copy that
 * came from a response cache is tried once more past it.
 *
 * Errors: `UNLISTED_FILE`, `SUPPORTING_FILE_UNPINNED`, `DYNAMIC_REFUSED`, `RESOURCE_TOO_LARGE`, `URI_MISMATCH`,
 * `SIZE_MISMATCH`, `DIGEST_MISMATCH`, `FRONTMATTER_MISMATCH`; those of `resolveRef`, `filesOf` and the connection.
 *
 * @example
 * const { text } = await readVerified(context, skill, 'references/FORMS.md', {})
 */
export async function readVerified(
  context: VerifiedReadContext,
  skill: FoundSkill,
  ref: string | undefined,
  scope: RequestScope,
): Promise<VerifiedFile> {
  const files = filesOf(skill);
  const uri = ref === undefined ? files.manifest : resolveRef(files, ref);
  const isManifest = uri === files.manifest;
  const resource = resourceOf(context, skill, files, uri);
  const { digest } = resource;
  const held = digest === undefined ? undefined : context.cache.get(uri, digest);
  if (held !== undefined) return handOut(skill, resource, held, isManifest);

  const first = await context.reader.read(skill, resource.uri, scope);
  let file: VerifiedFile;
  let raw = first;
  try {
    file = judge(context.reader, skill, resource, first, isManifest);
  } catch (error) {
    if (!first.cached || !isSkillError(error) || !STALE.has(error.code)) throw error;
    raw = await context.reader.read(skill, resource.uri, { ...scope, fresh: true });
    file = judge(context.reader, skill, resource, raw, isManifest);
  }
  if (skill.entry.resources === 'dynamic') context.dynamic.took(files.manifest, uri, raw.bytes.byteLength);
  if (digest !== undefined) context.cache.keep(uri, digest, raw);
  return file;
}

function resourceOf(
  { dynamic, maxResourceBytes }: VerifiedReadContext,
  skill: FoundSkill,
  { files, manifest }: EntryFiles,
  uri: string,
): ClientResource {
  const { resources } = skill.entry;
  if (files === undefined) {
    if (resources === 'dynamic' && dynamic.allowance(manifest, uri) > 0) return { uri };
    throw new SkillError(
      resources === 'dynamic' ? 'RESOURCE_TOO_LARGE' : 'UNLISTED_FILE',
      resources === 'dynamic'
        ? `${quote(skill.entry.uri)} has given all the bytes that it may; raise dynamic.maxBytes`
        : `the entry of ${quote(skill.entry.uri)} does not tell its files; get the skill first`,
      { details: { uri, skill: skill.entry.uri } },
    );
  }
  const resource = files.get(uri);
  if (resource === undefined) {
    const partial = skill.integrity === 'partial' || skill.integrity === 'none';
    throw new SkillError(
      partial ? 'SUPPORTING_FILE_UNPINNED' : 'UNLISTED_FILE',
      partial
        ? `the entry of ${quote(skill.entry.uri)} states no digest for ${quote(uri)}; readSkillFile reads it unchecked`
        : `the entry of ${quote(skill.entry.uri)} does not list ${quote(uri)}; it must not be used with this skill`,
      { details: { uri, skill: skill.entry.uri } },
    );
  }
  if (resource.size !== undefined && resource.size > maxResourceBytes) {
    throw new SkillError(
      'RESOURCE_TOO_LARGE',
      `${quote(uri)} has ${resource.size} bytes, more than the limit of ${maxResourceBytes}; raise maxResourceBytes if you trust the server`,
      { details: { uri, limit: maxResourceBytes, actual: resource.size } },
    );
  }
  return resource;
}

function judge(
  reader: DialectReader,
  skill: FoundSkill,
  resource: ClientResource,
  raw: RawContents,
  isManifest: boolean,
): VerifiedFile {
  requireSameUri(resource.uri, raw.uri);
  try {
    return handOut(skill, resource, raw, isManifest);
  } catch (error) {
    if (!isSkillError(error) || !DIFFERENT.has(error.code)) throw error;
    const hint = reader.explain?.(resource, raw) ?? lineEndHint(raw.bytes, resource.digest);
    if (hint === undefined) throw error;
    const { code, message, details } = error;
    throw new SkillError(code, `${message}; ${hint}`, { details: { ...details, hint }, cause: error });
  }
}

/** Failures that the bytes themselves may explain. */
const DIFFERENT: ReadonlySet<string> = new Set(['SIZE_MISMATCH', 'DIGEST_MISMATCH']);

function handOut(
  skill: FoundSkill,
  resource: ClientResource,
  { bytes, mimeType }: Pick<RawContents, 'bytes' | 'mimeType'>,
  isManifest: boolean,
): VerifiedFile {
  const read: ReadSkillFile | undefined = checkFile(skill, resource, bytes, isManifest);
  return {
    uri: resource.uri,
    bytes,
    ...(isLosslessText(bytes) ? { text: textOf(bytes) } : {}),
    ...(mimeType === undefined ? {} : { mimeType }),
    verified: resource.digest !== undefined,
    integrity: skill.integrity,
    dialect: skill.dialect,
    ...(read === undefined ? {} : read),
  };
}
