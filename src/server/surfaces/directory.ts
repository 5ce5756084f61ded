/**
 * The released surface's third method: `resources/directory/read`.
 *
 * @module
 */
import type { DirectoryChild, Snapshot } from '../../catalog/snapshot.ts';
import { SkillError } from '../../errors.ts';
import { quote } from '../../uri/quote.ts';
import { MIME_TYPE_DIRECTORY, type ReadDirectoryParams, type ReadDirectoryResult } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { cacheHints, listingPage } from './listing.ts';
import { findDirectory } from './lookup.ts';
import { fileResource, type SkillResource } from './resources.ts';

/**
 * One page of the direct children of a directory: files with their metadata, folders as `inode/directory` without a
 * trailing slash, an empty folder as an empty list (requirements S49–S52). Every level of a skill is a directory, its
 * root included; the levels above a skill are none. A nested skill's `SKILL.md` is an ordinary file (requirement S23).
 *
 * Errors, all `-32602`: `NOT_A_DIRECTORY`, `RESOURCE_NOT_FOUND`, `URI_TOO_LONG`, `INVALID_CURSOR`, those of
 * `parseSkillUri`.
 *
 * @example
 * readDirectory(catalog.snapshot, { uri: 'skill://pdf' }, context).resources
 */
export function readDirectory(
  snapshot: Snapshot,
  params: ReadDirectoryParams,
  context: SurfaceContext,
): ReadDirectoryResult {
  const { skill, path, uri } = findDirectory(snapshot, params.uri);
  const children = snapshot.children(skill, path);
  if (children === undefined) {
    throw new SkillError('RESOURCE_NOT_FOUND', `no such directory: ${quote(params.uri)}`, {
      details: { uri: params.uri },
    });
  }
  const { items, nextCursor } = listingPage(
    `directory ${uri}`,
    definitions(children),
    params.cursor,
    context,
  );
  return { resources: items, ...(nextCursor !== undefined && { nextCursor }), ...cacheHints(context) };
}

const described = new WeakMap<readonly DirectoryChild[], readonly SkillResource[]>();

/** The children as resources; the same objects for the same children, so that a large folder is measured once. */
function definitions(children: readonly DirectoryChild[]): readonly SkillResource[] {
  let resources = described.get(children);
  if (resources === undefined) {
    resources = children.map(childResource);
    described.set(children, resources);
  }
  return resources;
}

function childResource(child: DirectoryChild): SkillResource {
  return child.kind === 'directory'
    ? { uri: child.uri, name: child.name, mimeType: MIME_TYPE_DIRECTORY }
    : fileResource(child.file, child.uri, child.name);
}
