/**
 * The sources of a command line as one source.
 *
 * @module
 */
import { type DirectoryOptions, mountSources, openSource, type Source } from '../source/index.ts';
import { parseSourceArgument, type SourceArgument } from './source-argument.ts';

/** One source for a catalog, and how each part was written. */
export interface OpenedSources {
  readonly source: Source;
  readonly parts: readonly SourceArgument[];
}

/**
 * All of `texts` opened and put side by side, each below its prefix; one source alone stays as it is.
 *
 * Errors: those of `openSource` and `mountSources`, and `USAGE`. What was opened before the error is closed.
 */
export async function openSources(
  texts: readonly string[],
  options: DirectoryOptions,
  cwd: string,
): Promise<OpenedSources> {
  const parts = texts.map((text) => parseSourceArgument(text, cwd));
  const opened: { path: string; source: Source }[] = [];
  try {
    for (const part of parts)
      opened.push({ path: part.prefix, source: await openSource(part.source, options) });
    const [first, ...more] = opened;
    const source =
      first !== undefined && more.length === 0 && first.path === '' ? first.source : mountSources(opened);
    return { source, parts };
  } catch (error) {
    await Promise.all(opened.map(({ source }) => source.close()));
    throw error;
  }
}
