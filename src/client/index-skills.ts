/**
 * Entries of both shapes of the draft index as skills.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { JsonObject } from '../format/json.ts';
import { isDigest, validateEntry } from '../integrity/index.ts';
import { LIMITS } from '../limits.ts';
import { uriFromSegments } from '../uri/format.ts';
import { MANIFEST_FILENAME, parseSkillUri } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { readUri } from '../uri/read-uri.ts';
import { fileDigests, type IndexEntry, validateIndexEntry } from '../wire/index.ts';
import { isRecord, type JsonRecord } from './json-record.ts';
import { resourcesBelow } from './listed-files.ts';
import type { FoundSkill } from './skill.ts';

type Archive = NonNullable<FoundSkill['archive']>;

const ANY = { anyScheme: true, nested: true } as const;
const SUFFIX = /\.(tar\.gz|zip)$/;
const ARCHIVE_TYPES: Readonly<Record<string, 'tar.gz' | 'zip'>> = {
  'application/gzip': 'tar.gz',
  'application/x-gzip': 'tar.gz',
  'application/tar+gzip': 'tar.gz',
  'application/x-tar+gzip': 'tar.gz',
  'application/zip': 'zip',
};

/**
 * One entry of an index as a skill; undefined for one of the type `mcp-resource-template`, which the draft dropped.
 *
 * An entry with a `type` is of the older shape: `skill-md`, whose supporting files are pinned by its `_meta` or not, or
 * `archive`. One without is of the younger: the whole frontmatter, and a URL, archives or both; an archive is then used,
 * since its digest covers every file.
 *
 * Errors: `INVALID_ENTRY`, `UNKNOWN_SKILL_TYPE`, `INDEX_ENTRY_MISSING_…`, `ARCHIVE_UNKNOWN_FORMAT`, those of URIs.
 *
 * @example
 * judgeEntries(entries, indexSkill)
 */
export function indexSkill(value: unknown): FoundSkill | undefined {
  if (isRecord(value) && value.type === undefined && isRecord(value.frontmatter)) return younger(value);
  if (isRecord(value) && value.type === 'mcp-resource-template') return undefined;
  // A digest may be missing, as in seed 000: the label then says so.
  const entry: unknown = isRecord(value) && !value.digest ? { ...value, digest: 'none' } : value;
  validateIndexEntry(entry);
  const { type, name = '', description, url } = entry;
  const digest = digestOf(entry.digest === 'none' ? undefined : entry.digest, url);
  const frontmatter = { name, description };
  if (type === 'archive') {
    const { manifest, archive } = archiveAt(url, digest);
    requireName(manifest, name);
    return archived(manifest, frontmatter, archive, false);
  }
  requireName(url, name);
  return single(url, frontmatter, digest, entry);
}

function single(
  uri: string,
  frontmatter: JsonObject,
  digest: string | undefined,
  entry: IndexEntry,
): FoundSkill {
  const pins = fileDigests(entry);
  if (pins !== undefined && pins.length > LIMITS.clientEntryFiles) {
    throw new SkillError(
      'INVALID_ENTRY',
      `the entry of ${quote(uri)} has ${pins.length} files, more than the limit of ${LIMITS.clientEntryFiles}`,
      { details: { uri, at: '_meta', limit: LIMITS.clientEntryFiles, actual: pins.length } },
    );
  }
  for (const pin of pins ?? []) digestOf(pin.digest, uri);
  const manifest = { path: MANIFEST_FILENAME, ...(digest === undefined ? {} : { digest }) };
  return {
    entry: { uri, frontmatter, resources: resourcesBelow(uri, [manifest, ...(pins ?? [])], 'INVALID_ENTRY') },
    dialect: 'draft-index',
    integrity: digest === undefined ? 'none' : pins === undefined ? 'partial' : 'complete',
    wholeFrontmatter: false,
  };
}

function younger({ frontmatter, url, digest, archives }: JsonRecord): FoundSkill {
  const { name } = frontmatter as JsonRecord;
  const archive = archiveOf(archives, String(name));
  const uri = typeof url === 'string' && url !== '' ? url : undefined;
  if (uri === undefined && archive === undefined) {
    throw new SkillError(
      'INDEX_ENTRY_MISSING_URL',
      `the index entry of ${quote(String(name))} has no url and no archive that is read`,
    );
  }
  const manifest = uri ?? `skill://${String(name)}/${MANIFEST_FILENAME}`;
  // The rules about URI, name and frontmatter are those of a released entry.
  const entry = validateEntry({ uri: manifest, frontmatter, resources: 'dynamic' });
  if (archive !== undefined) return archived(manifest, entry.frontmatter, archive, true);
  const pin = digestOf(digest || undefined, manifest);
  return {
    entry: {
      uri: manifest,
      frontmatter: entry.frontmatter,
      resources: [{ uri: manifest, ...(pin === undefined ? {} : { digest: pin }) }],
    },
    dialect: 'draft-index',
    integrity: pin === undefined ? 'none' : 'partial',
    wholeFrontmatter: true,
  };
}

function archived(uri: string, frontmatter: JsonObject, archive: Archive, whole: boolean): FoundSkill {
  return {
    entry: { uri, frontmatter, resources: 'on-request' },
    dialect: 'draft-index',
    integrity: archive.digest === undefined ? 'none' : 'complete',
    wholeFrontmatter: whole,
    archive,
  };
}

/** The first of several archives, which all hold the same, that can be read; one with a digest comes first. */
function archiveOf(archives: unknown, name: string): Archive | undefined {
  if (!Array.isArray(archives)) return undefined;
  const found: Archive[] = [];
  for (const each of archives as readonly unknown[]) {
    if (!isRecord(each) || typeof each.url !== 'string' || each.url === '') continue;
    if (each.url.length > LIMITS.uriBytes) continue;
    const type = typeof each.mimeType === 'string' ? each.mimeType.toLowerCase() : '';
    const suffix = SUFFIX.exec(each.url)?.[1] as 'tar.gz' | 'zip' | undefined;
    const format = Object.hasOwn(ARCHIVE_TYPES, type) ? ARCHIVE_TYPES[type] : suffix;
    if (format === undefined) continue;
    const digest = digestOf(each.digest || undefined, each.url || name);
    found.push({ uri: each.url, format, ...(digest === undefined ? {} : { digest }) });
  }
  return found.find(({ digest }) => digest !== undefined) ?? found[0];
}

function archiveAt(
  url: string,
  digest: string | undefined,
): { readonly manifest: string; readonly archive: Archive } {
  const { scheme, segments } = readUri(url, true);
  const last = segments.at(-1) ?? '';
  const format = SUFFIX.exec(last)?.[1] as 'tar.gz' | 'zip' | undefined;
  if (format === undefined) {
    throw new SkillError('ARCHIVE_UNKNOWN_FORMAT', `${quote(url)} does not end in .tar.gz or .zip`, {
      details: { uri: url },
    });
  }
  const folder = [...segments.slice(0, -1), last.slice(0, -format.length - 1)];
  return {
    manifest: uriFromSegments([...folder, MANIFEST_FILENAME], scheme),
    archive: { uri: url, format, ...(digest === undefined ? {} : { digest }) },
  };
}

function requireName(uri: string, name: string): void {
  const { isManifest, skillName } = parseSkillUri(uri, ANY);
  if (isManifest && skillName === name && !uri.endsWith('/')) return;
  throw new SkillError(
    'INVALID_ENTRY',
    isManifest
      ? `the entry of ${quote(uri)} is refused at name: it is ${quote(name)}, but the URI says ${quote(skillName)}`
      : `the entry of ${quote(uri)} is refused at url: it must end with /<skill name>/${MANIFEST_FILENAME}`,
    { details: { uri, at: isManifest ? 'name' : 'url' } },
  );
}

function digestOf(digest: unknown, uri: string): string | undefined {
  if (digest === undefined) return undefined;
  const lower = typeof digest === 'string' ? digest.toLowerCase() : digest;
  if (isDigest(lower)) return lower;
  throw new SkillError(
    'INVALID_ENTRY',
    `the entry of ${quote(uri)} is refused at digest: it must be "sha256:" and 64 hex digits`,
    {
      details: { uri, at: 'digest' },
    },
  );
}
