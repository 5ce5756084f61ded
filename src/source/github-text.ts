/**
 * Repositories as they are written: `github:owner/repo@ref#folder`.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { isSafePath } from './safe-path.ts';

/** A place in a repository. */
export interface GitHubPlace {
  readonly owner: string;
  readonly repo: string;
  /** Branch, tag or commit. Absent: the default branch. */
  readonly ref?: string;
  /** Folder of the repository. Absent: all of it. */
  readonly subdir?: string;
}

const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;
const REPO = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
/** What git forbids in the name of a ref, and what begins an option. */
const BAD_REF = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/]|[/.]$|\.lock$/;
const FORM = 'write github:OWNER/REPO, with @REF and #FOLDER if need be';

/**
 * Returns the parts of `github:owner/repo@ref#folder`. Everything up to `#` belongs to the ref, slashes too.
 *
 * Errors: `USAGE`.
 *
 * @example
 * parseGitHubText('github:acme/skills@release/2#packs') // { owner: 'acme', repo: 'skills', ref: 'release/2', subdir: 'packs' }
 */
export function parseGitHubText(text: string): GitHubPlace {
  const match = /^github:([^#]*)(?:#(.*))?$/s.exec(text);
  if (match === null) throw wrong(text, 'is no repository');
  const [, place = '', subdir] = match;
  const at = place.indexOf('@');
  const path = at < 0 ? place : place.slice(0, at);
  const ref = at < 0 ? undefined : place.slice(at + 1);
  const [owner = '', repo = '', ...more] = path.replace(/\/$/, '').split('/');
  if (owner === '' || repo === '') throw wrong(text, 'names no repository');
  if (more.length > 0) {
    const meant = `github:${owner}/${repo}${ref === undefined ? '' : `@${ref}`}#${more.join('/')}`;
    throw wrong(text, `has a path after the repository; a folder in it is written ${quote(meant)}`);
  }
  if (ref === '') throw wrong(text, 'has nothing after "@"');
  if (subdir === '') throw wrong(text, 'has nothing after "#"');
  return requirePlace({
    owner,
    repo: repo.replace(/\.git$/, ''),
    ...(ref === undefined ? {} : { ref }),
    ...(subdir === undefined ? {} : { subdir }),
  });
}

/** Returns `place` with its folder bare of slashes at the ends. Errors: `USAGE` for what GitHub cannot have. */
export function requirePlace({ owner, repo, ref, subdir }: GitHubPlace): GitHubPlace {
  const folder = subdir?.replace(/^\/+|\/+$/g, '');
  if (!OWNER.test(owner)) throw wrong(owner, 'is no name of an owner on GitHub');
  if (!REPO.test(repo)) throw wrong(repo, 'is no name of a repository on GitHub');
  if (ref !== undefined && (ref === '' || ref.length > 255 || BAD_REF.test(ref))) {
    throw wrong(ref, 'is no branch, tag or commit');
  }
  if (folder !== undefined && !isSafePath(folder)) throw wrong(folder, 'is no folder of a repository');
  return {
    owner,
    repo,
    ...(ref === undefined ? {} : { ref }),
    ...(folder === undefined || folder === '' ? {} : { subdir: folder }),
  };
}

/** Returns the text of a place, for messages. */
export function gitHubText({ owner, repo, ref, subdir }: GitHubPlace): string {
  const at = ref === undefined ? '' : `@${ref}`;
  return `github:${owner}/${repo}${at}${subdir === undefined ? '' : `#${subdir}`}`;
}

/**
 * Returns the text for a page of GitHub's site that shows a repository or a folder of it; undefined for any other URL.
 *
 * A ref with a slash in it cannot be told from a folder there; the first segment is taken for the ref.
 */
export function gitHubTextOfPage(url: URL): string | undefined {
  if (url.hostname !== 'github.com' && url.hostname !== 'www.github.com') return undefined;
  const [owner, repo, kind, ref, ...path] = url.pathname.split('/').filter((segment) => segment !== '');
  if (owner === undefined || repo === undefined) return undefined;
  const place = `github:${owner}/${repo.replace(/\.git$/, '')}`;
  if (kind === undefined) return place;
  if ((kind !== 'tree' && kind !== 'blob') || ref === undefined) return undefined;
  const folder = kind === 'blob' ? path.slice(0, -1) : path;
  return `${place}@${ref}${folder.length === 0 ? '' : `#${folder.join('/')}`}`;
}

function wrong(text: string, why: string): SkillError {
  return new SkillError('USAGE', `${quote(text)} ${why}; ${FORM}`, { details: { source: text } });
}
