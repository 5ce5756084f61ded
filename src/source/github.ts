/**
 * A source over a repository on GitHub.
 *
 * @module
 */
import type { ArchiveEntry, ArchiveReader } from '../archive/index.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { silentLogger } from '../logger.ts';
import type { NetRequest } from '../net/index.ts';
import { quote } from '../uri/quote.ts';
import { type ArchiveSource, createArchiveSource } from './archive.ts';
import { type ArchiveLayout, below, topOf } from './archive-layout.ts';
import { type GitHubPlace, gitHubText, requirePlace } from './github-text.ts';
import { type FetchArchiveOptions, type FetchedArchive, openFetched, type Reading } from './http.ts';
import { named } from './open-archive.ts';

/** Options of {@link fetchGitHubArchive}. */
export interface GitHubArchiveOptions
  extends GitHubPlace,
    Omit<FetchArchiveOptions, 'format' | 'stripWrapper' | 'links'> {
  /** For private repositories, and to be asked more often. It goes to the host of `baseUrl` and no other. @default none */
  readonly token?: string;
  /** Where the repository is: a GitHub Enterprise Server has its own. @default 'https://github.com' */
  readonly baseUrl?: string;
}

/** A source over a repository. */
export interface GitHubArchive extends FetchedArchive {
  /** The commit in force; undefined when the archive does not say. */
  readonly commit?: string | undefined;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const DEFAULT_REF = 'HEAD';

/**
 * Resolves to a source over a repository at a branch, tag or commit, or over one folder of it (seed 000's
 * `FetchGitHubArchive`). `close()` it.
 *
 * One archive is fetched, as `fetchArchive` does; the folder that GitHub puts around a repository is taken off. A repository
 * or folder with a `SKILL.md` of its own is one skill and stands below its name. A link refuses the skill it stands in, and
 * no other. A `ref` that is a commit has to be the commit that the archive is of, and is never asked for again; a branch or
 * tag is, by `revalidate()`.
 *
 * Errors: `USAGE` for parts that GitHub cannot have; `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER` for a folder that is not in the
 * repository; those of `fetchArchive`.
 *
 * @example
 * const source = await fetchGitHubArchive({ owner: 'acme', repo: 'skills', ref: 'v2', subdir: 'packs' });
 * console.log(source.commit);
 */
export async function fetchGitHubArchive(options: GitHubArchiveOptions): Promise<GitHubArchive> {
  const { baseUrl = 'https://github.com', request, logger = silentLogger, ...rest } = options;
  // An environment variable that is set to nothing is no token.
  const token = options.token === '' ? undefined : options.token;
  const place = requirePlace(options);
  const label = options.label ?? gitHubText(place);
  const url = archiveUrl(baseUrl, place, token);
  const { subdir, ref } = place;
  const read = (): Reading => {
    const tops = new Set<string>();
    return {
      include: (path) => {
        tops.add(topOf(path));
        if (subdir === undefined) return true;
        const inner = path.slice(topOf(path).length + 1);
        return inner === subdir || inner.startsWith(`${subdir}/`);
      },
      arrange: async (reader, held) => {
        requireCommit(ref, reader.comment, label);
        const layout = await layoutOf(reader, tops, subdir, label);
        const source = createArchiveSource(reader, layout, { ...rest, label, ...held });
        const commit = commitOf(source);
        logger.info(`fetched ${label}`, commit === undefined ? {} : { commit });
        return source;
      },
    };
  };
  const source = await openFetched(
    url,
    label,
    {
      ...rest,
      ...{ label, logger, links: 'skill', request: withToken(token, request) },
      fixed: rest.digest !== undefined || (ref !== undefined && COMMIT.test(ref)),
      explain: (error) => explained(error, place, token !== undefined),
    },
    read,
  );
  // Another commit may come when it is revalidated.
  return Object.defineProperty(source, 'commit', { get: () => commitOf(source), enumerable: true });
}

function commitOf({ comment }: ArchiveSource): string | undefined {
  return comment !== undefined && COMMIT.test(comment) ? comment : undefined;
}

function archiveUrl(baseUrl: string, { owner, repo, ref }: GitHubPlace, token: string | undefined): URL {
  let base: URL;
  try {
    base = new URL(baseUrl);
  } catch {
    throw new SkillError('USAGE', `${quote(baseUrl)} is no URL of a GitHub; write it as https://host`);
  }
  const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(base.hostname);
  if (token !== undefined && base.protocol === 'http:' && !loopback) {
    throw new SkillError('USAGE', `a token is not sent to ${base.host} over http; use https`);
  }
  const path = `${owner}/${repo}/archive/${encodeURIComponent(ref ?? DEFAULT_REF)}.tar.gz`;
  return new URL(`${base.pathname.replace(/\/+$/, '')}/${path}`, base);
}

function withToken(
  token: string | undefined,
  request: FetchArchiveOptions['request'],
): (request: NetRequest) => Promise<void> {
  return async (sent) => {
    if (token !== undefined) {
      // A header that cannot be sent would be quoted in the error of the platform.
      if (!/^[\x21-\x7e]+$/.test(token)) {
        throw new SkillError('USAGE', 'the token for GitHub has characters that no header carries');
      }
      sent.headers.set('authorization', `Bearer ${token}`);
    }
    await request?.(sent);
  };
}

function requireCommit(ref: string | undefined, comment: string | undefined, label: string): void {
  if (ref === undefined || comment === undefined || !COMMIT.test(ref) || ref === comment) return;
  throw new SkillError(
    'DIGEST_MISMATCH',
    `the archive for ${quote(label)} is of the commit ${quote(comment)}; it must not be used`,
    { details: { source: label, expected: ref, actual: comment } },
  );
}

async function layoutOf(
  reader: ArchiveReader,
  tops: ReadonlySet<string>,
  subdir: string | undefined,
  label: string,
): Promise<ArchiveLayout> {
  const entries = reader.entries();
  const [top] = tops;
  const loose = entries.some(({ path, kind }) => kind !== 'directory' && !path.includes('/'));
  if (top === undefined || tops.size > 1 || loose) {
    throw new SkillError(
      'ARCHIVE_CORRUPT',
      `the archive for ${quote(label)} does not have the one folder that GitHub puts around a repository`,
      { details: { source: label, folders: tops.size } },
    );
  }
  const base = subdir === undefined ? top : `${top}/${subdir}`;
  if (subdir !== undefined) requireFolder(entries, base, subdir, label);
  return named(reader, below(entries, base), label);
}

function requireFolder(entries: readonly ArchiveEntry[], base: string, subdir: string, label: string): void {
  const details = { source: label, path: subdir };
  const itself = entries.find(({ path }) => path === base);
  if (itself !== undefined && itself.kind !== 'directory') {
    const what = itself.kind === 'link' ? 'a link, which is not followed' : 'a file';
    throw new SkillError(
      'SOURCE_NOT_A_FOLDER',
      `${quote(subdir)} in ${quote(label)} is ${what}; name a folder of the repository`,
      { details },
    );
  }
  if (itself !== undefined || entries.some(({ path }) => path.startsWith(`${base}/`))) return;
  throw new SkillError(
    'SOURCE_NOT_FOUND',
    `the repository of ${quote(label)} has no folder ${quote(subdir)}; its path begins at the root of the repository`,
    { details },
  );
}

/** Says in the words of repositories what the server answered in those of HTTP. */
function explained(error: unknown, place: GitHubPlace, hasToken: boolean): unknown {
  if (!isSkillError(error, 'ARCHIVE_DOWNLOAD_FAILED')) return error;
  const { ref, owner, repo } = place;
  const { status } = error.details;
  const why =
    status === 404
      ? `there is no repository ${owner}/${repo}, or ${ref === undefined ? 'nothing in it' : `no ${quote(ref)} in it`}${hasToken ? ', or the token may not see it' : '; for a private one set GITHUB_TOKEN'}`
      : status === 401
        ? 'the server refuses the token in GITHUB_TOKEN; make a new one'
        : status === 403 || status === 429
          ? `the server lets nobody ask at the moment${hasToken ? '' : '; with GITHUB_TOKEN it answers more often'}`
          : undefined;
  if (why === undefined) return error;
  return new SkillError('ARCHIVE_DOWNLOAD_FAILED', `cannot fetch ${quote(gitHubText(place))}: ${why}`, {
    details: error.details,
    cause: error.cause,
  });
}
