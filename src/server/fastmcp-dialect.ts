/**
 * The `fastmcp` dialect: a file list beside each skill.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { SkillError } from '../errors.ts';
import { FILE_LIST_NAME } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import { fileListAt, fileListResource, hasFileList, readFileList } from './surfaces/fastmcp.ts';
import { canonicalOf } from './surfaces/lookup.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { SyntheticResources } from './synthetic.ts';

/** What {@link fastmcpDialect} needs. */
export interface FastmcpDialectOptions {
  readonly catalog: Catalog;
  /** Whether a watcher looks at the source, so that there is nothing to look at on a read. */
  readonly follows: boolean;
}

/** The resources of the dialect. */
export function fastmcpDialect({ catalog, follows }: FastmcpDialectOptions): SyntheticResources {
  const listings = new WeakMap<Snapshot, readonly SkillResource[]>();

  const read = async (uri: string, context: SurfaceContext): Promise<ReadResourceResult> => {
    const before = fileListAt(catalog.snapshot, uri);
    // A list of files that changed since nobody looked would send a client after content that is gone.
    if (before !== undefined && (!follows || mayDiffer(before))) await catalog.refreshPaths([before.path]);
    const skill = fileListAt(catalog.snapshot, uri);
    if (skill !== undefined) return readFileList(skill, context);
    throw new SkillError('RESOURCE_NOT_FOUND', 'the skill was withdrawn or changed its files', {
      details: { uri },
    });
  };

  return {
    ofSkills: () => NONE,
    listed(snapshot) {
      let made = listings.get(snapshot);
      if (made === undefined) {
        made = snapshot.skills
          .filter((skill) => !skill.hidden && hasFileList(skill, snapshot))
          .map(fileListResource)
          .sort((a, b) => (a.uri < b.uri ? -1 : 1));
        listings.set(snapshot, made);
      }
      return made;
    },
    has(uri) {
      const canonical = canonicalOf(uri);
      return canonical !== undefined && fileListAt(catalog.snapshot, canonical) !== undefined;
    },
    read(uri, context) {
      const canonical = canonicalOf(uri);
      if (canonical === undefined || fileListAt(catalog.snapshot, canonical) === undefined) return undefined;
      return read(canonical, context);
    },
    updatedBy(changes) {
      if (changes === undefined) return [];
      const { added, removed, changed } = changes;
      return [...added, ...removed, ...changed].map((uri) => uri.slice(0, -MANIFEST.length) + FILE_LIST_NAME);
    },
  };
}

const NONE: readonly SkillResource[] = [];
const MANIFEST = 'SKILL.md';

/** Whether a later write may have left a file of the skill with the stamp that it was hashed under. */
function mayDiffer(skill: Skill): boolean {
  return skill.files.some((file) => file.provisional);
}
