/**
 * Directories of a server: what it says is in them, which never adds to an entry (requirements H37–H40).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { quote } from '../uri/quote.ts';
import { readUri } from '../uri/read-uri.ts';
import {
  type DirectoryResource,
  METHOD_RESOURCES_DIRECTORY_READ,
  MIME_TYPE_DIRECTORY,
  type ReadDirectoryResult,
} from '../wire/index.ts';
import type { Connection } from './connection.ts';
import type { RequestScope } from './dialect.ts';
import { filesOf } from './entry-files.ts';
import { isRecord, type JsonRecord } from './json-record.ts';
import type { FoundSkill } from './skill.ts';
import { type WalkLimits, walkPages } from './walk.ts';

/** Options of reading a directory (seed `ReadDirectoryOption`). */
export interface ReadDirectoryOptions {
  /** Where the page before it ended (seed `WithDirectoryCursor`). @default the first page */
  readonly cursor?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The skill that is acted on: what its entry does not list is left out (requirement H38). @default all is given */
  readonly skill?: FoundSkill | undefined;
}

/** Options of walking a directory and all below it. */
export type WalkDirectoryOptions = Omit<ReadDirectoryOptions, 'cursor'>;

const ANY = { anyScheme: true } as const;

/**
 * One page of the direct children of a directory. A child that does not lie directly in it, or has another scheme,
 * refuses the page (threat T5c).
 *
 * Errors: `INVALID_RESULT`, those of `canonicalUri` and of the connection.
 *
 * @example
 * await readDirectoryPage(connection, 'skill://pdf/references', {})
 */
export async function readDirectoryPage(
  connection: Connection,
  uri: string,
  options: ReadDirectoryOptions,
): Promise<ReadDirectoryResult> {
  const folder = folderOf(uri);
  const asked = withoutSlash(uri);
  const { cursor, signal } = options;
  const result = await connection.request(
    METHOD_RESOURCES_DIRECTORY_READ,
    cursor === undefined ? { uri: asked } : { uri: asked, cursor },
    scopeOf(signal),
  );
  const { resources, nextCursor, ttlMs } = result;
  if (!Array.isArray(resources)) throw invalid(uri, 'resources is no list');
  if (nextCursor !== undefined && nextCursor !== null && typeof nextCursor !== 'string') {
    throw invalid(uri, 'nextCursor is no string');
  }
  return {
    resources: (resources as readonly unknown[])
      .map((child) => childOf(folder, uri, child))
      .filter(listedIn(options.skill)),
    ...(typeof nextCursor === 'string' ? { nextCursor } : {}),
    ...(typeof ttlMs === 'number' ? { ttlMs } : {}),
  };
}

/**
 * Everything below a directory, folders before what is in them, each place once. Ends with an error when a cap or a
 * cursor that leads nowhere kept it from being whole; what came before stands.
 *
 * Errors: `LISTING_INCOMPLETE` and those of {@link readDirectoryPage}.
 *
 * @example
 * for await (const { uri } of walkDirectories(connection, limits, 'skill://pdf', {})) console.log(uri)
 */
export async function* walkDirectories(
  connection: Connection,
  limits: WalkLimits,
  uri: string,
  { signal, skill }: WalkDirectoryOptions,
): AsyncGenerator<DirectoryResource, void, void> {
  const isListed = listedIn(skill);
  const seen = new Set([folderOf(uri)]);
  const open: { readonly uri: string; readonly depth: number }[] = [{ uri: withoutSlash(uri), depth: 0 }];
  let pages = 0;
  let entries = 0;
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const at = next;
    const folder = folderOf(at.uri);
    const walked = await walkPages(
      (cursor) => {
        pages += 1;
        const params = cursor === undefined ? { uri: at.uri } : { uri: at.uri, cursor };
        return connection.request(METHOD_RESOURCES_DIRECTORY_READ, params, scopeOf(signal));
      },
      'resources',
      { ...limits, maxPages: Math.max(1, limits.maxPages - pages), maxEntries: limits.maxEntries - entries },
    );
    for (const item of walked.items) {
      const child = childOf(folder, at.uri, item);
      entries += 1;
      if (!isListed(child)) continue;
      yield child;
      if (child.mimeType !== MIME_TYPE_DIRECTORY) continue;
      const inside = folderOf(child.uri);
      if (seen.has(inside)) continue;
      seen.add(inside);
      if (at.depth >= LIMITS.scanDepth)
        throw notWhole(child.uri, `it is deeper than ${LIMITS.scanDepth} levels`);
      open.push({ uri: withoutSlash(child.uri), depth: at.depth + 1 });
    }
    const [problem] = walked.problems;
    if (problem !== undefined) throw notWhole(at.uri, problem.message);
    if (open.length > 0 && pages >= limits.maxPages) {
      throw notWhole(uri, `it takes more than ${limits.maxPages} pages; raise maxPages`);
    }
  }
}

/** The canonical URI of a directory with a slash at its end; one that the caller wrote does not count. */
function folderOf(uri: string): string {
  return `${withoutSlash(canonicalUri(uri, ANY))}/`;
}

/** A directory resource has none (requirement S49). */
function withoutSlash(uri: string): string {
  return uri.endsWith('/') ? uri.slice(0, -1) : uri;
}

function childOf(folder: string, directory: string, child: unknown): DirectoryResource {
  if (!isRecord(child) || typeof child.uri !== 'string') throw invalid(directory, 'a child has no uri');
  const inside = folderOf(child.uri);
  if (!inside.startsWith(folder) || inside.slice(folder.length, -1).includes('/') || inside === folder) {
    throw invalid(directory, `${quote(child.uri)} does not lie directly in it`);
  }
  const { name } = child;
  const own = readUri(child.uri, true).segments.at(-1) ?? '';
  return { ...(child as JsonRecord & { readonly uri: string }), name: typeof name === 'string' ? name : own };
}

/** Whether a child is a file of the entry, or a folder with one in it. */
function listedIn(skill: FoundSkill | undefined): (child: DirectoryResource) => boolean {
  if (skill === undefined) return () => true;
  const { files, folder } = filesOf(skill);
  if (files === undefined) return () => skill.entry.resources === 'dynamic';
  const folders = new Set<string>();
  for (const uri of files.keys()) {
    for (let slash = uri.lastIndexOf('/'); slash > folder.length; slash = uri.lastIndexOf('/', slash - 1)) {
      folders.add(uri.slice(0, slash + 1));
    }
  }
  return ({ uri, mimeType }) =>
    mimeType === MIME_TYPE_DIRECTORY ? folders.has(folderOf(uri)) : files.has(canonicalUri(uri, ANY));
}

function scopeOf(signal: AbortSignal | undefined): RequestScope {
  return signal === undefined ? {} : { signal };
}

function invalid(uri: string, why: string): SkillError {
  return new SkillError('INVALID_RESULT', `the directory ${quote(uri)} is refused: ${why}`, {
    details: { uri },
  });
}

function notWhole(uri: string, why: string): SkillError {
  return new SkillError('LISTING_INCOMPLETE', `the walk below ${quote(uri)} is not whole: ${why}`, {
    details: { uri },
  });
}
