/**
 * The `fastmcp` dialect: a file list beside each skill.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { startPace } from '../pace.ts';
import type { Source } from '../source/source.ts';
import { FILE_LIST_NAME } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import { fileListAt, fileListResource, hasFileList, readFileList } from './surfaces/fastmcp.ts';
import { canonicalOf } from './surfaces/lookup.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { SyntheticResources } from './synthetic.ts';

/** The resources of the dialect. */
export function fastmcpDialect(catalog: Catalog): SyntheticResources {
  const listings = new WeakMap<Snapshot, readonly SkillResource[]>();

  const read = async (uri: string, context: SurfaceContext): Promise<ReadResourceResult> => {
    const before = fileListAt(catalog.snapshot, uri);
    // A list of files that changed since somebody looked would send a client after content that is gone.
    if (before !== undefined && !(await isUnchanged(before, catalog.source))) {
      await catalog.refreshPaths([before.path]);
    }
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
      return [...added, ...removed, ...changed]
        .map((uri) => uri.slice(0, -MANIFEST.length) + FILE_LIST_NAME)
        .filter((uri) => catalog.snapshot.locate(uri)?.kind !== 'file');
    },
  };
}

const NONE: readonly SkillResource[] = [];
const MANIFEST = 'SKILL.md';

/** Whether each file of the skill is certainly the one that was hashed. */
async function isUnchanged(skill: Skill, source: Source): Promise<boolean> {
  const pace = startPace();
  for (const { sourcePath, stamp, provisional } of skill.files) {
    if (provisional || stamp === undefined) return false;
    if (pace.due()) await pace.rest();
    try {
      const seen = source.stat(sourcePath, { within: skill.folderId });
      if ((seen instanceof Promise ? await seen : seen).stamp !== stamp) return false;
    } catch (error) {
      // Gone or unreadable: scanning it again says what it is.
      if (isSkillError(error)) return false;
      throw error;
    }
  }
  return true;
}
