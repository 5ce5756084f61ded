/**
 * The `fastmcp` surface: the file list of each skill, and the template that reaches its files.
 *
 * @module
 */
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { FILE_LIST_MIME_TYPE, FILE_LIST_NAME, writeSkillManifest } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonTextBytes } from '../json-size.ts';
import type { CompleteParams, CompleteResult } from './completion.ts';
import { completionResult, requireVariable } from './completion.ts';
import { cacheHints, refuseLarge } from './listing.ts';
import type { ReadResourceResult } from './read.ts';
import type { SkillResource, SkillResourceTemplate } from './resources.ts';

/** What follows the URI of a skill's folder in its template; FastMCP's way to write a path of several names. */
const REST = '/{path*}';

/**
 * The URI of a skill's file list.
 *
 * @example
 * fileListUri(skill) // 'skill://pdf/_manifest'
 */
export function fileListUri({ rootUri }: Skill): string {
  return `${rootUri}/${FILE_LIST_NAME}`;
}

/**
 * Whether a skill of a snapshot has a file list: a real file at its URI beats it, and of a file that each read makes anew
 * no list could say what a read returns.
 *
 * @example
 * snapshot.skills.filter((skill) => hasFileList(skill, snapshot))
 */
export function hasFileList(skill: Skill, snapshot: Snapshot): boolean {
  return !skill.dynamic && snapshot.locate(fileListUri(skill))?.kind !== 'file';
}

/**
 * The skill whose file list has this canonical URI, if there is one.
 *
 * @example
 * fileListAt(snapshot, 'skill://pdf/_manifest')?.name // 'pdf'
 */
export function fileListAt(snapshot: Snapshot, uri: string): Skill | undefined {
  if (!uri.endsWith(`/${FILE_LIST_NAME}`)) return undefined;
  const skill = snapshot.skill(`${uri.slice(0, -FILE_LIST_NAME.length)}SKILL.md`);
  return skill !== undefined && hasFileList(skill, snapshot) ? skill : undefined;
}

/**
 * The definition of a skill's file list, as FastMCP words it.
 *
 * @example
 * fileListResource(skill).name // 'pdf/_manifest'
 */
export function fileListResource(skill: Skill): SkillResource {
  return {
    uri: fileListUri(skill),
    name: `${skill.name}/${FILE_LIST_NAME}`,
    description: `File listing for ${skill.name}`,
    mimeType: FILE_LIST_MIME_TYPE,
    _meta: { fastmcp: { skill: { name: skill.name, is_manifest: true } } },
  };
}

/**
 * The contents of a skill's file list: what reads of its files return at this moment. Errors: `RESPONSE_TOO_LARGE`.
 *
 * @example
 * readFileList(skill, context).contents[0].mimeType // 'application/json'
 */
export function readFileList(skill: Skill, context: SurfaceContext): ReadResourceResult {
  const files = skill.files.map(({ path, size, digest = '' }) => ({ path, size, hash: digest }));
  const text = writeSkillManifest({ skill: skill.name, files });
  const uri = fileListUri(skill);
  refuseLarge(uri, jsonTextBytes(Buffer.from(text)), context);
  return { contents: [{ uri, mimeType: FILE_LIST_MIME_TYPE, text }], ...cacheHints(context) };
}

/**
 * The template that reaches the files of one skill, as FastMCP words it. It states no MIME type, since its files have
 * different ones.
 *
 * @example
 * skillTemplate(skill).uriTemplate // 'skill://pdf/{path*}'
 */
export function skillTemplate({ rootUri, name }: Skill): SkillResourceTemplate {
  return {
    name: `${name}_files`,
    uriTemplate: rootUri + REST,
    description: `Access files within ${name}`,
  };
}

/**
 * The URI of the skill's folder in the template of a skill; undefined for another template.
 *
 * @example
 * skillOfTemplate('skill://pdf/{path*}') // 'skill://pdf'
 */
export function skillOfTemplate(uriTemplate: string): string | undefined {
  return uriTemplate.endsWith(REST) ? uriTemplate.slice(0, -REST.length) : undefined;
}

/**
 * Completions of `path` in the template of one skill: paths of its files, sorted, or undefined where the reference is to no
 * such template. Values are not encoded, because expanding the template encodes them.
 *
 * Errors: `INVALID_REQUEST` for another variable.
 *
 * @example
 * completeSkillPath(snapshot, params)?.completion.values // ['references/FORMS.md']
 */
export function completeSkillPath(snapshot: Snapshot, params: CompleteParams): CompleteResult | undefined {
  const { ref, argument } = params;
  if (ref.type !== 'ref/resource' || ref.uri === undefined) return undefined;
  const root = skillOfTemplate(ref.uri);
  const skill = root === undefined ? undefined : snapshot.skill(`${root}/SKILL.md`);
  if (skill === undefined || skill.hidden) return undefined;
  requireVariable(argument.name);
  return completionResult(
    skill.files.map(({ path }) => path).filter((path) => path.startsWith(argument.value)),
  );
}
