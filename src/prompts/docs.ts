/**
 * A folder of Markdown, file by file.
 *
 * @module
 */
import { isSkillError, type SkillErrorCode } from '../errors.ts';
import { isLosslessText, textOf } from '../integrity/text.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';
import {
  type DirectoryOptions,
  directorySource,
  type Source,
  type SourceFile,
  type WatchOptions,
} from '../source/index.ts';
import { isAddressableName } from '../uri/index.ts';
import type { DocChanges, DocEntry } from './doc-list.ts';
import { docPath, docPathProblem, docUri } from './doc-path.ts';
import { openLiveDocs } from './live-docs.ts';
import { MARKDOWN_MIME_TYPE, normalScheme, resourceNotFound } from './resources.ts';

/** Options of {@link openDocs}. */
export interface DocsOptions extends DirectoryOptions {
  /** Bytes of one file; 0 is the default, -1 is off. @default 16,777,216 */
  readonly maxFileBytes?: number;
  /** Let `resources/list` show every document. @default false: only the template says that there are some */
  readonly listed?: boolean;
  /** Look again by itself at what changes: one watch a folder, or looks at intervals. @default false */
  readonly watch?: boolean | WatchOptions;
  /** Hears of changes that could not be looked at. @default nobody */
  readonly logger?: Logger;
}

/** The documents below one folder. No text is kept: each read tells what stands there then. */
export interface Docs {
  readonly source: Source;
  /** Identity of the folder that every document really lies in. */
  readonly root: string;
  readonly maxFileBytes: number;
  /** Every document of the last look, in code-point order by URI; undefined unless they are to be listed. */
  readonly listing: readonly DocEntry[] | undefined;
  /**
   * Looks again and resolves to what changed since the last look; nothing where documents are neither listed nor watched,
   * since then nothing is kept. Calls do not overlap.
   * Errors: as {@link openDocs}, and `PROVIDER_CLOSED` after `close()`; the listing stays as it was.
   */
  reload(): Promise<DocChanges>;
  /** Calls `listener` after each look, by hand or by a watch, that found a change; the returned function ends that. */
  onChange(listener: (changes: DocChanges) => void): () => void;
  /** Ends the watch and frees a folder that was given by name. Twice is fine. */
  close(): Promise<void>;
}

/** The contents of a document, as `resources/read` sends them: `blob`, in base64, where the bytes are not UTF-8. */
export type DocContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** What a source has against a path that is no document. */
const ABSENT: ReadonlySet<SkillErrorCode> = new Set<SkillErrorCode>([
  'FILE_NOT_FOUND',
  'LINK_ESCAPES',
  'SECRET_WITHHELD',
  'PATH_TRAVERSAL',
  'EMPTY_PATH_SEGMENT',
  'INVALID_SEGMENT',
]);

/**
 * Resolves to the documents below a folder.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`; `SCAN_TOO_MANY_FOLDERS` and `SCAN_TOO_DEEP` where
 * documents are listed or watched; with `watch` those of `watchSource`.
 *
 * @example
 * const docs = await openDocs('./docs');
 */
export async function openDocs(from: string | Source, options: DocsOptions = {}): Promise<Docs> {
  const { maxFileBytes, listed: _, watch: __, logger: ___, ...directory } = options;
  const source = typeof from === 'string' ? directorySource(from, directory) : from;
  const release = async (): Promise<void> => {
    if (source !== from) await source.close();
  };
  try {
    const { id } = await source.list('');
    const tree = { source, root: id, maxFileBytes: capOf(maxFileBytes, LIMITS.fileBytes) };
    return await openLiveDocs(tree, options, release);
  } catch (error) {
    await release();
    throw error;
  }
}

/**
 * Whether a URI belongs to the documents, whether or not something is there.
 *
 * @example
 * isDocUri('resource://docs/index.md') // true
 */
export function isDocUri(uri: string): boolean {
  return /^resource:\/\/docs(?:[/?#]|$)/i.test(uri);
}

/**
 * The one spelling of the URI of a document, in which changes are told; undefined for what can be none.
 *
 * @example
 * canonicalDocUri('resource://docs/guide%2Finstall.md') // 'resource://docs/guide/install.md'
 */
export function canonicalDocUri(uri: string): string | undefined {
  if (!isDocUri(uri) || Buffer.byteLength(uri) > LIMITS.uriBytes) return undefined;
  const path = docPath(normalScheme(uri));
  if (path === undefined || docPathProblem(path) !== undefined) return undefined;
  return path.split('/').every(isAddressableName) ? docUri(path) : undefined;
}

/**
 * Resolves to whether a document can be read at a URI, as far as that can be told without reading it.
 *
 * @example
 * await hasDoc(docs, 'resource://docs/../index.md') // false
 */
export async function hasDoc(docs: Docs, uri: string): Promise<boolean> {
  if (canonicalDocUri(uri) === undefined) return false;
  const path = docPath(normalScheme(uri));
  try {
    await docs.source.stat(path ?? '', { within: docs.root, maxBytes: docs.maxFileBytes });
    return true;
  } catch (error) {
    if (isSkillError(error)) return false;
    throw error;
  }
}

/**
 * Resolves to the document at a URI `resource://docs/{path*}`, byte for byte.
 *
 * The path is decoded once and must be relative, of named folders, and end in `.md`; the file must really lie below the
 * folder, wherever links lead.
 *
 * Errors: `RESOURCE_NOT_FOUND` with `details.uri`, in the same words for every path that is refused and every file that
 * is not there; `URI_TOO_LONG`; `FILE_TOO_LARGE`, `FILE_UNREADABLE`, `FILE_CHANGED` for a document that cannot be read now.
 *
 * @example
 * await readDoc(docs, 'resource://docs/guide/install.md')
 */
export async function readDoc(docs: Docs, uri: string): Promise<DocContents> {
  const path = docPath(normalScheme(uri));
  if (path === undefined || docPathProblem(path) !== undefined) throw resourceNotFound(uri);
  let file: SourceFile;
  try {
    file = await docs.source.read(path, { within: docs.root, maxBytes: docs.maxFileBytes });
  } catch (error) {
    if (isSkillError(error) && (ABSENT.has(error.code) || (await isWithheld(docs.source, path)))) {
      throw resourceNotFound(uri);
    }
    throw error;
  }
  const { bytes } = file;
  return isLosslessText(bytes)
    ? { uri, mimeType: MARKDOWN_MIME_TYPE, text: textOf(bytes) }
    : { uri, mimeType: MARKDOWN_MIME_TYPE, blob: bytes.toString('base64') };
}

/** A pipe, a device or a link that is not followed: there and no file. Other errors may pass, so they stay what they are. */
async function isWithheld(source: Source, path: string): Promise<boolean> {
  const slash = path.lastIndexOf('/');
  try {
    const folder = await source.list(slash === -1 ? '' : path.slice(0, slash));
    const code = folder.nodes.find(({ name }) => name === path.slice(slash + 1))?.withheld?.code;
    return code !== undefined && code !== 'FILE_UNREADABLE';
  } catch (error) {
    if (isSkillError(error)) return false;
    throw error;
  }
}
