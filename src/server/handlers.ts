/**
 * The request handlers of a provider: parameters in, result out, no type of the SDK.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { getSkillParams, listSkillsParams, readDirectoryParams } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import { completionOf, cursorOf, type RawParams, uriOf } from './params.ts';
import { completePath } from './surfaces/completion.ts';
import { readDirectory } from './surfaces/directory.ts';
import { findFile } from './surfaces/lookup.ts';
import { type ReadResourceResult, readResource, refuseLargeFile } from './surfaces/read.ts';
import { getSkill, listSkills } from './surfaces/released.ts';
import { listResources, listResourceTemplates } from './surfaces/resources.ts';

/** One method: checks its parameters and answers, or throws a `SkillError`. */
export type SkillHandler = (params: RawParams, context: SurfaceContext) => object | Promise<object>;

/** The methods that skills need, in the order in which they are registered. */
export type SkillMethod =
  | 'skills/list'
  | 'skills/get'
  | 'resources/directory/read'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'completion/complete';

/**
 * The handlers of a catalog.
 *
 * @example
 * const result = await createHandlers(catalog)['skills/get']({ uri: 'skill://pdf/SKILL.md' }, context)
 */
export function createHandlers(catalog: Catalog): Readonly<Record<SkillMethod, SkillHandler>> {
  return {
    'skills/list': (params, context) => listSkills(catalog.snapshot, listSkillsParams(params), context),
    'skills/get': (params, context) => getSkill(catalog.snapshot, getSkillParams(params), context),
    'resources/directory/read': (params, context) =>
      readDirectory(catalog.snapshot, readDirectoryParams(params), context),
    'resources/list': (params, context) => listResources(catalog.snapshot, cursorOf(params), context),
    'resources/templates/list': (params, context) => {
      if (cursorOf(params).cursor !== undefined) {
        throw new SkillError('INVALID_CURSOR', 'resources/templates/list has one page and takes no cursor');
      }
      return listResourceTemplates(context);
    },
    'resources/read': (params, context) => readFile(catalog, uriOf(params), context),
    'completion/complete': (params) => completePath(catalog.snapshot, completionOf(params)),
  };
}

/**
 * The contents of a file of the catalog, as the entry in force describes it.
 *
 * Errors: those of {@link findFile}, `RESPONSE_TOO_LARGE`, `FILE_UNREADABLE`, `PROVIDER_CLOSED`.
 */
async function readFile(catalog: Catalog, uri: string, context: SurfaceContext): Promise<ReadResourceResult> {
  refuseLargeFile(findFile(catalog.snapshot, uri), context);
  try {
    const { file, bytes } = await catalog.read(uri);
    return readResource(file, bytes, context);
  } catch (error) {
    // Gone since it was looked up; the catalog has a new snapshot, which says what stands there now.
    if (isSkillError(error, 'RESOURCE_NOT_FOUND')) findFile(catalog.snapshot, uri);
    throw error;
  }
}
