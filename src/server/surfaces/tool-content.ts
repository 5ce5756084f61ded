/**
 * What a tool answers with: text first, because that is all that many clients show.
 *
 * @module
 */
import type { SkillFile } from '../../catalog/snapshot.ts';
import { LIMITS } from '../../limits.ts';
import { quote } from '../../uri/quote.ts';
import type { ReadResourceResult } from './read.ts';

/** One block of a result. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource';
      readonly resource: { readonly uri: string; readonly mimeType: string; readonly blob: string };
    };

/** Result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: object;
  readonly isError?: true;
}

/** What models are shown as pictures. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/**
 * One block of text.
 *
 * @example
 * textContent('Hello')
 */
export function textContent(text: string): ToolContent {
  return { type: 'text', text };
}

/**
 * A failure that a model reads and can act on.
 *
 * @example
 * failure('no skill is called "pfd"; did you mean pdf?')
 */
export function failure(text: string): ToolResult {
  return { content: [textContent(text)], isError: true };
}

/**
 * What was read. Text stands in a block of its own, exactly as it was read, with where it came from behind it, so that
 * clients that show the first block alone show the content. Anything else is named first and follows as an image or as an
 * embedded resource, where it is small enough to be of use.
 *
 * @example
 * readContent(await readResource(file, bytes, context), file)
 */
export function readContent(
  { contents }: ReadResourceResult,
  file: SkillFile | undefined,
): readonly ToolContent[] {
  const [read] = contents;
  const { uri, mimeType } = read;
  const digest = file?.digest === undefined ? '' : `, ${file.digest}`;
  if ('text' in read) {
    const bytes = Buffer.byteLength(read.text);
    return [
      textContent(read.text),
      textContent(`(content of ${uri}: ${mimeType}, ${bytesText(bytes)}${digest})`),
    ];
  }
  const bytes = Buffer.byteLength(read.blob, 'base64');
  const what = `${uri} is no text: ${mimeType}, ${bytesText(bytes)}${digest}`;
  if (bytes > LIMITS.toolBlobBytes) {
    const limit = bytesText(LIMITS.toolBlobBytes);
    return [
      textContent(
        `${what}. It is not sent here, because tools send at most ${limit} of what is no text; resources/read reads it`,
      ),
    ];
  }
  if (IMAGES.has(mimeType)) return [textContent(what), { type: 'image', data: read.blob, mimeType }];
  return [textContent(what), { type: 'resource', resource: { uri, mimeType, blob: read.blob } }];
}

/**
 * A path as it stands, or quoted where it holds what could forge a line.
 *
 * @example
 * plainPath('references/a b.md') // 'references/a b.md'
 */
export function plainPath(path: string): string {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u.test(path) ? path : quote(path);
}

/**
 * A size as text.
 *
 * @example
 * bytesText(1) // '1 byte'
 */
export function bytesText(bytes: number): string {
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}
