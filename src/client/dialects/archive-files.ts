/**
 * Skills that come as an archive: checked, unpacked in memory, and from then on served from there alone.
 *
 * @module
 */
import {
  type ArchiveCaps,
  type ArchiveFormat,
  detectArchiveFormat,
  stripWrapper,
  type UnpackedEntry,
  unpackArchive,
} from '../../archive/index.ts';
import { isSkillError, SkillError } from '../../errors.ts';
import { digestOf, isLosslessText, verifyDigest, verifyFrontmatter } from '../../integrity/index.ts';
import { LIMITS } from '../../limits.ts';
import { mimeTypeFor } from '../../mime.ts';
import { printableUrl } from '../../net/index.ts';
import { startPace } from '../../pace.ts';
import { canonicalUri } from '../../uri/canonical.ts';
import { compareCodePoints } from '../../uri/code-point-order.ts';
import { MANIFEST_FILENAME } from '../../uri/parse.ts';
import { quote } from '../../uri/quote.ts';
import type { RawContents, RequestScope } from '../dialect.ts';
import { freezeSkill } from '../entry-files.ts';
import { resourcesBelow } from '../listed-files.ts';
import { SharedRuns } from '../shared-runs.ts';
import type { ClientResource, FoundSkill } from '../skill.ts';

/** Brings the bytes of an archive, within the caps of the client and not checked. */
export type FetchArchive = (scope: RequestScope) => Promise<RawContents>;

/** Options of {@link ArchiveFiles}. */
export interface ArchiveFilesOptions {
  /** The caps of unpacking. @default those of `openReader` */
  readonly caps?: ArchiveCaps;
  /**
   * Bytes of unpacked files that are kept. The archive used last is kept whatever its size: else each of its files would
   * cost a download. @default LIMITS.unpackedCacheBytes (64 MiB)
   */
  readonly maxCacheBytes?: number;
}

interface UnpackedFile {
  readonly bytes: Buffer;
  readonly digest: string;
}

interface Unpacked {
  readonly files: ReadonlyMap<string, UnpackedFile>;
  readonly bytes: number;
}

/** What an entry costs beside its bytes: name, digest, places in maps. */
const BYTES_PER_FILE = 300;
const ANY = { anyScheme: true } as const;

/** The archives of one server. */
export class ArchiveFiles {
  readonly #caps: ArchiveCaps;
  readonly #maxBytes: number;
  readonly #runs: SharedRuns<Unpacked> = new SharedRuns();
  /** By digest, else by URI; the longest unused first. */
  readonly #held: Map<string, Unpacked> = new Map();
  #heldBytes = 0;
  /** One after the other is as fast, since it is work for the processor, and holds one archive more in memory and not many. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ArchiveFilesOptions = {}) {
    this.#caps = options.caps ?? {};
    this.#maxBytes = options.maxCacheBytes ?? LIMITS.unpackedCacheBytes;
  }

  /**
   * The skill with every file of its archive, in code-point order by URI, with digests and sizes taken from the content.
   *
   * The archive's own digest is compared before anything is unpacked, and once more past a response cache; then every
   * entry is judged by the rules of the archive room, and a frontmatter that the entry states whole must be that of the
   * `SKILL.md` inside (requirements H32, H33).
   *
   * Errors: `DIGEST_MISMATCH`, `ARCHIVE_MISSING_SKILL_MD` (also behind a wrapping folder), `FRONTMATTER_MISMATCH`, those
   * of `unpackArchive`, those of `fetch`; `USAGE` for a skill without an archive.
   */
  async get(skill: FoundSkill, fetch: FetchArchive, scope: RequestScope): Promise<FoundSkill> {
    const { files } = await this.#open(skill, fetch, scope);
    const { entry } = skill;
    const manifest = files.get(MANIFEST_FILENAME);
    if (skill.wholeFrontmatter && manifest !== undefined) {
      verifyFrontmatter({ ...entry, resources: 'dynamic' }, manifest.bytes);
    }
    return freezeSkill({ ...skill, entry: { ...entry, resources: resourcesOf(entry.uri, files) } });
  }

  /**
   * The bytes of one file, by its URI in any spelling, from memory or, when the archive had to go, from a new download
   * with the same checks.
   *
   * Errors: `RESOURCE_NOT_FOUND` for a file that the archive does not hold, else those of {@link ArchiveFiles.get} but the
   * comparison of the frontmatter, which is due when `SKILL.md` is used.
   */
  async read(skill: FoundSkill, uri: string, fetch: FetchArchive, scope: RequestScope): Promise<RawContents> {
    const path = pathBelow(skill.entry.uri, uri);
    const wasHeld = this.#held.has(keyOf(skill));
    const { files } = await this.#open(skill, fetch, scope);
    const file = path === undefined ? undefined : files.get(path);
    if (path === undefined || file === undefined) {
      throw new SkillError(
        'RESOURCE_NOT_FOUND',
        `the archive of ${quote(skill.entry.uri)} holds no file ${quote(uri)}`,
        { details: { uri } },
      );
    }
    // What a digest names cannot change, so asking again is of use only without one.
    const cached = wasHeld && skill.archive?.digest === undefined;
    const mimeType = mimeTypeFor(path, isLosslessText(file.bytes));
    // A copy: what the caller does to its bytes must not reach the next one.
    return { uri, bytes: Buffer.from(file.bytes), mimeType, cached };
  }

  async #open(skill: FoundSkill, fetch: FetchArchive, scope: RequestScope): Promise<Unpacked> {
    const key = keyOf(skill);
    const pinned = skill.archive?.digest !== undefined;
    const again = scope.fresh === true && !pinned;
    const held = again ? undefined : this.#take(key);
    if (held !== undefined) return held;
    return this.#runs.run(
      again ? `fresh ${key}` : key,
      async (signal) => {
        const unpacked = await this.#unpack(skill, fetch, { ...scope, signal });
        this.#keep(key, unpacked);
        return unpacked;
      },
      scope.signal,
    );
  }

  async #unpack(skill: FoundSkill, fetch: FetchArchive, scope: RequestScope): Promise<Unpacked> {
    const bytes = await checkedBytes(skill, fetch, scope);
    const turn = this.#turn.then(() => {
      scope.signal?.throwIfAborted();
      return unpack(bytes, skill, this.#caps);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  #take(key: string): Unpacked | undefined {
    const found = this.#held.get(key);
    if (found === undefined) return undefined;
    this.#held.delete(key);
    this.#held.set(key, found);
    return found;
  }

  #keep(key: string, unpacked: Unpacked): void {
    this.#heldBytes += unpacked.bytes - (this.#held.get(key)?.bytes ?? 0);
    this.#held.delete(key);
    this.#held.set(key, unpacked);
    for (const [oldest, held] of this.#held) {
      if (this.#heldBytes <= this.#maxBytes || oldest === key) break;
      this.#held.delete(oldest);
      this.#heldBytes -= held.bytes;
    }
  }
}

async function unpack(bytes: Uint8Array, skill: FoundSkill, caps: ArchiveCaps): Promise<Unpacked> {
  const entries = await unpackArchive(bytes, { ...caps, format: formatOf(skill, bytes) });
  requireManifest(entries, placeOf(skill));
  const files = new Map<string, UnpackedFile>();
  const pace = startPace();
  let size = 0;
  for (const entry of entries) {
    files.set(entry.path, { bytes: entry.bytes, digest: digestOf(entry.bytes) });
    size += entry.bytes.length + BYTES_PER_FILE;
    if (pace.due()) await pace.rest();
  }
  return { files, bytes: size };
}

function keyOf(skill: FoundSkill): string {
  const { archive } = skill;
  if (archive === undefined) {
    throw new SkillError('USAGE', `${quote(skill.entry.uri)} does not come as an archive`, {
      details: { uri: skill.entry.uri },
    });
  }
  return archive.digest ?? archive.uri;
}

/** Where the archive is, as a message may show it: the query of a URL can hold a signature. */
function placeOf({ archive }: FoundSkill): string {
  const { uri = '' } = archive ?? {};
  return /^https?:/i.test(uri) ? printableUrl(uri) : uri;
}

async function checkedBytes(
  skill: FoundSkill,
  fetch: FetchArchive,
  scope: RequestScope,
): Promise<Uint8Array> {
  const { digest } = skill.archive ?? {};
  const first = await fetch(scope);
  if (digest === undefined) return first.bytes;
  try {
    verifyDigest(first.bytes, digest, placeOf(skill));
    return first.bytes;
  } catch (error) {
    if (!first.cached || !isSkillError(error, 'DIGEST_MISMATCH')) throw error;
  }
  const second = await fetch({ ...scope, fresh: true });
  verifyDigest(second.bytes, digest, placeOf(skill));
  return second.bytes;
}

/** What the bytes are counts most: servers and URLs call archives by all sorts of names. */
function formatOf(skill: FoundSkill, bytes: Uint8Array): ArchiveFormat {
  const place = placeOf(skill);
  const { uri = '', format } = skill.archive ?? {};
  const found =
    detectArchiveFormat('', bytes) ?? format ?? detectArchiveFormat(uri.replace(/[?#].*$/s, ''), bytes);
  if (found === 'tar.gz' || found === 'zip') return found;
  throw new SkillError(
    'ARCHIVE_UNKNOWN_FORMAT',
    found === undefined
      ? `${quote(place)} is no tar.gz or zip, by its bytes or its name`
      : `${quote(place)} is a ${found}; skills travel as tar.gz or zip`,
    { details: { uri: place } },
  );
}

function requireManifest(entries: readonly UnpackedEntry[], where: string): void {
  if (entries.some(({ path }) => path === MANIFEST_FILENAME)) return;
  const { wrapper, entries: inside } = stripWrapper(entries);
  const wrapped = wrapper !== undefined && inside.some(({ path }) => path === MANIFEST_FILENAME);
  const hint = wrapped
    ? `it stands in the folder ${quote(wrapper)}; pack what is in that folder and not the folder`
    : 'pack the content of the folder that has it';
  throw new SkillError(
    'ARCHIVE_MISSING_SKILL_MD',
    `the archive ${quote(where)} has no SKILL.md at its root; ${hint}`,
    { details: { uri: where, ...(wrapped ? { wrapper } : {}) } },
  );
}

function resourcesOf(manifest: string, files: ReadonlyMap<string, UnpackedFile>): readonly ClientResource[] {
  const listed = [...files].map(([path, { bytes, digest }]) => ({ path, digest, size: bytes.length }));
  const resources = resourcesBelow(manifest, listed, 'ARCHIVE_UNSAFE_NAME');
  return [...resources].sort((a, b) => compareCodePoints(a.uri, b.uri));
}

/** The path of a file below the folder of `manifest`; undefined for one outside of it. */
function pathBelow(manifest: string, uri: string): string | undefined {
  const root = canonicalUri(manifest, ANY);
  const folder = root.slice(0, root.lastIndexOf('/') + 1);
  const file = canonicalUri(uri, ANY);
  if (!file.startsWith(folder) || file.endsWith('/')) return undefined;
  return file.slice(folder.length).split('/').map(decodeURIComponent).join('/');
}
