/**
 * The prompt methods of the base protocol, over prompts of several origins.
 *
 * @module
 */
import {
  completePrompt,
  getPrompt,
  type PromptDefinition,
  type PromptMessages,
  type PromptRegistry,
  promptDefinitions,
  unknownPrompt,
} from '../../prompts/index.ts';
import { decodeCursor, encodeCursor } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonBytes } from '../json-size.ts';
import { type PageOptions, pageOf } from '../page.ts';
import type { CompleteParams, CompleteResult } from './completion.ts';
import { type CacheHints, cacheHints, pageOptions, refuseLarge } from './listing.ts';

/** Prompts of one origin, such as a folder of files. */
export interface PromptSet {
  /** As `prompts/list` shows them, each name once, in the order of `<`; the same array as long as it holds the same. */
  definitions(context: SurfaceContext): readonly PromptDefinition[];
  has(name: string, context: SurfaceContext): boolean;
  /** What `prompts/get` answers for a name that the set has. */
  get(request: PromptRequest, context: SurfaceContext): PromptMessages | Promise<PromptMessages>;
  /** Completions of an argument of a prompt that the set has. */
  complete(params: CompleteParams, context: SurfaceContext): CompleteResult | Promise<CompleteResult>;
}

/** Parameters of `prompts/get`; the arguments are not judged yet. */
export interface PromptRequest {
  readonly name: string;
  readonly arguments?: unknown;
}

/** Result of `prompts/list`. */
export interface ListPromptsResult extends CacheHints {
  readonly prompts: readonly PromptDefinition[];
  readonly nextCursor?: string;
}

/** The name of the list in its cursors. */
export const PROMPTS_LIST = 'prompts';

/**
 * The prompts of a registry as they are at each moment.
 *
 * @example
 * listPrompts([filePrompts(registry)], {}, context)
 */
export function filePrompts(registry: PromptRegistry): PromptSet {
  return {
    definitions: () => promptDefinitions(registry.snapshot),
    has: (name) => registry.snapshot.get(name) !== undefined,
    get: (request, context) => getPrompt(registry.snapshot, request, { maxLength: context.responseBytes }),
    complete: (params) => completePrompt(registry.snapshot, params),
  };
}

const merged = new WeakMap<
  readonly PromptSet[],
  { readonly lists: readonly (readonly PromptDefinition[])[]; readonly all: readonly PromptDefinition[] }
>();

/**
 * The prompts of all sets in the order of their names; of two with one name, that of the earlier set. Made again only
 * when one of the lists is another one.
 *
 * @example
 * allPrompts([filePrompts(registry)], context).map(({ name }) => name)
 */
export function allPrompts(sets: readonly PromptSet[], context: SurfaceContext): readonly PromptDefinition[] {
  const lists = sets.map((set) => set.definitions(context));
  const [first = [], ...others] = lists;
  if (others.every((list) => list.length === 0)) return first;
  const kept = merged.get(sets);
  if (kept?.lists.every((list, at) => list === lists[at]) === true) return kept.all;
  const byName = new Map<string, PromptDefinition>();
  for (const prompt of lists.flat()) if (!byName.has(prompt.name)) byName.set(prompt.name, prompt);
  const all = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  merged.set(sets, { lists, all });
  return all;
}

/**
 * One page of the prompts, cut by name, so that none is missed or seen twice when others come and go.
 *
 * Errors: `INVALID_CURSOR`.
 *
 * @example
 * listPrompts([filePrompts(registry)], {}, context).prompts[0]?.name
 */
export function listPrompts(
  sets: readonly PromptSet[],
  { cursor }: { readonly cursor?: string },
  context: SurfaceContext,
): ListPromptsResult {
  const all = allPrompts(sets, context);
  const { maxItems, maxBytes, maxItemBytes } = pageOptions(all.length, context);
  const options: PageOptions<PromptDefinition> = {
    keyOf: ({ name }) => name,
    sizeOf: jsonBytes,
    maxItems,
    maxBytes,
    maxItemBytes,
  };
  const page = pageOf(
    all,
    cursor === undefined ? options : { ...options, after: decodeCursor(PROMPTS_LIST, cursor) },
  );
  return {
    prompts: page.items,
    ...(page.next !== undefined && { nextCursor: encodeCursor(PROMPTS_LIST, page.next) }),
    ...cacheHints(context),
  };
}

/**
 * The set that has a prompt: the first one.
 *
 * @example
 * setOf(sets, 'code-review', context)?.get({ name: 'code-review' }, context)
 */
export function setOf(
  sets: readonly PromptSet[],
  name: unknown,
  context: SurfaceContext,
): PromptSet | undefined {
  return typeof name === 'string' ? sets.find((set) => set.has(name, context)) : undefined;
}

/**
 * A prompt with its arguments filled in. Errors: `INVALID_REQUEST` for an unknown prompt; those of its set;
 * `RESPONSE_TOO_LARGE`.
 *
 * @example
 * await promptMessages(sets, { name: 'code-review', arguments: { diff } }, context)
 */
export async function promptMessages(
  sets: readonly PromptSet[],
  params: Readonly<Record<string, unknown>>,
  context: SurfaceContext,
): Promise<PromptMessages> {
  const set = setOf(sets, params.name, context);
  if (set === undefined) throw unknownPrompt(params.name);
  const name = String(params.name);
  const result = await set.get({ name, arguments: params.arguments }, context);
  refuseLarge(name, jsonBytes(result), context);
  return result;
}

/**
 * Completions of an argument of a prompt, or undefined where the reference is to something else.
 *
 * Errors: `INVALID_REQUEST` for an unknown prompt or argument.
 *
 * @example
 * await completeArgument(sets, params, context)
 */
export function completeArgument(
  sets: readonly PromptSet[],
  params: CompleteParams,
  context: SurfaceContext,
): CompleteResult | Promise<CompleteResult> | undefined {
  const { type, name } = params.ref;
  if (sets.length === 0 || type !== 'ref/prompt') return undefined;
  const set = setOf(sets, name, context);
  if (set === undefined) throw unknownPrompt(name);
  return set.complete(params, context);
}
