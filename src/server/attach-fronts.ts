/**
 * The methods that a caller's server and skills share: who answers what.
 *
 * @module
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import { ERROR_TABLE, SkillError } from '../errors.ts';
import type { AttachedSkills } from './attach.ts';
import { isSkillScheme, isSkillTemplate, resourcesFront, templatesFront } from './attach-lists.ts';
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
          return [method, subscriptionFront(method, handler, subscriptions)] as const;
        });
  return new Map<string, FrontHandler>([
    ['resources/list', resourcesFront(ours('resources/list'), skills)],
    ['resources/templates/list', templatesFront(ours('resources/templates/list'), skills)],
    ['resources/read', readFront(ours('resources/read'))],
    ['completion/complete', completionFront(ours('completion/complete'), skills)],
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

/** Completions for our templates are ours. */
function completionFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const method = 'completion/complete';
  return async (params, context, theirs) => {
    const { ref } = params;
    const mine =
      typeof ref === 'object' &&
      ref !== null &&
      'type' in ref &&
      'uri' in ref &&
      typeof ref.uri === 'string' &&
      isSkillTemplate(ref.uri, skills);
    return theirs === undefined || mine ? ours(params, context) : theirs({ method, params }, context);
  };
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
