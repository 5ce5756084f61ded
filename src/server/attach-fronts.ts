/**
 * The methods that a caller's server and skills share: who answers what.
 *
 * @module
 */
import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import { ERROR_TABLE, SkillError } from '../errors.ts';
import type { AttachedSkills } from './attach.ts';
import { promptsFront, resourcesFront, templatesFront } from './attach-lists.ts';
import { toolFronts } from './attach-tools.ts';
import type { SkillMethod } from './handlers.ts';
import type { WireHandler } from './register.ts';
import type { FrontHandler } from './sdk-access.ts';
import type { Subscriptions } from './subscriptions.ts';

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
      : [...subscriptions.handlers(skills)].map(([method, handler]) => {
          return [method, subscriptionFront(method, handler, skills, subscriptions)] as const;
        });
  const prompts: readonly [string, FrontHandler][] = skills.handlers.has('prompts/list')
    ? [
        ['prompts/list', promptsFront(ours('prompts/list'), skills)],
        ['prompts/get', promptFront(ours('prompts/get'), skills)],
      ]
    : [];
  return new Map<string, FrontHandler>([
    ['resources/list', resourcesFront(ours('resources/list'), skills)],
    ['resources/templates/list', templatesFront(ours('resources/templates/list'), skills)],
    ['resources/read', readFront(ours('resources/read'), skills)],
    ['completion/complete', completionFront(ours('completion/complete'), skills)],
    ...prompts,
    ...subscribing,
    ...toolMethods(skills),
  ]);
}

/** The fronts of the tool methods, where tools are exposed. */
function toolMethods({ handlers, logger }: AttachedSkills): ReadonlyMap<string, FrontHandler> {
  const list = handlers.get('tools/list');
  const call = handlers.get('tools/call');
  return list === undefined || call === undefined ? new Map() : toolFronts({ list, call }, logger);
}

/** What is ours to tell of; of anything else the caller tells, or nobody. */
function subscriptionFront(
  method: string,
  ours: WireHandler,
  { uris }: AttachedSkills,
  subscriptions: Subscriptions,
): FrontHandler {
  return async (params, context, theirs) => {
    const { uri } = params;
    if (theirs === undefined) return ours(params, context);
    const mine = typeof uri === 'string' && uris.claims(uri) && (await subscriptions.concern(uri));
    return mine ? ours(params, context) : theirs({ method, params }, context);
  };
}

/** URIs of our forms, untouched as they came, are ours; the caller is asked for one of them only when nothing is there. */
function readFront(ours: WireHandler, { uris }: AttachedSkills): FrontHandler {
  const method = 'resources/read';
  return async (params, context, theirs) => {
    const { uri } = params;
    if (theirs === undefined) return ours(params, context);
    if (typeof uri !== 'string' || !uris.claims(uri)) return theirs({ method, params }, context);
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

/** A prompt that is not ours is the caller's. */
function promptFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const method = 'prompts/get';
  return async (params, context, theirs) =>
    theirs === undefined || skills.hasPrompt(params.name, context)
      ? ours(params, context)
      : theirs({ method, params }, context);
}

/** Completions for our templates and prompts are ours. */
function completionFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const method = 'completion/complete';
  return async (params, context, theirs) => {
    const { ref } = params;
    const mine = typeof ref === 'object' && ref !== null && 'type' in ref && isOurs(ref, context, skills);
    return theirs === undefined || mine ? ours(params, context) : theirs({ method, params }, context);
  };
}

function isOurs(
  ref: { readonly type: unknown; readonly uri?: unknown; readonly name?: unknown },
  context: ServerContext,
  { uris, hasPrompt }: AttachedSkills,
): boolean {
  if (ref.type === 'ref/prompt') return hasPrompt(ref.name, context);
  return typeof ref.uri === 'string' && uris.hasTemplate(ref.uri);
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
