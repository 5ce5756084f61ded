/**
 * Folders of prompts judged for their author.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { Source } from '../source/index.ts';
import { loadPrompts } from './load.ts';

/** One folder of prompts, checked. */
export interface CheckedPrompts {
  readonly source: Source;
  /** Files that are prompts, or should be. */
  readonly files: number;
  /** Those that are not served. */
  readonly refused: number;
  /** By file in code-point order, and by place; each path is one below the source. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resolves to every problem of some folders of prompts, which are judged together: of two prompts with one id, the one of
 * the later folder is refused, as a server that was given the folders in this order would refuse it.
 *
 * Errors: those of listing a folder (`SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE`).
 *
 * @example
 * const [{ diagnostics }] = await checkPrompts([directorySource('./prompts')])
 */
export async function checkPrompts(
  sources: readonly Source[],
  { maxFileBytes }: { readonly maxFileBytes?: number } = {},
): Promise<readonly CheckedPrompts[]> {
  const { folders } = await loadPrompts(sources, { maxFileBytes });
  return folders.map(({ source, prefix, prompts, diagnostics, files }) => ({
    source,
    files: files.size,
    refused: files.size - prompts.length,
    diagnostics: diagnostics.map((each) => ({
      ...each,
      path: each.path.startsWith(prefix) ? each.path.slice(prefix.length) : '',
    })),
  }));
}
