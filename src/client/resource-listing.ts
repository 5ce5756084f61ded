/**
 * What `resources/list` tells of skills: one walk for all who need it.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { startPace } from '../pace.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { MANIFEST_FILENAME } from '../uri/parse.ts';
import { FILE_LIST_NAME } from '../wire/index.ts';
import type { DialectListing, RequestScope } from './dialect.ts';
import { isRecord } from './json-record.ts';
import { judgeEntries } from './judge-entries.ts';
import type { ReaderContext } from './reader-context.ts';
import type { FoundSkill } from './skill.ts';
import { type Walk, walkPages } from './walk.ts';

/** A `SKILL.md` in a resource listing. */
export interface ListedSkill {
  /** As listed. */
  readonly uri: string;
  readonly description: string | undefined;
  /** Whether a `_manifest` is listed beside it. */
  readonly hasFileList: boolean;
  /** Whether it lies below another that has one. */
  readonly insideListed: boolean;
  /** The resources of its folder and below, as listed, itself among them and a `_manifest` beside it not. */
  readonly files: readonly string[];
}

/** The skills of a resource listing. */
export interface ResourceWalk extends Omit<Walk, 'items'> {
  /** In the order of the server, each URI once. */
  readonly skills: readonly ListedSkill[];
  /** The first with a canonical URI. */
  readonly byUri: ReadonlyMap<string, ListedSkill>;
}

/** Time for which the walk of a detection stands for the listing that follows it, ms. */
const HANDOVER_MS = LIMITS.ttlMs;
const PREFIX = 'skill://';
const NO_SKILLS: ResourceWalk = { skills: [], byUri: new Map(), complete: true, problems: [] };

/** The resource listing of one server. */
export class ResourceListing {
  readonly #context: ReaderContext;
  #last: { readonly walk: ResourceWalk; readonly at: number; readonly generation: number } | undefined;
  #handover = false;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  /** The walk that was made last, whatever its age: for spellings and descriptions, which are no evidence of anything. */
  get last(): ResourceWalk | undefined {
    return this.#last?.walk;
  }

  /** The skills, to tell what the server speaks; the next {@link ResourceListing.take} need not ask again. */
  async peek(scope: RequestScope): Promise<ResourceWalk> {
    const recent = this.#recent(scope);
    if (recent !== undefined) return recent;
    const walk = await this.#walk(scope);
    this.#handover = true;
    return walk;
  }

  /**
   * The skills, to list them. A server without resources has none, and is not asked.
   *
   * Errors: those of {@link walkPages}.
   */
  async take(scope: RequestScope): Promise<ResourceWalk> {
    const recent = this.#recent(scope);
    this.#handover = false;
    return recent ?? this.#walk(scope);
  }

  #recent(scope: RequestScope): ResourceWalk | undefined {
    const { clock, connection } = this.#context;
    const last = this.#last;
    if (last === undefined || !this.#handover || scope.fresh === true) return undefined;
    if (last.generation !== connection.generation || clock.now() - last.at > HANDOVER_MS) return undefined;
    return last.walk;
  }

  async #walk(scope: RequestScope): Promise<ResourceWalk> {
    const { clock, connection } = this.#context;
    const walk = connection.hasResources ? await this.#ask(scope) : NO_SKILLS;
    this.#last = { walk, at: clock.now(), generation: connection.generation };
    return walk;
  }

  async #ask(scope: RequestScope): Promise<ResourceWalk> {
    const { connection, walk: limits } = this.#context;
    try {
      const { items, ...walk } = await walkPages(
        (cursor) => connection.request('resources/list', cursor === undefined ? {} : { cursor }, scope),
        'resources',
        limits,
      );
      const skills = await skillsIn(items);
      return { ...walk, skills, byUri: byUri(skills) };
    } catch (error) {
      if (isSkillError(error, 'METHOD_NOT_FOUND')) return NO_SKILLS;
      throw error;
    }
  }
}

interface Root extends ListedSkill {
  hasFileList: boolean;
  insideListed: boolean;
  readonly files: string[];
}

async function skillsIn(items: readonly unknown[]): Promise<readonly ListedSkill[]> {
  const pace = startPace();
  const roots = new Map<string, Root>();
  const uris = new Set<string>();
  for (const item of items) {
    if (pace.due()) await pace.rest();
    if (!isRecord(item)) continue;
    const { uri, description } = item;
    if (typeof uri !== 'string' || !uri.startsWith(PREFIX) || uri.length > LIMITS.uriBytes) continue;
    uris.add(uri);
    const root = folderOf(uri, MANIFEST_FILENAME);
    if (root === undefined || roots.has(root)) continue;
    const text = typeof description === 'string' ? description : undefined;
    roots.set(root, { uri, description: text, hasFileList: false, insideListed: false, files: [] });
  }
  for (const uri of uris) {
    const root = roots.get(folderOf(uri, FILE_LIST_NAME) ?? '');
    if (root !== undefined) root.hasFileList = true;
  }
  for (const uri of uris) {
    if (pace.due()) await pace.rest();
    // The list of a skill is no file of it, nor of a skill around it.
    if (roots.has(folderOf(uri, FILE_LIST_NAME) ?? '')) continue;
    for (const root of rootsAbove(uri, roots)) {
      root.files.push(uri);
      if (!root.hasFileList || !uri.endsWith(`/${MANIFEST_FILENAME}`) || uri === root.uri) continue;
      const inner = roots.get(uri.slice(0, -MANIFEST_FILENAME.length));
      if (inner !== undefined) inner.insideListed = true;
    }
  }
  return [...roots.values()];
}

function byUri(skills: readonly ListedSkill[]): ReadonlyMap<string, ListedSkill> {
  const found = new Map<string, ListedSkill>();
  for (const skill of skills) {
    const canonical = tryCanonical(skill.uri);
    if (canonical !== undefined && !found.has(canonical)) found.set(canonical, skill);
  }
  return found;
}

/** The canonical text of a listed URI; undefined for one that no client may use. */
export function tryCanonical(uri: string): string | undefined {
  try {
    return canonicalUri(uri);
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

/** The folder of a URI that names `file` in it, with a slash at its end; undefined when it names another. */
function folderOf(uri: string, file: string): string | undefined {
  if (!uri.endsWith(`/${file}`)) return undefined;
  const folder = uri.slice(0, -file.length);
  return folder.length > PREFIX.length ? folder : undefined;
}

/** The skills in whose folder a resource lies. Deeper than an archive may be, nothing is looked for. */
function* rootsAbove(uri: string, roots: ReadonlyMap<string, Root>): Generator<Root> {
  let slash = uri.indexOf('/', PREFIX.length);
  for (let depth = 0; slash >= 0 && depth < LIMITS.archiveDepth; depth++) {
    const root = roots.get(uri.slice(0, slash + 1));
    if (root !== undefined) yield root;
    slash = uri.indexOf('/', slash + 1);
  }
}

/** The listing of a dialect that consists of the skills of a resource listing, each as `judge` has it. */
export async function listingOf(
  { skills, complete, problems, ttlMs }: ResourceWalk,
  judge: (skill: ListedSkill) => FoundSkill | undefined,
): Promise<DialectListing> {
  const judged = await judgeEntries(skills, (skill) => judge(skill as ListedSkill));
  return {
    skills: judged.skills,
    complete,
    ...(skills.length === 0 && complete ? { spoken: false } : {}),
    problems: [...problems, ...judged.problems],
    ...(ttlMs === undefined ? {} : { ttlMs }),
  };
}
