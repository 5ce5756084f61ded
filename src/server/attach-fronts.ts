/**
 * The methods that a caller's server and skills share: who answers what.
 *
 * @module
 */
import { ProtocolError, type Result, type ServerContext } from '@modelcontextprotocol/server';
import { ERROR_TABLE, isSkillError, SkillError } from '../errors.ts';
import { decodeCursor, encodeCursor } from '../wire/index.ts';
import type { AttachedSkills } from './attach.ts';
import { toProtocolError } from './errors.ts';
import type { SkillMethod } from './handlers.ts';
import { jsonBytes } from './json-size.ts';
import type { RawParams } from './params.ts';
import type { WireHandler } from './register.ts';
import type { FrontHandler, StoredHandler } from './sdk-access.ts';
import type { Subscriptions } from './subscriptions.ts';
import { RESOURCES_LIST, SKILL_TEMPLATE } from './surfaces/resources.ts';

/**
 * The handlers to put before the caller's; those of subscriptions where changes are told.
 *
 * @example
 * frontHandlers(server, frontsOf(skills))
 */
export function frontsOf(
  skills: AttachedSkills,
  subscriptions?: Subscriptions,
): ReadonlyMap<string, FrontHandler> {
  const ours = (method: SkillMethod): WireHandler => {
    const handler = skills.handlers.get(method);
    if (handler === undefined) throw new SkillError('INTERNAL', `no handler for ${method}`);
    return handler;
  };
  const subscribing =
    subscriptions === undefined
      ? []
      : [...subscriptions.handlers(skills.logger)].map(([method, handler]) => {
          return [method, subscriptionFront(method, handler, subscriptions)] as const;
        });
  return new Map<string, FrontHandler>([
    ['resources/list', listFront(ours('resources/list'), skills)],
    ['resources/templates/list', templatesFront(ours('resources/templates/list'))],
    ['resources/read', readFront(ours('resources/read'))],
    ['completion/complete', completionFront(ours('completion/complete'))],
    ...subscribing,
  ]);
}

/** What is ours to tell of; of anything else the caller tells, or nobody. */
function subscriptionFront(method: string, ours: WireHandler, subscriptions: Subscriptions): FrontHandler {
  return async (params, context, theirs) => {
    const { uri } = params;
    const mine =
      theirs === undefined || (typeof uri === 'string' && isSkillScheme(uri) && subscriptions.concern(uri));
    return mine ? ours(params, context) : theirs({ method, params }, context);
  };
}

/** Keys of our own list are URIs; these two say where the caller's list goes on. */
const THEIRS_FIRST = '+';
const THEIRS_AFTER = '=';

/**
 * Our pages, then the caller's. The caller's first page rides on our last one where both fit, so that a client that
 * never asks for a second page sees both.
 */
function listFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const method = 'resources/list';
  const theirPage = async (
    theirs: StoredHandler,
    params: RawParams,
    context: ServerContext,
    cursor?: string,
  ): Promise<Result> => {
    const { cursor: _, ...rest } = params;
    const page = await theirs({ method, params: cursor === undefined ? rest : { ...rest, cursor } }, context);
    const { nextCursor, ...others } = page;
    return {
      ...others,
      resources: withoutOurs(itemsOf(page, 'resources'), skills),
      ...(typeof nextCursor === 'string' && {
        nextCursor: encodeCursor(RESOURCES_LIST, THEIRS_AFTER + nextCursor),
      }),
    };
  };
  const page = async (
    params: RawParams,
    context: ServerContext,
    theirs: StoredHandler | undefined,
  ): Promise<Result> => {
    const { cursor } = params;
    const key = typeof cursor === 'string' ? decodeCursor(RESOURCES_LIST, cursor) : undefined;
    if (key?.startsWith(THEIRS_FIRST) === true || key?.startsWith(THEIRS_AFTER) === true) {
      if (theirs === undefined) return { resources: [] };
      return theirPage(theirs, params, context, key.startsWith(THEIRS_AFTER) ? key.slice(1) : undefined);
    }
    const own = await ours(params, context);
    if (own.nextCursor !== undefined || theirs === undefined) return own;
    const next = await theirPage(theirs, params, context);
    const [mine, others] = [itemsOf(own, 'resources'), itemsOf(next, 'resources')];
    if (mine.length > 0 && bytesOf(mine) + bytesOf(others) > skills.pageBytes) {
      return { ...own, nextCursor: encodeCursor(RESOURCES_LIST, THEIRS_FIRST) };
    }
    // How fresh the caller's list is, only the caller knows; the SDK fills in what the caller did not say.
    return { ...next, resources: [...mine, ...others] };
  };
  return (params, context, theirs) =>
    page(params, context, theirs).catch((error: unknown) => {
      // What the caller's handler throws is the caller's to word.
      throw isSkillError(error) ? toProtocolError(error, { method }, skills.logger) : error;
    });
}

/** The caller's resources without those whose URI is a skill's file: ours answers for them. */
function withoutOurs(resources: readonly unknown[], { isServed }: AttachedSkills): readonly unknown[] {
  return resources.filter((resource) => {
    const uri =
      typeof resource === 'object' && resource !== null && 'uri' in resource ? resource.uri : undefined;
    return typeof uri !== 'string' || !isSkillScheme(uri) || !isServed(uri);
  });
}

/** Our template on the first page, before the caller's. */
function templatesFront(ours: WireHandler): FrontHandler {
  const method = 'resources/templates/list';
  return async (params, context, theirs) => {
    if (theirs === undefined) return ours(params, context);
    if (params.cursor !== undefined) return theirs({ method, params }, context);
    const mine = itemsOf(await ours(params, context), 'resourceTemplates');
    const page = await theirs({ method, params }, context);
    const others = itemsOf(page, 'resourceTemplates').filter((each) => !isOurTemplate(each));
    return { ...page, resourceTemplates: [...mine, ...others] };
  };
}

function isOurTemplate(template: unknown): boolean {
  return (
    typeof template === 'object' &&
    template !== null &&
    'uriTemplate' in template &&
    template.uriTemplate === SKILL_TEMPLATE
  );
}

/** `skill:` URIs, untouched as they came, are ours; the caller is asked for one of them only when no skill has it. */
function readFront(ours: WireHandler): FrontHandler {
  const method = 'resources/read';
  return async (params, context, theirs) => {
    const { uri } = params;
    if (theirs === undefined) return ours(params, context);
    if (typeof uri !== 'string' || !isSkillScheme(uri)) return theirs({ method, params }, context);
    try {
      return await ours(params, context);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return theirs({ method, params }, context).catch((other: unknown) => {
        throw isInvalidParams(other) ? error : other;
      });
    }
  };
}

/** Completions for our template are ours. */
function completionFront(ours: WireHandler): FrontHandler {
  const method = 'completion/complete';
  return async (params, context, theirs) => {
    const { ref } = params;
    const mine =
      typeof ref === 'object' && ref !== null && 'uri' in ref && ref.uri === SKILL_TEMPLATE && 'type' in ref;
    return theirs === undefined || mine ? ours(params, context) : theirs({ method, params }, context);
  };
}

function isSkillScheme(uri: string): boolean {
  return /^skill:/i.test(uri);
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === ERROR_TABLE.RESOURCE_NOT_FOUND.rpc;
}

/** Ours says more than `uri` in every other case. */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof ProtocolError) || !isInvalidParams(error)) return false;
  const { data } = error;
  return typeof data === 'object' && data !== null && 'uri' in data && !('code' in data);
}

function itemsOf(result: Result, key: string): readonly unknown[] {
  const items = result[key];
  return Array.isArray(items) ? items : [];
}

function bytesOf(items: readonly unknown[]): number {
  let bytes = 0;
  for (const item of items) bytes += typeof item === 'object' && item !== null ? jsonBytes(item) + 1 : 0;
  return bytes;
}
