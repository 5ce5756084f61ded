/**
 * Sources as they are written.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SkillError } from '../errors.ts';
import { printableUrl } from '../net/net-error.ts';
import { quote } from '../uri/quote.ts';
import { type GitHubPlace, gitHubTextOfPage, parseGitHubText } from './github-text.ts';
import { isSafePath } from './safe-path.ts';
import { type Vendor, vendorOf } from './vendors.ts';

/** The text of a source in its parts. */
export interface SourceText {
  /** The folder it is to stand in; the empty string is none. */
  readonly prefix: string;
  readonly location: string;
}

/** What the location of a source is. */
export type SourceLocation =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'url'; readonly url: URL }
  | { readonly kind: 'github'; readonly place: GitHubPlace }
  | { readonly kind: 'vendor'; readonly vendor: Vendor };

/** The kinds of source, for messages. */
export const SOURCE_FORMS =
  'a source is a folder, an archive (.tar.gz, .zip, .tar.bz2), a folder of archives, https://…, github:OWNER/REPO@REF#FOLDER or vendor:NAME, or PREFIX=SOURCE';

/** Two letters at least, so that `C:\skills` is a path. */
const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
const SCP = /^[\w.-]+@([\w.-]+):(.+)$/;
const HOST_AND_ARCHIVE = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?::\d+)?\/\S*\.(?:zip|tgz|tar\.gz|tar\.bz2)(?:\?|$)/i;
const OWNER_AND_REPO = /^[\w-]+\/[\w.-]+(?:@[^#]+)?(?:#.+)?$/;

/**
 * Returns the prefix and the location in the text of a source. A path that exists as it is wins over `PREFIX=`, so a
 * folder with a `=` in its name can be served; and what stands before the first `=` is a prefix only if it can be one.
 *
 * Errors: `USAGE` for an empty prefix or location.
 *
 * @example
 * parseSourceText('team=./skills') // { prefix: 'team', location: './skills' }
 */
export function parseSourceText(text: string, cwd?: string): SourceText {
  if (text === '') throw usage(`the source is empty; ${SOURCE_FORMS}`, text);
  const equals = text.indexOf('=');
  if (equals < 0 || SCHEME.test(text) || exists(text, cwd)) return { prefix: '', location: text };
  const prefix = text.slice(0, equals);
  const location = text.slice(equals + 1);
  if (prefix === '') throw usage(`${JSON.stringify(text)} has nothing before "="; ${SOURCE_FORMS}`, text);
  if (!isSafePath(prefix)) return { prefix: '', location: text };
  if (location === '') throw usage(`${JSON.stringify(text)} has nothing after "="; ${SOURCE_FORMS}`, text);
  return { prefix, location };
}

/**
 * Returns what a location is; a path that exists wins over every other reading.
 *
 * Errors: `USAGE` for a URL that is none or is no archive's, for a repository in another spelling, for a vendor that is not
 * known, and for other schemes.
 */
export function locate(location: string, cwd?: string): SourceLocation {
  if (exists(location, cwd)) return { kind: 'path', path: location };
  if (/^github:/i.test(location)) {
    return { kind: 'github', place: parseGitHubText(`github:${location.slice(7)}`) };
  }
  if (/^vendor:/i.test(location)) return { kind: 'vendor', vendor: vendorOf(location.slice(7)) };
  if (/^https?:/i.test(location)) return { kind: 'url', url: archiveUrl(location) };
  const repository =
    SCP.exec(location) ?? /^(?:git|ssh|git\+\w+):\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(location);
  if (repository !== null) {
    const [, host = '', name = ''] = repository;
    const meant = host === 'github.com' ? `: write github:${name.replace(/\.git$/, '')}` : '';
    throw usage(`${shown(location)} is for git, which is not run here${meant}; ${SOURCE_FORMS}`, location);
  }
  if (SCHEME.test(location)) {
    const hint = /^file:/i.test(location) ? ': write the path without "file://"' : '';
    throw usage(`${shown(location)} is no kind of source${hint}; ${SOURCE_FORMS}`, location);
  }
  return { kind: 'path', path: location };
}

/** A remark about what somebody may have meant by a path that does not exist; undefined when nothing comes to mind. */
export function meantBy(location: string): string | undefined {
  if (/^(?:www\.)?github\.com\//i.test(location)) {
    const url = new URL(`https://${location.replace(/^www\./i, '')}`);
    return `a URL begins with https://; a repository is written ${gitHubTextOfPage(url) ?? 'github:OWNER/REPO'}`;
  }
  if (HOST_AND_ARCHIVE.test(location)) return `a URL is written https://${location}`;
  return OWNER_AND_REPO.test(location) ? `a repository on GitHub is written github:${location}` : undefined;
}

/**
 * The text of a source as it may stand in a message or log: the query of a URL is not shown, since it may hold a secret.
 *
 * @example
 * printableSource('team=https://skills.example/a.zip?sig=1') // 'team=https://skills.example/a.zip?…'
 */
export function printableSource(text: string): string {
  const match = /^((?:[^=]*=)?)(https?:.*)$/is.exec(text);
  return match === null ? text : `${match[1]}${printableUrl(match[2] ?? '')}`;
}

function archiveUrl(location: string): URL {
  let url: URL;
  try {
    url = new URL(location);
  } catch {
    throw usage(`${shown(location)} is no URL; write it as https://host/path`, location);
  }
  const meant = gitHubTextOfPage(url);
  if (meant !== undefined) {
    throw usage(`${shown(location)} is a page about a repository; write ${meant}`, location);
  }
  if (url.hash !== '') {
    throw usage(
      `${shown(location)} has a "#", which says nothing about an archive; leave it out, or serve a folder of a repository as github:OWNER/REPO#FOLDER`,
      location,
    );
  }
  return url;
}

function shown(location: string): string {
  return quote(printableSource(location));
}

function exists(text: string, cwd: string = process.cwd()): boolean {
  return existsSync(path.resolve(cwd, text));
}

function usage(message: string, source: string): SkillError {
  return new SkillError('USAGE', message, { details: { source: printableSource(source) } });
}
