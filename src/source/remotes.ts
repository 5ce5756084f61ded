/**
 * The parts of a source that were fetched.
 *
 * @module
 */
import type { RemoteRoot, Revalidate, Source } from './source.ts';

/** Returns every part of `source` that can be revalidated. */
export function remotesOf(source: Source): readonly RemoteRoot[] {
  if (source.remotes !== undefined) return source.remotes;
  if (source.revalidate === undefined) return [];
  return [{ path: '', label: source.label, revalidate: (options) => askOne(source, options) }];
}

/**
 * Returns what revalidates all of `remotes` side by side and tells whether any changed; undefined where there are none.
 * When some fail the others are taken up all the same, and it rejects with the first failure.
 */
export function revalidateAll(remotes: readonly RemoteRoot[]): Revalidate | undefined {
  if (remotes.length === 0) return undefined;
  return async (options) => {
    const asked = await Promise.allSettled(remotes.map(({ revalidate }) => revalidate(options)));
    for (const answer of asked) if (answer.status === 'rejected') throw answer.reason;
    return asked.some((answer) => answer.status === 'fulfilled' && answer.value);
  };
}

/** Asked for at each time, since a source may lose what there is to ask. */
async function askOne(source: Source, options: Parameters<Revalidate>[0]): Promise<boolean> {
  return (await source.revalidate?.(options)) === true;
}
