/**
 * The base protocol's surface: skills as resources, described and listed.
 *
 * @module
 */
import type { Skill, SkillFile, Snapshot } from '../../catalog/snapshot.ts';
import type { JsonObject, JsonValue } from '../../format/json.ts';
import type { SurfaceContext } from '../context.ts';
import { definitionOf, type ListedResource, listedBytes, ResourceOfSkill } from './listed-resource.ts';
import { type CacheHints, cacheHints, listingPage } from './listing.ts';

/** For whom a resource is, how much it matters, when it last changed (ISO 8601). */
export interface SkillResourceAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  /** From 0 (optional) to 1 (needed). */
  readonly priority?: number;
  readonly lastModified?: string;
}

/** A resource definition. */
export interface SkillResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType: string;
  /** Length of the raw bytes; absent when each read makes them anew. */
  readonly size?: number;
  readonly annotations?: SkillResourceAnnotations;
  readonly _meta?: JsonObject;
}

/** Result of `resources/list`. */
export interface ListResourcesResult extends CacheHints {
  readonly resources: readonly SkillResource[];
  readonly nextCursor?: string;
}

/** A URI template of RFC 6570. */
export interface SkillResourceTemplate {
  readonly name: string;
  readonly title?: string;
  readonly uriTemplate: string;
  readonly description: string;
  /** Where everything it reaches has the same one. */
  readonly mimeType?: string;
}

/** Result of `resources/templates/list`. */
export interface ListResourceTemplatesResult extends CacheHints {
  readonly resourceTemplates: readonly SkillResourceTemplate[];
  readonly nextCursor?: string;
}

/** The template that reaches every file; official clients expand and match it, and complete its variable. */
export const SKILL_TEMPLATE = 'skill://{+path}';

/** The definition of that template. */
export const SKILL_FILE_TEMPLATE: SkillResourceTemplate = {
  name: 'skill-file',
  title: 'File of a skill',
  uriTemplate: SKILL_TEMPLATE,
  description: 'A file of a skill: the path of the skill, then the path of the file inside it',
};

/** The name of the list in its cursors. */
export const RESOURCES_LIST = 'resources';

/** `SKILL.md` is what an agent reads first; its other files only where `SKILL.md` sends it there. */
const MANIFEST_PRIORITY = 0.8;
const FILE_PRIORITY = 0.3;

/** A name after the prefix of a `_meta` key, as the base protocol allows it. */
const META_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const listings = new WeakMap<
  Snapshot,
  { readonly metaPrefix: string; readonly items: readonly ListedResource[] }
>();

/**
 * The definition of a skill's `SKILL.md` (requirements S17–S21): `name` and `description` of the frontmatter, its
 * `title` where it has one, every other field in `_meta` under the prefix. A field whose name the base protocol does
 * not allow in a `_meta` key is left out there; the entry carries it all the same.
 *
 * @example
 * skillResource(skill, 'io.modelcontextprotocol.skills/').name // 'pdf'
 */
export function skillResource(skill: Skill, metaPrefix: string): SkillResource {
  const file = skill.files.find((each) => each.uri === skill.uri);
  const title = skill.frontmatter.title;
  const meta = metaOf(skill.frontmatter, metaPrefix);
  return {
    uri: skill.uri,
    name: skill.name,
    ...(typeof title === 'string' && title.trim() !== '' && { title }),
    description: skill.description,
    mimeType: file?.mimeType ?? 'text/markdown',
    ...(file !== undefined && sizeOf(file)),
    annotations: annotationsOf(file, MANIFEST_PRIORITY),
    ...(meta !== undefined && { _meta: meta }),
  };
}

/**
 * The definition of a file as a file: named as on disk, whatever it means (requirements S22, S50).
 *
 * @example
 * fileResource(file, 'skill://pdf/references/FORMS.md', 'FORMS.md').mimeType // 'text/markdown'
 */
export function fileResource(file: SkillFile, uri: string, name: string): SkillResource {
  const priority = name === 'SKILL.md' ? MANIFEST_PRIORITY : FILE_PRIORITY;
  return { uri, name, mimeType: file.mimeType, ...sizeOf(file), annotations: annotationsOf(file, priority) };
}

function sizeOf(file: SkillFile): { readonly size?: number } {
  return file.digest === undefined ? {} : { size: file.size };
}

function annotationsOf(file: SkillFile | undefined, priority: number): SkillResourceAnnotations {
  const at = file?.modifiedAt;
  const date = at === undefined ? undefined : new Date(at);
  const lastModified = date === undefined || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  return { audience: ['assistant'], priority, ...(lastModified !== undefined && { lastModified }) };
}

function metaOf(frontmatter: JsonObject, prefix: string): JsonObject | undefined {
  if (prefix === '') return undefined;
  const meta: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(frontmatter)) {
    if (key !== 'name' && key !== 'description' && META_NAME.test(key)) meta[prefix + key] = value;
  }
  return Object.keys(meta).length === 0 ? undefined : meta;
}

/**
 * What `resources/list` pages over: the `SKILL.md` of every served skill, unlisted ones too, hidden ones not, in
 * code-point order by URI.
 *
 * @example
 * listedResources(catalog.snapshot, context.metaPrefix).length
 */
export function listedResources(snapshot: Snapshot, metaPrefix: string): readonly ListedResource[] {
  const known = listings.get(snapshot);
  if (known?.metaPrefix === metaPrefix) return known.items;
  const kind = { uri: uriOf, define: (skill: Skill) => skillResource(skill, metaPrefix) };
  const items = snapshot.skills
    .filter((skill) => !skill.hidden)
    .map((skill) => new ResourceOfSkill(skill, kind));
  listings.set(snapshot, { metaPrefix, items });
  return items;
}

/**
 * One page of the skills as resources, or of other definitions in code-point order by URI. Errors: `INVALID_CURSOR`.
 *
 * @example
 * listResources(catalog.snapshot, {}, context).resources[0]?.mimeType // 'text/markdown'
 */
export function listResources(
  snapshot: Snapshot,
  params: { readonly cursor?: string },
  context: SurfaceContext,
  resources: readonly ListedResource[] = listedResources(snapshot, context.metaPrefix),
): ListResourcesResult {
  const { items, nextCursor } = listingPage(RESOURCES_LIST, resources, params.cursor, context, listedBytes);
  return {
    resources: items.map(definitionOf),
    ...(nextCursor !== undefined && { nextCursor }),
    ...cacheHints(context),
  };
}

/**
 * The template that reaches every file of every skill.
 *
 * @example
 * listResourceTemplates(context).resourceTemplates[0]?.uriTemplate // 'skill://{+path}'
 */
export function listResourceTemplates(context: SurfaceContext): ListResourceTemplatesResult {
  return { resourceTemplates: [SKILL_FILE_TEMPLATE], ...cacheHints(context) };
}

/**
 * Every file of every served skill as a resource definition, in code-point order by URI: seed 000's `Resources`.
 * The `SKILL.md` of a skill is described as the skill, also where an enclosing skill holds it.
 *
 * @example
 * allResources(catalog.snapshot, prefix).map((resource) => resource.uri)
 */
export function allResources(snapshot: Snapshot, metaPrefix: string): readonly SkillResource[] {
  const byUri = new Map<string, SkillResource>();
  for (const skill of snapshot.skills) {
    for (const file of skill.files) {
      if (!byUri.has(file.uri)) byUri.set(file.uri, fileResource(file, file.uri, nameOf(file)));
    }
  }
  for (const skill of snapshot.skills) byUri.set(skill.uri, skillResource(skill, metaPrefix));
  return [...byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}

const fileListings = new WeakMap<
  Snapshot,
  { readonly metaPrefix: string; readonly items: readonly SkillResource[] }
>();

/**
 * The definitions that `resources/list` pages over where it shows supporting files too: as {@link allResources}, without
 * what belongs to a skill that its owner hid, also where a skill around that one has it among its files.
 *
 * @example
 * listedFiles(catalog.snapshot, context.metaPrefix).length
 */
export function listedFiles(snapshot: Snapshot, metaPrefix: string): readonly SkillResource[] {
  const known = fileListings.get(snapshot);
  if (known?.metaPrefix === metaPrefix) return known.items;
  const all = allResources(snapshot, metaPrefix);
  const items = snapshot.skills.some(({ hidden }) => hidden)
    ? all.filter(({ uri }) => snapshot.locate(uri)?.skill.hidden !== true)
    : all;
  fileListings.set(snapshot, { metaPrefix, items });
  return items;
}

function uriOf({ uri }: Skill): string {
  return uri;
}

function nameOf(file: SkillFile): string {
  return file.path.slice(file.path.lastIndexOf('/') + 1);
}
