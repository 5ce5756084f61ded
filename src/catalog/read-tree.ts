/**
 * Second half of a scan: each file of a skill is read and hashed once.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { collisionKey } from '../source/index.ts';
import type { SourceNode } from '../source/source.ts';
import { encodeSegment, MANIFEST_FILENAME } from '../uri/index.ts';
import type { Draft } from './draft.ts';
import { type Filled, type Home, knownFiles, type ReadTreeOptions } from './filled.ts';
import { InFlight } from './in-flight.ts';
import * as problems from './problems.ts';
import { type AheadPlace, isAsked, type TimedFacts } from './read-ahead.ts';
import { addFile } from './read-file.ts';
import { type ReadHead, readHeads, refusedHead } from './read-heads.ts';
import { sealTree } from './seal-tree.ts';
import { joinPath, lastName, type TreeFolder } from './tree.ts';
import { folderUri, skillUri } from './uris.ts';

const NO_NODES: readonly SourceNode[] = [];

/**
 * The tree of `drafts` with the files of every skill.
 *
 * `vanished` names the skill folders whose `SKILL.md` was gone before it could be read; they have to be listed again.
 * A skill that exceeds `maxSkillBytes` is read no further.
 */
export async function readTree(
  root: Draft | TreeFolder,
  drafts: readonly Draft[],
  options: ReadTreeOptions,
): Promise<{ root: TreeFolder; vanished: string[] }> {
  const heads = await readHeads(drafts, options);
  const filled: Filled[] = [];
  const inFlight = new InFlight();
  let done = 0;
  for (const draft of drafts) {
    const folder = fill(draft, draft.manifest && heads.get(draft), filled, options);
    filled.push(folder);
    if (folder.home === undefined) continue;
    const { ahead } = draft;
    if (ahead !== undefined && ahead.batch.facts === undefined) {
      await ahead.batch.ready;
      options.check();
    }
    let place = ahead?.first ?? 0;
    for (const node of draft.nodes) {
      if (folder.home.tooLarge) break;
      if (options.pace.due()) {
        options.settings.onProgress(done, heads.size);
        await options.pace.rest();
        options.check();
      }
      const told = ahead !== undefined && isAsked(draft, node) ? toldAt(ahead, place++) : undefined;
      const pending = addFile(folder, node, options, told);
      if (pending !== undefined) await inFlight.add(pending);
    }
    reportCollisions(draft);
    // What a list grew by is dropped while it is young; what is still read is added to the copy.
    folder.files = folder.files.slice();
    draft.nodes = NO_NODES;
    draft.ahead = undefined;
    if (folder.head !== undefined) done++;
  }
  await inFlight.rest();
  options.settings.onProgress(done, heads.size);
  const vanished = [...heads].filter(([, head]) => head.vanished).map(([draft]) => draft.path);
  return { root: sealTree(root, drafts, filled), vanished };
}

function toldAt({ batch }: AheadPlace, place: number): TimedFacts | undefined {
  const facts = batch.facts?.at(place);
  return facts && { facts, readAt: batch.facts?.readAt ?? 0 };
}

function fill(
  draft: Draft,
  head: ReadHead | undefined,
  filled: readonly Filled[],
  options: ReadTreeOptions,
): Filled {
  const parent = draft.parent && filled[draft.parent.index];
  const known = knownFiles(draft.previous?.files);
  if (head === undefined) {
    if (parent?.home === undefined) {
      const place = { uri: '', folder: draft.path, home: undefined };
      return { draft, head, home: undefined, place, files: [], known };
    }
    const { home } = parent;
    const uri = joinPath(parent.place.uri, encodeSegment(lastName(draft.path)));
    const place = { uri, folder: draft.path, home: home.path };
    return { draft, head, home, place, files: [], known };
  }
  const { prefix, maxFileBytes } = options.settings;
  const maxBytes = maxFileBytes === Number.POSITIVE_INFINITY ? undefined : maxFileBytes;
  const { path, id } = draft;
  const home: Home = {
    path,
    id,
    options: { within: id, ...(maxBytes !== undefined && { maxBytes }) },
    bytes: 0,
    tooLarge: false,
  };
  const uri = head.head.renamed ? skillUri(prefix, path, head.head.name) : folderUri(prefix, path);
  const place = { uri, folder: path, home: path };
  if (uri.length + 1 + MANIFEST_FILENAME.length > LIMITS.uriBytes) {
    const diagnostic = problems.unaddressable(joinPath(path, MANIFEST_FILENAME));
    const refused = refusedHead({ ...diagnostic, severity: 'error' });
    return { draft, head: refused, home, place, files: [], known };
  }
  return { draft, head, home, place, files: [], known };
}

function reportCollisions(draft: Draft): void {
  if (draft.nodes.length < 2) return;
  const seen = new Map<string, string>();
  for (const { name, withheld } of draft.nodes) {
    if (withheld !== undefined) continue;
    const key = collisionKey(name);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, name);
    else draft.problems.push(problems.caseCollision(joinPath(draft.path, name), joinPath(draft.path, first)));
  }
}
