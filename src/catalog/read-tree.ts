/**
 * Second half of a scan: each file of a skill is read and hashed once.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { Pace } from '../pace.ts';
import { collisionKey } from '../source/index.ts';
import type { ReadOptions, Source, SourceNode } from '../source/source.ts';
import { encodeSegment, isAddressableName, MANIFEST_FILENAME } from '../uri/index.ts';
import { InFlight } from './in-flight.ts';
import { type Draft, isDraft } from './list-tree.ts';
import * as problems from './problems.ts';
import { type FileFacts, factsOf, readSettled } from './read-facts.ts';
import { type ReadHead, readHeads, refusedHead } from './read-heads.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import type { Touched } from './touched.ts';
import { joinPath, lastName, pathBelow, type SkillHead, type TreeFolder } from './tree.ts';
import { folderUri, skillUri } from './uris.ts';

/** What the second half of a scan starts from. */
export interface ReadTreeOptions {
  readonly source: Source;
  readonly settings: CatalogSettings;
  readonly pace: Pace;
  readonly touched: Touched;
  /** The stamp under which the digest of a known file is certain; undefined: read it again. */
  readonly certainStamp: (file: SkillFile) => string | undefined;
  readonly check: () => void;
}

/** The innermost skill of a folder while its files are read. */
interface Home {
  readonly path: string;
  readonly id: string;
  readonly options: ReadOptions;
  bytes: number;
  tooLarge: boolean;
}

interface Filled {
  readonly draft: Draft;
  readonly head: ReadHead | undefined;
  readonly home: Home | undefined;
  readonly uri: string;
  readonly files: SkillFile[];
  /** The files of the scan before, by path. */
  readonly known: ReadonlyMap<string, SkillFile>;
}

const NOTHING: ReadonlyMap<string, SkillFile> = new Map();

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
  const filled = new Map<Draft, Filled>();
  const inFlight = new InFlight();
  let done = 0;
  for (const draft of drafts) {
    const folder = fill(draft, heads.get(draft), filled, options);
    filled.set(draft, folder);
    if (folder.home === undefined) continue;
    for (const node of draft.nodes) {
      if (folder.home.tooLarge) break;
      if (options.pace.due()) {
        options.settings.onProgress(done, heads.size);
        await options.pace.rest();
        options.check();
      }
      const pending = addFile(folder, node, options);
      if (pending !== undefined) await inFlight.add(pending);
    }
    reportCollisions(draft);
    if (folder.head !== undefined) done++;
  }
  await inFlight.rest();
  options.settings.onProgress(done, heads.size);
  const vanished = [...heads].filter(([, head]) => head.vanished).map(([draft]) => draft.path);
  return { root: seal(root, drafts, filled), vanished };
}

function fill(
  draft: Draft,
  head: ReadHead | undefined,
  filled: ReadonlyMap<Draft, Filled>,
  options: ReadTreeOptions,
): Filled {
  const parent = draft.parent && filled.get(draft.parent);
  const before = draft.previous?.files;
  const known = before === undefined ? NOTHING : new Map(before.map((file) => [file.sourcePath, file]));
  if (head === undefined) {
    const uri = parent?.home === undefined ? '' : `${parent.uri}/${encodeSegment(lastName(draft.path))}`;
    return { draft, head, home: parent?.home, uri, files: [], known };
  }
  const { prefix, maxFileBytes } = options.settings;
  const maxBytes = maxFileBytes === Number.POSITIVE_INFINITY ? undefined : maxFileBytes;
  const home: Home = {
    path: draft.path,
    id: draft.id,
    options: { within: draft.id, ...(maxBytes !== undefined && { maxBytes }) },
    bytes: 0,
    tooLarge: false,
  };
  const uri = head.head.renamed
    ? skillUri(prefix, draft.path, head.head.name)
    : folderUri(prefix, draft.path);
  if (uri.length + 1 + MANIFEST_FILENAME.length > LIMITS.uriBytes) {
    const diagnostic = problems.unaddressable(joinPath(draft.path, MANIFEST_FILENAME));
    return { draft, head: refusedHead({ ...diagnostic, severity: 'error' }), home, uri, files: [], known };
  }
  return { draft, head, home, uri, files: [], known };
}

/** Adds one name of a folder to its files, unless it is none or has to be left out. */
function addFile(folder: Filled, node: SourceNode, options: ReadTreeOptions): Promise<void> | undefined {
  const { draft, home, head } = folder;
  if (home === undefined || node.kind !== 'file') return undefined;
  if (head !== undefined && node === draft.manifest) {
    if (head.facts !== undefined)
      append(folder, joinPath(draft.path, node.name), node.name, head.facts, options);
    return undefined;
  }
  if (node.withheld !== undefined) return undefined;
  const path = joinPath(draft.path, node.name);
  if (!isAddressableName(node.name) || isTooLong(path, folder.uri, node.name, options)) {
    draft.problems.push(problems.unaddressable(path));
    return undefined;
  }
  if (
    node.link !== undefined &&
    node.link.anywhere !== true &&
    !options.source.contains(home.id, node.link.id)
  ) {
    draft.problems.push(problems.linkEscapes(path));
    return undefined;
  }
  const known = folder.known.get(path);
  if (known === undefined || node.dynamic === true) return readInto(folder, node, path, options);
  if (!draft.deep && node.link === undefined && !options.touched.deep(path)) {
    append(folder, path, node.name, known, options);
    return undefined;
  }
  const stamp = options.certainStamp(known);
  if (stamp === undefined) return readInto(folder, node, path, options);
  const settle = (now: { readonly stamp?: string }): Promise<void> | undefined => {
    if (now.stamp !== stamp) return readInto(folder, node, path, options);
    append(folder, path, node.name, known, options);
    return undefined;
  };
  try {
    const stat = options.source.stat(path, home.options);
    if (!(stat instanceof Promise)) return settle(stat);
    return stat.then(settle, (error) => leaveOut(folder, path, error, options));
  } catch (error) {
    leaveOut(folder, path, error, options);
    return undefined;
  }
}

function readInto(
  folder: Filled,
  node: SourceNode,
  path: string,
  options: ReadTreeOptions,
): Promise<void> | undefined {
  const readAt = Date.now();
  const dynamic = node.dynamic === true;
  try {
    const file = readSettled(options.source, path, folder.home?.options ?? {});
    if (!(file instanceof Promise)) {
      append(folder, path, node.name, factsOf(path, file, dynamic, readAt), options);
      return undefined;
    }
    return file.then(
      (got) => append(folder, path, node.name, factsOf(path, got, dynamic, readAt), options),
      (error) => leaveOut(folder, path, error, options),
    );
  } catch (error) {
    leaveOut(folder, path, error, options);
    return undefined;
  }
}

function leaveOut(folder: Filled, path: string, error: unknown, options: ReadTreeOptions): void {
  if (isSkillError(error, 'FILE_NOT_FOUND')) return;
  if (!isSkillError(error)) options.settings.logger.warn('a file could not be read', { path, error });
  folder.draft.problems.push(problems.leftOut(path, error));
}

function append(
  folder: Filled,
  sourcePath: string,
  name: string,
  facts: FileFacts,
  options: ReadTreeOptions,
): void {
  const { home } = folder;
  if (home === undefined) return;
  const uri = `${folder.uri}/${encodeSegment(name)}`;
  // A known file that stays where it was keeps its identity, and with it what the catalog learned of it by reads.
  const path = pathBelow(home.path, sourcePath);
  const kept = isSkillFile(facts) && facts.uri === uri && facts.path === path;
  folder.files.push(kept ? facts : placed(facts, uri, path, sourcePath));
  home.bytes += facts.size;
  if (home.bytes > options.settings.maxSkillBytes) home.tooLarge = true;
}

/** The usual file is written out: a hundred thousand spreads take longer than the hashing of small files. */
function placed(facts: FileFacts, uri: string, path: string, sourcePath: string): SkillFile {
  const { size, digest, mimeType, text, stamp, modifiedAt, provisional } = facts;
  if (digest === undefined || stamp === undefined || modifiedAt === undefined) {
    return { ...facts, uri, path, sourcePath };
  }
  return { uri, path, sourcePath, size, digest, mimeType, text, stamp, modifiedAt, provisional };
}

function isSkillFile(facts: FileFacts): facts is SkillFile {
  return 'uri' in facts;
}

/** Whether the URI of a file, as its skill or as a skill around it shows it, exceeds what a request may carry. */
function isTooLong(path: string, uri: string, name: string, options: ReadTreeOptions): boolean {
  const longest = 8 + options.settings.prefix.length + path.length * 9 + 64;
  if (longest <= LIMITS.uriBytes) return false;
  const own = uri.length + 1 + encodeSegment(name).length;
  return Math.max(own, folderUri(options.settings.prefix, path).length) > LIMITS.uriBytes;
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

/** Children stand after their parents in `drafts`, so backwards each folder finds its children complete. */
function seal(
  root: Draft | TreeFolder,
  drafts: readonly Draft[],
  filled: ReadonlyMap<Draft, Filled>,
): TreeFolder {
  const sealed = new Map<Draft, TreeFolder>();
  for (let at = drafts.length - 1; at >= 0; at--) {
    const draft = drafts[at];
    const folder = draft && filled.get(draft);
    if (draft === undefined || folder === undefined) continue;
    const folders: TreeFolder[] = [];
    for (const child of draft.folders) {
      const complete = isDraft(child) ? sealed.get(child) : child;
      if (complete !== undefined) folders.push(complete);
    }
    sealed.set(draft, sealOne(folder, folders));
  }
  const complete = isDraft(root) ? sealed.get(root) : root;
  if (complete === undefined) throw new SkillError('INTERNAL');
  return complete;
}

function sealOne({ draft, head, home, uri, files }: Filled, folders: readonly TreeFolder[]): TreeFolder {
  const own: SkillHead | undefined = head?.head;
  return {
    path: draft.path,
    id: draft.id,
    linked: draft.linked,
    home: draft.home,
    homeId: draft.homeId,
    head: own,
    uri,
    files,
    folders,
    problems: draft.problems,
    tooLarge: (head !== undefined && home?.tooLarge === true) || folders.some((folder) => folder.tooLarge),
    count: folders.reduce((sum, folder) => sum + folder.count, 1),
    skills: folders.reduce((sum, folder) => sum + folder.skills, own === undefined ? 0 : 1),
    links: draft.links || folders.some((folder) => folder.links),
    noisy:
      draft.problems.length > 0 ||
      (own !== undefined && own.diagnostics.length > 0) ||
      folders.some((folder) => folder.noisy),
  };
}
