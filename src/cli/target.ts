/**
 * Targets as they are written: where skills are read from.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { printableSource } from '../source/index.ts';
import { commandLabel } from './command-label.ts';
import { splitCommand } from './split-command.ts';
import { usageError } from './usage.ts';

/** Where skills are read from. `label` is what messages and records call it: no credential stands in it. */
export type Target =
  | { readonly kind: 'http'; readonly url: URL; readonly label: string }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly label: string;
    }
  | { readonly kind: 'source'; readonly text: string; readonly label: string };

/** How a URL is to be taken: as the endpoint of a server, or as an archive. */
export type TargetForm = 'mcp' | 'source';

/** What a target can be, for messages. */
export const TARGET_FORMS =
  "a target is the URL of an MCP server, a source (a folder, an archive, github:OWNER/REPO), -- COMMAND ARGS…, or 'stdio:COMMAND ARGS…'";

const ARCHIVE_PATH = /\.(?:tar\.gz|tgz|zip|tar\.bz2|tbz2?|skill)$/i;
/** Pages of repositories are no endpoints; opening them as a source says how they are written. */
const REPOSITORY_HOST = /^(?:www\.)?(?:github\.com|codeload\.github\.com)$/i;

/**
 * The target that `text` means. A URL is that of a server, unless its path ends as an archive does (`.tar.gz`, `.tgz`,
 * `.zip`, `.tar.bz2`, `.skill`) or it leads to GitHub; `form` decides otherwise. A path that exists wins over everything.
 *
 * Errors: `USAGE` for an empty text, a URL that is none, or one with a user name.
 *
 * @example
 * parseTarget('https://skills.example/mcp') // { kind: 'http', url, label: 'https://skills.example/mcp' }
 */
export function parseTarget(text: string, form: TargetForm | undefined, cwd: string): Target {
  if (text === '') throw usageError('the target is empty', TARGET_FORMS);
  if (existsSync(resolve(cwd, text))) return sourceTarget(text);
  if (/^stdio:/i.test(text)) return commandTarget(splitCommand(text.slice('stdio:'.length)));
  if (!/^https?:/i.test(text)) return sourceTarget(text);
  const url = parseUrl(text);
  const isArchive =
    form === undefined && (ARCHIVE_PATH.test(url.pathname) || REPOSITORY_HOST.test(url.hostname));
  if (form === 'source' || isArchive) return sourceTarget(text);
  return { kind: 'http', url, label: urlLabel(url) };
}

/** The target of a command, its words taken as they are. Errors: `USAGE` when there are none. */
export function commandTarget(words: readonly string[]): Target {
  const [command, ...args] = words;
  if (command === undefined || command === '') {
    throw usageError('there is no command after --', 'skillwire list -- npx some-server');
  }
  return { kind: 'stdio', command, args, label: commandLabel(words) };
}

function sourceTarget(text: string): Target {
  return { kind: 'source', text, label: printableSource(text) };
}

function parseUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError('what begins as a URL here is no URL', 'write it as https://host/mcp');
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      `a user name or password in a URL is not sent (host ${url.host})`,
      "send it as a header: --header 'Authorization: Basic …'",
    );
  }
  url.hash = '';
  return url;
}

/** Queries may hold tokens. */
function urlLabel(url: URL): string {
  const path = url.pathname === '/' ? '' : url.pathname;
  return `${url.origin}${path}${url.search === '' ? '' : '?…'}`;
}
