/**
 * The `draft-index` dialect: the index, and the archives of archive mode.
 *
 * @module
 */
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { INDEX_RESOURCE_DEF, INDEX_URI } from '../wire/index.ts';
import type { ArchiveShelf } from './archives.ts';
import type { SurfaceContext } from './context.ts';
import type { LiveIndexer } from './indexer.ts';
import { base64Bytes } from './json-size.ts';
import { cacheHints, refuseLarge } from './surfaces/listing.ts';
import { canonicalOf } from './surfaces/lookup.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import { type SkillResource, skillResource } from './surfaces/resources.ts';
import type { SyntheticResources } from './synthetic.ts';

/** What {@link draftDialect} puts together. */
export interface DraftDialectOptions {
  /** Absent: no index is served. */
  readonly indexer: LiveIndexer | undefined;
  /** Absent: no archives are. */
  readonly shelf: ArchiveShelf | undefined;
  readonly metaPrefix: string;
}

/** The resources of the dialect. */
export function draftDialect(options: DraftDialectOptions): SyntheticResources {
  const { indexer, shelf, metaPrefix } = options;
  const archives = new WeakMap<Snapshot, readonly SkillResource[]>();
  const listings = new WeakMap<Snapshot, readonly SkillResource[]>();

  const ofSkills = (snapshot: Snapshot): readonly SkillResource[] => {
    if (shelf === undefined) return NONE;
    let made = archives.get(snapshot);
    if (made === undefined) {
      made = snapshot.skills
        .filter((skill) => !skill.hidden && shelf.has(skill, snapshot))
        .map((skill) => archiveResource(skill, shelf, metaPrefix))
        .sort(byUri);
      archives.set(snapshot, made);
    }
    return made;
  };

  return {
    ofSkills,
    listed(snapshot) {
      let made = listings.get(snapshot);
      if (made === undefined) {
        made =
          indexer === undefined
            ? ofSkills(snapshot)
            : [...ofSkills(snapshot), INDEX_RESOURCE_DEF].sort(byUri);
        listings.set(snapshot, made);
      }
      return made;
    },
    has(uri) {
      const canonical = canonicalOf(uri);
      if (canonical === undefined) return false;
      return canonical === INDEX_URI ? indexer !== undefined : shelf?.skillOf(canonical) !== undefined;
    },
    read(uri, context) {
      const canonical = canonicalOf(uri);
      if (canonical === undefined) return undefined;
      if (canonical === INDEX_URI) return indexer && readIndex(indexer, context);
      return shelf?.skillOf(canonical) && readArchive(shelf, canonical, context);
    },
    updatedBy(changes) {
      const uris = indexer === undefined ? [] : [INDEX_URI];
      if (shelf === undefined || changes === undefined) return uris;
      const { added, removed, changed } = changes;
      for (const uri of [...added, ...removed, ...changed])
        uris.push(uri.slice(0, -MANIFEST.length) + shelf.suffix);
      return uris;
    },
  };
}

const NONE: readonly SkillResource[] = [];
const MANIFEST = '/SKILL.md';

function byUri(a: SkillResource, b: SkillResource): number {
  return a.uri < b.uri ? -1 : 1;
}

/** The archive described as the skill is; how large it is shows only once it was packed. */
function archiveResource(skill: Skill, shelf: ArchiveShelf, metaPrefix: string): SkillResource {
  const { size: _, ...described } = skillResource(skill, metaPrefix);
  return { ...described, uri: shelf.uriOf(skill), mimeType: shelf.mimeType };
}

async function readIndex(indexer: LiveIndexer, context: SurfaceContext): Promise<ReadResourceResult> {
  const { text, bytes } = await indexer.text();
  refuseLarge(INDEX_URI, bytes, context);
  const { mimeType } = INDEX_RESOURCE_DEF;
  return { contents: [{ uri: INDEX_URI, mimeType, text }], ...cacheHints(context) };
}

async function readArchive(
  shelf: ArchiveShelf,
  uri: string,
  context: SurfaceContext,
): Promise<ReadResourceResult> {
  const bytes = await shelf.read(uri);
  refuseLarge(uri, base64Bytes(bytes.length), context);
  return {
    contents: [{ uri, mimeType: shelf.mimeType, blob: bytes.toString('base64') }],
    ...cacheHints(context),
  };
}
