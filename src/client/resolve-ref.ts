/**
 * References to the files of an entry.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { formatSkillUri } from '../uri/format.ts';
import { withBoundary } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { readUri } from '../uri/read-uri.ts';
import { resolveRelative } from '../uri/resolve.ts';
import type { EntryFiles } from './entry-files.ts';

const ANY = { anyScheme: true, nested: true } as const;
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * The canonical URI that `ref` means, relative to the folder of the skill (requirement H25) or absolute. Query and
 * fragment are dropped, since links in Markdown carry them.
 *
 * Errors: `UNLISTED_FILE` for an absolute one that lies outside of the skill or has another scheme; those of
 * `resolveRelative` and `canonicalUri`.
 *
 * @example
 * resolveRef(filesOf(skill), './references/a.md#usage') // 'skill://pdf/references/a.md'
 */
export function resolveRef({ manifest, folder }: EntryFiles, ref: string): string {
  if (!ABSOLUTE.test(ref)) {
    const { scheme, segments } = readUri(manifest, true);
    const root = withBoundary({ scheme, raw: manifest, segments }, segments.length - 1);
    return formatSkillUri(resolveRelative(root, ref, ANY), ANY);
  }
  const end = ref.search(/[?#]/);
  const uri = canonicalUri(end === -1 ? ref : ref.slice(0, end), ANY);
  if (uri.startsWith(folder) && !uri.endsWith('/')) return uri;
  throw new SkillError(
    'UNLISTED_FILE',
    `${quote(ref)} is no file of the skill ${quote(manifest)}; write "./" before a name with a ":"`,
    { details: { uri: ref, skill: manifest } },
  );
}
