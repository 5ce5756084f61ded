/**
 * Which documents there are, and which of them changed.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/digest.ts';
import { LIMITS } from '../limits.ts';
import { startPace } from '../pace.ts';
import type { LinkTarget, Source, SourceFolder } from '../source/index.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { docPathProblem, docUri } from './doc-path.ts';

/** One document, as a listing shows it. */
export interface DocEntry {
  readonly uri: string;
  /** Below the folder. */
  readonly path: string;
  /** Bytes of the file when it was looked at. */
  readonly size: number;
}

/** What is known of a document beside its entry. */
export interface KnownDoc extends DocEntry {
  readonly stamp: string | undefined;
  readonly digest: string;
}

/** What a look at the documents needs. */
export interface DocTree {
  readonly source: Source;
  readonly root: string;
  readonly maxFileBytes: number;
}

/** What changed between two looks. */
export interface DocChanges {
  /** URIs that are new, gone, or say something else, in code-point order. */
  readonly updated: readonly string[];
  /** Documents came or went, or one has another size: a listing has another answer. */
  readonly listChanged: boolean;
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

/**
 * Every document below the folder that can be read, by its path. One whose stamp is the one from before is not read again.
 *
 * Errors: those of listing the folder; `SCAN_TOO_MANY_FOLDERS`, `SCAN_TOO_DEEP`.
 */
export async function lookAtDocs(
  tree: DocTree,
  before: ReadonlyMap<string, KnownDoc>,
): Promise<ReadonlyMap<string, KnownDoc>> {
  const pace = startPace();
  const found = new Map<string, KnownDoc>();
  const seen = new Set<string>();
  const real: Place[] = [{ path: '', depth: 0 }];
  const linked: Place[] = [];
  for (let next = real.pop(); next !== undefined; next = real.pop() ?? linked.pop()) {
    const { path, depth } = next;
    const folder = await folderAt(tree.source, path);
    // Links may lead to one folder by two ways, and in a circle; it counts once, by its real path where that lies here.
    if (folder === undefined || seen.has(folder.id)) continue;
    seen.add(folder.id);
    refuseLarge(path, depth, seen.size);
    for (const node of folder.nodes) {
      if (pace.due()) await pace.rest();
      const below = path === '' ? node.name : `${path}/${node.name}`;
      if (node.withheld !== undefined) continue;
      if (node.kind === 'directory') {
        const place = { path: below, depth: depth + 1 };
        if (node.link === undefined) real.push(place);
        else if (isInside(tree, node.link)) linked.push(place);
        continue;
      }
      const doc =
        docPathProblem(below) === undefined ? await lookAt(tree, below, before.get(below)) : undefined;
      if (doc !== undefined) found.set(below, doc);
    }
  }
  return found;
}

/** What differs between two looks. */
export function compareDocs(
  before: ReadonlyMap<string, KnownDoc>,
  after: ReadonlyMap<string, KnownDoc>,
): DocChanges {
  const updated: string[] = [];
  let listChanged = false;
  for (const [path, doc] of after) {
    const old = before.get(path);
    if (old !== undefined && old.digest === doc.digest) continue;
    updated.push(doc.uri);
    listChanged ||= old?.size !== doc.size;
  }
  for (const [path, { uri }] of before) {
    if (after.has(path)) continue;
    updated.push(uri);
    listChanged = true;
  }
  return { updated: updated.sort(compareCodePoints), listChanged };
}

/** What `resources/list` may show of them, ordered by URI. */
export function entriesOf(docs: ReadonlyMap<string, KnownDoc>): readonly DocEntry[] {
  return [...docs.values()]
    .map(({ uri, path, size }) => ({ uri, path, size }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

/** What is behind a link counts only where documents may be read through it. */
export function isInside({ source, root }: DocTree, link: LinkTarget): boolean {
  return link.anywhere === true || source.contains(root, link.id);
}

/** The folder; undefined for one below the root that cannot be listed, whose documents cannot be read either. */
async function folderAt(source: Source, path: string): Promise<SourceFolder | undefined> {
  try {
    return await source.list(path);
  } catch (error) {
    if (path === '' || !isSkillError(error)) throw error;
    return undefined;
  }
}

async function lookAt(
  { source, root, maxFileBytes }: DocTree,
  path: string,
  before: KnownDoc | undefined,
): Promise<KnownDoc | undefined> {
  const options = { within: root, maxBytes: maxFileBytes };
  try {
    if (before?.stamp !== undefined) {
      const { stamp } = await source.stat(path, options);
      if (stamp === before.stamp) return before;
    }
    const { bytes, stamp } = await source.read(path, options);
    return { uri: docUri(path), path, size: bytes.length, stamp, digest: digestOf(bytes) };
  } catch (error) {
    // Gone since it was listed, or not readable, too large, behind a link that is not followed: a read says which.
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

function refuseLarge(path: string, depth: number, folders: number): void {
  if (depth > LIMITS.scanDepth) {
    throw new SkillError('SCAN_TOO_DEEP', `"${path}" lies deeper than ${LIMITS.scanDepth} folders`, {
      details: { path, limit: LIMITS.scanDepth },
    });
  }
  if (folders > LIMITS.scanFolders) {
    throw new SkillError(
      'SCAN_TOO_MANY_FOLDERS',
      `there are more than ${LIMITS.scanFolders} folders of documents`,
      {
        details: { path, limit: LIMITS.scanFolders },
      },
    );
  }
}
