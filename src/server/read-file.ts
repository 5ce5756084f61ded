/**
 * A file of the catalog on its way to a client: the one way for every method that sends one.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { SkillFile } from '../catalog/snapshot.ts';
import { isSkillError } from '../errors.ts';
import type { SurfaceContext } from './context.ts';
import { findFile } from './surfaces/lookup.ts';
import { type ReadResourceResult, readResource, refuseLargeFile } from './surfaces/read.ts';

/**
 * The contents of a file of the catalog, as the entry in force describes it.
 *
 * Errors: those of {@link findFile}, `RESPONSE_TOO_LARGE`, `FILE_UNREADABLE`, `PROVIDER_CLOSED`.
 *
 * @example
 * await readFile(catalog, file, file.uri, context)
 */
export async function readFile(
  catalog: Catalog,
  found: SkillFile,
  uri: string,
  context: SurfaceContext,
): Promise<ReadResourceResult> {
  refuseLargeFile(found, context);
  try {
    const { file, bytes } = await catalog.read(uri);
    return readResource(file, bytes, context);
  } catch (error) {
    // Gone since it was looked up; the catalog has a new snapshot, which says what stands there now.
    if (isSkillError(error, 'RESOURCE_NOT_FOUND')) findFile(catalog.snapshot, uri);
    throw error;
  }
}
