/**
 * The path of a document in its URI.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { isSafePath } from '../source/index.ts';
import { encodeSegment } from '../uri/index.ts';
import { uriTemplate } from './uri-template.ts';

/** The template of a document. */
export const DOCS_TEMPLATE = 'resource://docs/{path*}';
const DOCS = uriTemplate(DOCS_TEMPLATE);
const SUFFIX = '.md';
/** `C:x` and `C:` name a drive on Windows, in front of any name. */
const DRIVE = /(?:^|\/)[A-Za-z]:/;

/**
 * The path in a URI of a document, decoded once as a whole: a client that fills the template in by the book writes `/`
 * as `%2F`. Undefined when the URI is another one, or has a query or a fragment.
 *
 * @example
 * docPath('resource://docs/guide%2Fa%20b.md') // 'guide/a b.md'
 */
export function docPath(uri: string): string | undefined {
  return uri.includes('?') || uri.includes('#') ? undefined : DOCS.match(uri)?.path;
}

/**
 * What keeps a decoded path from being that of a document; undefined when nothing does.
 *
 * @example
 * docPathProblem('../index.md') // 'it is not a plain relative path'
 */
export function docPathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty';
  // Deeper folders are not listed either, and judging thousands of them one in the other fails.
  if (path.split('/').length - 1 > LIMITS.scanDepth) return `it lies deeper than ${LIMITS.scanDepth} folders`;
  if (!isSafePath(path)) return 'it is not a plain relative path';
  if (DRIVE.test(path)) return 'it names a drive';
  if (!path.endsWith(SUFFIX)) return 'it does not end in ".md"';
  return path === SUFFIX || path.endsWith(`/${SUFFIX}`) ? 'it has no name before ".md"' : undefined;
}

/**
 * The URI of a document in the spelling that listings and notifications have.
 *
 * Errors: those of `encodeSegment`, for a name that no URI can carry.
 *
 * @example
 * docUri('guide/a b.md') // 'resource://docs/guide/a%20b.md'
 */
export function docUri(path: string): string {
  return `resource://docs/${path.split('/').map(encodeSegment).join('/')}`;
}
