/**
 * What changed, in one line.
 *
 * @module
 */
import type { CatalogChanges } from '../catalog/index.ts';
import { plural } from './plural.ts';

/** Names shown of each kind; beyond it, the number of the rest. */
const SHOWN = 5;

const SCHEME = 'skill://';
const MANIFEST = '/SKILL.md';

/**
 * What a change of the catalog changed: skills by the path of their URI, and the number of files. Undefined when nothing
 * that is served did.
 *
 * @example
 * describeChanges(changes) // 'changed: 1 skill (pdf), 2 files'
 */
export function describeChanges(changes: CatalogChanges): string | undefined {
  const groups = (['added', 'changed', 'removed'] as const)
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => `${kind}: ${plural(changes[kind].length, 'skill')} (${namesOf(changes[kind])})`);
  if (groups.length === 0) return undefined;
  const files = changes.files.length === 0 ? '' : `, ${plural(changes.files.length, 'file')}`;
  return `${groups.join('; ')}${files}`;
}

function namesOf(uris: readonly string[]): string {
  const names = uris.slice(0, SHOWN).map(nameOf);
  return [...names, ...(uris.length > SHOWN ? [`${uris.length - SHOWN} more`] : [])].join(', ');
}

function nameOf(uri: string): string {
  return uri.slice(SCHEME.length, uri.length - MANIFEST.length);
}
