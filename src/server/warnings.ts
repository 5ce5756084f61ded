/**
 * What a client of a catalog would run into, said before one does.
 *
 * @module
 */
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import { INDEX_URI } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import { countPages, type PageOptions } from './page.ts';
import { listedBytes } from './surfaces/listed-resource.ts';
import { pageOptions } from './surfaces/listing.ts';
import { entryBytes, listedSkills } from './surfaces/released.ts';
import { type TemplateItem, templatePages } from './surfaces/templates.ts';

/** One thing that some client cannot do with this catalog. */
export interface ProviderWarning {
  readonly code:
    | 'TOO_MANY_PAGES'
    | 'ENTRY_TOO_LARGE'
    | 'INDEX_TOO_LARGE'
    | 'WELL_KNOWN_LEFT_OUT'
    | 'PROMPT_NAME_TAKEN';
  /** What happens, with the value and the limit. */
  readonly message: string;
  /** The skill, where it is about one. */
  readonly uri?: string;
}

/** What {@link warningsOf} looks at. */
export interface ServedLists {
  /** Whether `skills/list` is served. */
  readonly released: boolean;
  readonly snapshot: Snapshot;
  /** What `resources/list` pages over. */
  readonly resources: readonly { readonly uri: string }[];
  /** What `resources/templates/list` pages over. */
  readonly templates?: readonly TemplateItem[];
  /** What the draft index takes in a response at least; 0 where none is served. */
  readonly indexBytes: number;
}

/**
 * The warnings for what is served under a context: lists of more pages than the official client walks, entries that no
 * response carries and that are therefore left out of `skills/list`, an index that no response carries.
 *
 * @example
 * warningsOf({ released: true, snapshot, resources, indexBytes: 0 }, context).map((warning) => warning.message)
 */
export function warningsOf(served: ServedLists, context: SurfaceContext): readonly ProviderWarning[] {
  const skills = served.released ? listedSkills(served.snapshot) : [];
  const { templates = [] } = served;
  return [
    ...tooManyPages('skills/list', skills, pageOptions(skills.length, context, entryBytes)),
    ...tooManyPages(
      'resources/list',
      served.resources,
      pageOptions(served.resources.length, context, listedBytes),
    ),
    ...tooManyPages('resources/templates/list', templates, templatePages(templates.length, context)),
    ...entriesTooLarge(skills, context),
    ...indexTooLarge(served.indexBytes, context),
  ];
}

function indexTooLarge(bytes: number, context: SurfaceContext): readonly ProviderWarning[] {
  if (bytes <= pageOptions(1, context).maxItemBytes) return [];
  return [
    {
      code: 'INDEX_TOO_LARGE',
      message: `${INDEX_URI} takes at least ${bytes} bytes, more than the ${context.responseBytes} of one response, so clients of the draft cannot read it; serve fewer skills, over HTTP, or with supportingDigests 'off'`,
    },
  ];
}

function tooManyPages<T>(
  method: string,
  items: readonly T[],
  options: Omit<PageOptions<T>, 'after'>,
): readonly ProviderWarning[] {
  const pages = countPages(items, options);
  if (pages <= LIMITS.officialClientPages) return [];
  return [
    {
      code: 'TOO_MANY_PAGES',
      message: `${method} takes ${pages} pages; the official client gives up after ${LIMITS.officialClientPages}. Serve fewer skills in one place`,
    },
  ];
}

function entriesTooLarge(skills: readonly Skill[], context: SurfaceContext): readonly ProviderWarning[] {
  const { maxItemBytes } = pageOptions(skills.length, context);
  return skills
    .filter((skill) => entryBytes(skill) >= maxItemBytes)
    .map(({ uri }) => ({
      code: 'ENTRY_TOO_LARGE' as const,
      message: `the entry of ${quote(uri)} is larger than the ${context.responseBytes} bytes of one response, so skills/list leaves it out; a skill with fewer files has a smaller entry`,
      uri,
    }));
}
