/**
 * The `fastmcp` dialect: a file list beside each skill.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Skill, SkillFile, Snapshot } from '../catalog/snapshot.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { startPace } from '../pace.ts';
import { FILE_LIST_NAME } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import { fileListAt, fileListResource, fileListUri, hasFileList, readFileList } from './surfaces/fastmcp.ts';
import { type ListedResource, type ResourceKind, ResourceOfSkill } from './surfaces/listed-resource.ts';
import { canonicalOf } from './surfaces/lookup.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { SyntheticResources } from './synthetic.ts';

/** The resources of the dialect. */
export function fastmcpDialect(catalog: Catalog): SyntheticResources {
  const listings = new WeakMap<Snapshot, readonly ListedResource[]>();

  const read = async (uri: string, context: SurfaceContext): Promise<ReadResourceResult> => {
    const before = fileListAt(catalog.snapshot, uri);
    // A list of files that changed since somebody looked would send a client after content that is gone.
    if (before !== undefined && !(await isUnchanged(before, catalog))) {
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
          .map((skill) => new ResourceOfSkill(skill, FILE_LIST))
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

const FILE_LIST: ResourceKind = { uri: fileListUri, define: fileListResource };
const NONE: readonly SkillResource[] = [];
const MANIFEST = 'SKILL.md';

/** Whether each file of the skill is certainly the one that was hashed. */
async function isUnchanged(skill: Skill, catalog: Catalog): Promise<boolean> {
  const pace = startPace();
  for (const file of skill.files) {
    if (pace.due()) await pace.rest();
    try {
      if (!(await isSame(file, skill, catalog))) return false;
    } catch (error) {
      // Gone or unreadable: scanning it again says what it is.
      if (isSkillError(error) && error.code !== 'PROVIDER_CLOSED') return false;
      throw error;
    }
  }
  return true;
}

function isSame(
  { uri, digest, sourcePath, stamp, provisional }: SkillFile,
  skill: Skill,
  catalog: Catalog,
): boolean | Promise<boolean> {
  if (stamp === undefined) return false;
  if (provisional) {
    // Its bytes tell; scanning it again would cost what it costs to publish all skills anew.
    const got = catalog.read(uri);
    return got instanceof Promise
      ? got.then(({ file }) => file.digest === digest)
      : got.file.digest === digest;
  }
  const seen = catalog.source.stat(sourcePath, { within: skill.folderId });
  return seen instanceof Promise ? seen.then((late) => late.stamp === stamp) : seen.stamp === stamp;
}
