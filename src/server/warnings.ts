/**
 * What a client of a catalog would run into, said before one does.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import type { SurfaceContext } from './context.ts';
import { jsonBytes } from './json-size.ts';
import { countPages } from './page.ts';
import { pageOptions } from './surfaces/listing.ts';
import { listedEntries } from './surfaces/released.ts';
import { listedResources } from './surfaces/resources.ts';

/** One thing that some client cannot do with this catalog. */
export interface ProviderWarning {
  readonly code: 'TOO_MANY_PAGES' | 'ENTRY_TOO_LARGE';
  /** What happens, with the value and the limit. */
  readonly message: string;
  /** The skill, where it is about one. */
  readonly uri?: string;
}

/**
 * The warnings for a catalog under a context: lists of more pages than the official client walks, and entries that no
 * response carries and that are therefore left out of `skills/list`.
 *
 * @example
 * warningsOf(catalog.snapshot, context).map((warning) => warning.message)
 */
export function warningsOf(snapshot: Snapshot, context: SurfaceContext): readonly ProviderWarning[] {
  const entries = listedEntries(snapshot);
  const resources = listedResources(snapshot, context.metaPrefix);
  return [
    ...tooManyPages('skills/list', entries, context),
    ...tooManyPages('resources/list', resources, context),
    ...entriesTooLarge(entries, context),
  ];
}

function tooManyPages(
  method: string,
  items: readonly { readonly uri: string }[],
  context: SurfaceContext,
): readonly ProviderWarning[] {
  const pages = countPages(items, pageOptions(items.length, context));
  if (pages <= LIMITS.officialClientPages) return [];
  return [
    {
      code: 'TOO_MANY_PAGES',
      message: `${method} takes ${pages} pages; the official client gives up after ${LIMITS.officialClientPages}. Serve fewer skills in one place`,
    },
  ];
}

function entriesTooLarge(
  entries: readonly { readonly uri: string }[],
  context: SurfaceContext,
): readonly ProviderWarning[] {
  const { maxItemBytes } = pageOptions(entries.length, context);
  return entries
    .filter((entry) => jsonBytes(entry) >= maxItemBytes)
    .map(({ uri }) => ({
      code: 'ENTRY_TOO_LARGE' as const,
      message: `the entry of ${quote(uri)} is larger than the ${context.responseBytes} bytes of one response, so skills/list leaves it out; a skill with fewer files has a smaller entry`,
      uri,
    }));
}
