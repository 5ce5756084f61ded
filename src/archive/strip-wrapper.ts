/**
 * The one folder that many archives wrap their content in.
 *
 * @module
 */

/** What {@link stripWrapper} found. */
export interface Unwrapped<T> {
  /** The name of the folder that was taken off; undefined when there is none. */
  readonly wrapper: string | undefined;
  /** The entries with their paths below it, in the order given. */
  readonly entries: readonly T[];
}

/**
 * Returns the entries without the single folder that holds them all: what compressing a folder in a Finder makes,
 * PowerShell's `Compress-Archive`, and the `repo-ref/` of GitHub. Entries stay as they are when a file stands at the
 * root or there is more than one top folder. Nothing but the path is looked at, so whoever calls decides: an archive
 * with the one skill `pdf/SKILL.md` looks the same as a wrapped one.
 *
 * @example
 * stripWrapper([{ path: 'repo-main/pdf/SKILL.md' }]) // { wrapper: 'repo-main', entries: [{ path: 'pdf/SKILL.md' }] }
 */
export function stripWrapper<T extends { readonly path: string }>(entries: readonly T[]): Unwrapped<T> {
  const wrapper = commonFolder(entries);
  if (wrapper === undefined) return { wrapper, entries };
  const below = `${wrapper}/`;
  return {
    wrapper,
    entries: entries
      .filter((entry) => entry.path.startsWith(below))
      .map((entry) => ({ ...entry, path: entry.path.slice(below.length) })),
  };
}

/** The first segment of every path, when something stands below it and nothing but that folder stands at the root. */
function commonFolder(
  entries: readonly { readonly path: string; readonly kind?: unknown }[],
): string | undefined {
  let wrapper: string | undefined;
  let filled = false;
  for (const { path, kind } of entries) {
    const slash = path.indexOf('/');
    if (slash < 0 && kind !== 'directory') return undefined;
    const top = slash < 0 ? path : path.slice(0, slash);
    if (wrapper !== undefined && top !== wrapper) return undefined;
    wrapper = top;
    if (slash >= 0) filled = true;
  }
  return filled ? wrapper : undefined;
}
