/**
 * A folder of Markdown, file by file.
 *
 * @module
 */
import { isSkillError, type SkillErrorCode } from '../errors.ts';
import { isLosslessText, textOf } from '../integrity/text.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type DirectoryOptions, directorySource, type Source, type SourceFile } from '../source/index.ts';
import { docPath, docPathProblem } from './doc-path.ts';
import { MARKDOWN_MIME_TYPE, normalScheme, resourceNotFound } from './resources.ts';

/** Options of {@link openDocs}. */
export interface DocsOptions extends DirectoryOptions {
  /** Bytes of one file; 0 is the default, -1 is off. @default 16,777,216 */
  readonly maxFileBytes?: number;
}

/** The documents below one folder. Nothing is kept: each read tells what stands there then. */
export interface Docs {
  readonly source: Source;
  /** Identity of the folder that every document really lies in. */
  readonly root: string;
  readonly maxFileBytes: number;
  /** Frees a folder that was given by name. Twice is fine. */
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
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`.
 *
 * @example
 * const docs = await openDocs('./docs');
 */
export async function openDocs(from: string | Source, options: DocsOptions = {}): Promise<Docs> {
  const { maxFileBytes, ...directory } = options;
  const source = typeof from === 'string' ? directorySource(from, directory) : from;
  const { id } = await source.list('');
  return {
    source,
    root: id,
    maxFileBytes: capOf(maxFileBytes, LIMITS.fileBytes),
    async close() {
      if (source !== from) await source.close();
    },
  };
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
