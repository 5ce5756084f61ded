/**
 * The sources of a command line as one source.
 *
 * @module
 */
import { mountSources, type OpenOptions, openSource, type Source } from '../source/index.ts';

/**
 * All of `texts` opened and put side by side; one alone stays as it is.
 *
 * Errors: those of `openSource`; `MOUNT_COLLISION` from the first `list`. What was opened before an error is closed.
 */
export async function openSources(texts: readonly string[], options: OpenOptions): Promise<Source> {
  const opened: Source[] = [];
  try {
    for (const text of texts) opened.push(await openSource(text, options));
  } catch (error) {
    await Promise.all(opened.map((source) => source.close()));
    throw error;
  }
  const [first, ...more] = opened;
  return first !== undefined && more.length === 0
    ? first
    : mountSources(opened.map((source) => ({ source })));
}
