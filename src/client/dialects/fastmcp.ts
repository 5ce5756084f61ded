/**
 * The `fastmcp` dialect: a `SKILL.md` and a `_manifest` beside it among the resources of a server.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { isSkillError, SkillError } from '../../errors.ts';
import { digestOf, textOf } from '../../integrity/index.ts';
import { canonicalUri } from '../../uri/canonical.ts';
import { quote } from '../../uri/quote.ts';
import { FILE_LIST_NAME, parseSkillManifest, type SkillFileList } from '../../wire/index.ts';
import { requireSameUri } from '../answer-uri.ts';
import { bytesOf } from '../contents.ts';
import type { DialectListing, DialectReader, RawContents, RequestScope } from '../dialect.ts';
import { freezeSkill } from '../entry-files.ts';
import { resourcesBelow } from '../listed-files.ts';
import type { ReaderContext } from '../reader-context.ts';
import { type ListedSkill, listingOf, type ResourceListing, tryCanonical } from '../resource-listing.ts';
import type { ClientResource, FoundSkill } from '../skill.ts';
import { bareSkill, nameIn, namesIn, statedIn } from './plain.ts';

/** Reads a server of the form that FastMCP has. */
export class FastmcpReader implements DialectReader {
  readonly dialect = 'fastmcp';
  readonly #context: ReaderContext;
  readonly #listing: ResourceListing;

  constructor(context: ReaderContext, listing: ResourceListing) {
    this.#context = context;
    this.#listing = listing;
  }

  /** Whether a `_manifest` is listed beside a `SKILL.md`. */
  async detect(scope: RequestScope): Promise<boolean> {
    return (await this.#listing.peek(scope)).skills.some(({ hasFileList }) => hasFileList);
  }

  /**
   * Every listed `SKILL.md`. With a file list beside it, digests are known before anything is read; without one, nothing of
   * it can be checked. One without a list below one with a list is a file of that skill: nobody says that it is more.
   */
  async list(scope: RequestScope): Promise<DialectListing> {
    return listingOf(await this.#listing.take(scope), foundIn);
  }

  /**
   * The skill with the files of its `_manifest`, listed or not. The list itself is nothing that could be checked: a server
   * that lies in it lies in the digests as well.
   *
   * It is asked for in the spelling that the server lists, as FastMCP does not decode the names of skills. Names beyond
   * ASCII it lists encoded all the same and knows unencoded alone, so these are asked for in that spelling as well.
   *
   * Errors: `NOT_MANIFEST_URI` and those of `canonicalUri`; `RESOURCE_NOT_FOUND`, `URI_MISMATCH`,
   * `INVALID_MANIFEST` for a list that is none, is that of another skill, or names files that no skill may have; those of
   * the connection.
   */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    nameIn(uri);
    const listed = this.#listing.last?.byUri.get(canonicalUri(uri));
    if (listed !== undefined && !listed.hasFileList && !listed.insideListed) {
      return freezeSkill(bareSkill(listed, 'fastmcp'));
    }
    const asked = listed?.uri ?? (uri.endsWith('/SKILL.md') ? uri : canonicalUri(uri));
    const { manifest, list } = await this.#found(asked, scope);
    requireSkill(list, manifest);
    const files = list.files.map(({ path, size, hash }) => ({ path, size, digest: hash }));
    const resources = resourcesBelow(manifest, files, 'INVALID_MANIFEST');
    const { description } = listed ?? {};
    return freezeSkill({
      ...withList(manifest, description),
      entry: {
        uri: manifest,
        frontmatter: statedIn({ uri: manifest, description }),
        resources: asListed(resources, listed),
      },
    });
  }

  read(_skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents> {
    return this.#context.connection.read(uri, this.#context.maxResourceBytes, scope);
  }

  /** FastMCP sends text with other line ends than it counted and hashed, and its own list in place of a file of that name. */
  explain({ uri, digest, size }: ClientResource, { bytes }: RawContents): string | undefined {
    if (uri.endsWith(`/${FILE_LIST_NAME}`)) {
      return 'the server has its own list of files at this address, which hides the file; rename the file';
    }
    if (!isUtf8(bytes) || bytes.includes(CR) || !bytes.includes(LF)) return undefined;
    const text = textOf(bytes);
    const missing = (size ?? bytes.length) - bytes.length;
    const isSame = ['\r\n', '\r'].some((end) => digestOf(Buffer.from(text.replaceAll('\n', end))) === digest);
    if (!isSame && (missing <= 0 || missing > text.split('\n').length - 1)) return undefined;
    return `${isSame ? 'the server changed' : 'it seems that the server changed'} the line ends of this file to LF after it was hashed, as FastMCP does; store the file with LF`;
  }

  async #found(
    manifest: string,
    scope: RequestScope,
  ): Promise<{ readonly manifest: string; readonly list: SkillFileList }> {
    try {
      return { manifest, list: await this.#fileList(manifest, scope) };
    } catch (error) {
      const unencoded = unencodedFolder(manifest);
      if (unencoded === undefined || !isSkillError(error, 'RESOURCE_NOT_FOUND')) throw error;
      return { manifest: unencoded, list: await this.#fileList(unencoded, scope) };
    }
  }

  async #fileList(manifest: string, scope: RequestScope): Promise<SkillFileList> {
    const uri = manifest.slice(0, manifest.lastIndexOf('/') + 1) + FILE_LIST_NAME;
    const { connection, maxResourceBytes } = this.#context;
    const contents = await connection.readContents(uri, maxResourceBytes, scope, true);
    requireSameUri(uri, contents.uri);
    const bytes = bytesOf(contents);
    if (!isUtf8(bytes)) throw refused(manifest, 'it is not valid UTF-8');
    try {
      return parseSkillManifest(textOf(bytes));
    } catch (error) {
      if (!isSkillError(error)) throw error;
      throw new SkillError(error.code, `${quote(uri)}: ${error.message}`, {
        details: { uri: manifest },
        cause: error,
      });
    }
  }
}

const LF = 0x0a;
const CR = 0x0d;

function foundIn(skill: ListedSkill): FoundSkill | undefined {
  if (skill.hasFileList) return withList(skill.uri, skill.description);
  return skill.insideListed ? undefined : bareSkill(skill, 'fastmcp');
}

function withList(uri: string, description: string | undefined): FoundSkill {
  return {
    entry: { uri, frontmatter: statedIn({ uri, description }), resources: 'on-request' },
    dialect: 'fastmcp',
    integrity: 'complete',
    wholeFrontmatter: false,
  };
}

/** The same URI with letters beyond ASCII as they are; undefined where it has none. */
function unencodedFolder(manifest: string): string | undefined {
  const text = decodeURI(manifest);
  return text !== manifest && /[^\u0000-\u007f]/.test(text) && tryCanonical(text) === tryCanonical(manifest)
    ? text
    : undefined;
}

/** FastMCP names the first segment, other servers the last or the whole path, decoded or as it stands in the URI. */
function requireSkill({ skill }: SkillFileList, manifest: string): void {
  const path = namesIn(manifest).slice(0, -1);
  const written = manifest.slice('skill://'.length, manifest.lastIndexOf('/'));
  const names = [path.at(-1), path.join('/'), written, written.slice(written.lastIndexOf('/') + 1)];
  if (!names.includes(skill)) throw refused(manifest, `it is that of the skill ${quote(skill)}`);
}

/** The files in the spelling under which the server lists them, where it does. */
function asListed(
  resources: readonly ClientResource[],
  listed: ListedSkill | undefined,
): readonly ClientResource[] {
  const spellings = new Map<string, string>();
  for (const uri of listed?.files ?? []) {
    const canonical = tryCanonical(uri);
    if (canonical !== undefined && canonical !== uri) spellings.set(canonical, uri);
  }
  if (spellings.size === 0) return resources;
  return resources.map((file) => ({ ...file, uri: spellings.get(canonicalUri(file.uri)) ?? file.uri }));
}

function refused(manifest: string, why: string): SkillError {
  return new SkillError('INVALID_MANIFEST', `the file list of ${quote(manifest)} is refused: ${why}`, {
    details: { uri: manifest },
  });
}
