/**
 * The request handlers of a provider: parameters in, result out, no type of the SDK.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import { SkillError } from '../errors.ts';
import type { Docs, PromptRegistry } from '../prompts/index.ts';
import { getSkillParams, listSkillsParams, readDirectoryParams } from '../wire/index.ts';
import type { SurfaceContext } from './context.ts';
import type { SupportingFiles } from './dialects.ts';
import { completionOf, cursorOf, type RawParams, uriOf } from './params.ts';
import { readFile } from './read-file.ts';
import { callTool, type ToolParts } from './surfaces/call-tool.ts';
import { completePath } from './surfaces/completion.ts';
import { readDirectory } from './surfaces/directory.ts';
import { completeSkillPath } from './surfaces/fastmcp.ts';
import type { ListedResource } from './surfaces/listed-resource.ts';
import { perClient } from './surfaces/listing.ts';
import { findFile, noSuchResource, refuseLongUri, requireWellFormed } from './surfaces/lookup.ts';
import { completeArgument, listPrompts, type PromptSet, promptMessages } from './surfaces/prompt-list.ts';
import {
  completePromptPart,
  otherResources,
  type PromptParts,
  promptTemplates,
  readPromptPart,
} from './surfaces/prompts.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import { getSkill, listSkills } from './surfaces/released.ts';
import {
  allResources,
  listedFiles,
  listedResources,
  listResources,
  type SkillResource,
} from './surfaces/resources.ts';
import { listTemplates, type ServedTemplates } from './surfaces/templates.ts';
import { listTools } from './surfaces/tools.ts';
import type { SyntheticResources } from './synthetic.ts';

/** One method: checks its parameters and answers, or throws a `SkillError`. */
export type SkillHandler = (params: RawParams, context: SurfaceContext) => object | Promise<object>;

/** The methods that skills need, in the order in which they are registered. */
export type SkillMethod =
  | 'skills/list'
  | 'skills/get'
  | 'resources/directory/read'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'completion/complete'
  | 'prompts/list'
  | 'prompts/get'
  | 'tools/list'
  | 'tools/call';

/** What {@link createHandlers} serves. */
export interface ServedParts {
  readonly catalog: Catalog;
  /** The methods of the extension. */
  readonly released: boolean;
  /** `resources/directory/read`, which only the extension promises. */
  readonly directoryRead: boolean;
  /** Files by their URI; without it, only what is synthetic. */
  readonly files: boolean;
  /** What FastMCP clients look for: a template for each skill; its resources are among the synthetic. */
  readonly fastmcp: boolean;
  /** How a client learns of files beside `SKILL.md`. */
  readonly supportingFiles: SupportingFiles;
  readonly synthetic: SyntheticResources;
  /** Prompts as resources. */
  readonly prompts?: PromptRegistry | undefined;
  readonly docs?: Docs | undefined;
  /** What the prompt methods answer from; of two prompts with one name that of the earlier set counts. Empty: no such methods. */
  readonly promptSets: readonly PromptSet[];
  /** The tools for clients that cannot read resources. */
  readonly tools?: Pick<ToolParts, 'wordsOf'> | undefined;
}

/**
 * The handlers of a provider.
 *
 * @example
 * const handler = createHandlers(parts)['skills/get']
 */
export function createHandlers(parts: ServedParts): Readonly<Partial<Record<SkillMethod, SkillHandler>>> {
  const { catalog, released, directoryRead, promptSets, tools } = parts;
  return {
    ...(released && {
      'skills/list': (params, context) => listSkills(catalog.snapshot, listSkillsParams(params), context),
      'skills/get': (params, context) => getSkill(catalog.snapshot, getSkillParams(params), context),
    }),
    ...(released &&
      directoryRead && {
        'resources/directory/read': (params, context) =>
          readDirectory(catalog.snapshot, readDirectoryParams(params), context),
      }),
    'resources/list': (params, context) =>
      listResources(catalog.snapshot, cursorOf(params), context, listingOf(parts, context.metaPrefix)),
    'resources/templates/list': (params, context) =>
      listTemplates(catalog.snapshot, templatesOf(parts), cursorOf(params), context),
    'resources/read': (params, context) => readAny(parts, uriOf(params), context),
    'completion/complete': (params, context) => {
      const request = completionOf(params);
      return (
        completeArgument(promptSets, request, context) ??
        completePromptPart(promptParts(parts), request) ??
        (templatesOf(parts).perSkill ? completeSkillPath(catalog.snapshot, request) : undefined) ??
        completePath(catalog.snapshot, request)
      );
    },
    ...(promptSets.length > 0 && {
      'prompts/list': (params, context) => listPrompts(promptSets, cursorOf(params), perClient(context)),
      'prompts/get': (params, context) => promptMessages(promptSets, params, context),
    }),
    ...(tools !== undefined && {
      'tools/list': (params, context) => {
        refuseCursor('tools/list', params);
        return listTools(context);
      },
      'tools/call': (params, context) => {
        // Tools reach files also where archives alone are resources.
        const read = (uri: string): Promise<ReadResourceResult> =>
          readAny({ ...parts, files: true }, uri, context);
        return callTool({ catalog, read, ...tools }, params, context);
      },
    }),
  };
}

function refuseCursor(method: string, params: RawParams): void {
  if (cursorOf(params).cursor === undefined) return;
  throw new SkillError('INVALID_CURSOR', `${method} has one page and takes no cursor`);
}

/**
 * What `resources/templates/list` shows.
 *
 * @example
 * templateItems(catalog.snapshot, templatesOf(parts)).length
 */
export function templatesOf(parts: ServedParts): ServedTemplates {
  const { files, fastmcp, supportingFiles } = parts;
  return {
    files,
    perSkill: fastmcp && supportingFiles === 'template',
    others: promptTemplates(promptParts(parts)),
  };
}

/** What is served of them at this moment. */
function promptParts({ prompts, docs }: ServedParts): PromptParts {
  return { prompts: prompts?.snapshot, docs };
}

const listings = new WeakMap<readonly ListedResource[], readonly ListedResource[]>();

/**
 * What `resources/list` pages over, the synthetic resources, the index of prompts and listed documents among
 * them; the same array as long as it holds the same.
 *
 * @example
 * listingOf(parts, context.metaPrefix).map((resource) => resource.uri)
 */
export function listingOf(parts: ServedParts, metaPrefix: string): readonly ListedResource[] {
  const others = otherResources(promptParts(parts));
  const ofSkills = skillListing(parts, metaPrefix);
  if (others.length === 0) return ofSkills;
  let byOthers = withOthers.get(ofSkills);
  if (byOthers === undefined) {
    byOthers = new WeakMap();
    withOthers.set(ofSkills, byOthers);
  }
  let all = byOthers.get(others);
  if (all === undefined) {
    all = mergeByUri(ofSkills, others);
    byOthers.set(others, all);
  }
  return all;
}

const withOthers = new WeakMap<
  readonly ListedResource[],
  WeakMap<readonly ListedResource[], readonly ListedResource[]>
>();

function skillListing(
  { catalog, files, synthetic, supportingFiles }: ServedParts,
  metaPrefix: string,
): readonly ListedResource[] {
  const { snapshot } = catalog;
  const added = synthetic.listed(snapshot);
  if (!files) return added;
  const list = supportingFiles === 'resources' ? listedFiles : listedResources;
  const own = list(snapshot, metaPrefix);
  if (added.length === 0) return own;
  let all = listings.get(added);
  if (all === undefined) {
    all = mergeByUri(own, added);
    listings.set(added, all);
  }
  return all;
}

/**
 * Every file as a resource definition, or what stands for the files where they are not served: seed 000's `Resources`.
 *
 * @example
 * everyResource(parts, metaPrefix).map((resource) => resource.uri)
 */
export function everyResource(
  { catalog, files, synthetic }: ServedParts,
  metaPrefix: string,
): readonly SkillResource[] {
  const { snapshot } = catalog;
  const added = synthetic.ofSkills(snapshot);
  return files ? mergeByUri(allResources(snapshot, metaPrefix), added) : added;
}

function mergeByUri<T extends { readonly uri: string }>(a: readonly T[], b: readonly T[]): readonly T[] {
  return b.length === 0 ? a : [...a, ...b].sort((left, right) => (left.uri < right.uri ? -1 : 1));
}

/** A file, else a synthetic resource, else the error that says what is wrong with the URI. */
function readAny(parts: ServedParts, uri: string, context: SurfaceContext): Promise<ReadResourceResult> {
  refuseLongUri(uri);
  const { catalog, files, synthetic } = parts;
  const beside = readPromptPart(promptParts(parts), uri, context);
  if (beside !== undefined) return beside;
  const located = files ? catalog.snapshot.locate(uri) : undefined;
  if (located?.kind === 'file') return readFile(catalog, located.file, uri, context);
  const added = synthetic.read(uri, context);
  if (added !== undefined) return added;
  if (files) findFile(catalog.snapshot, uri);
  else requireWellFormed(uri);
  throw new SkillError('RESOURCE_NOT_FOUND', noSuchResource(uri), { details: { uri } });
}
