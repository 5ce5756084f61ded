/**
 * From the SDK's handler to ours: the facts of a request, errors made safe, the capability.
 *
 * @module
 */
import type { Result, Server, ServerCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { EXTENSION_ID } from '../wire/index.ts';
import type { Era, SurfaceContext } from './context.ts';
import { toProtocolError } from './errors.ts';
import type { SkillHandler, SkillMethod } from './handlers.ts';
import type { RawParams } from './params.ts';
import { setOwnHandler } from './sdk-access.ts';
import type { PromptSet } from './surfaces/prompt-list.ts';

/** A handler in the shape that the SDK takes. */
export type WireHandler = (params: RawParams, context: ServerContext) => Promise<Result>;

/** What {@link wireHandlers} and {@link registerHandlers} need. */
export interface WireHandlersOptions {
  readonly handlers: Readonly<Partial<Record<SkillMethod, SkillHandler>>>;
  /** The context of a request of this era. */
  readonly contextOf: (era: Era) => SurfaceContext;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/** `modern` when the request carries the envelope of 2026-07-28. */
export function eraOf(context: ServerContext): Era {
  return context.mcpReq.envelope === undefined ? 'legacy' : 'modern';
}

/**
 * The settings of the extension, inline under its identifier, as capabilities carry them (requirements S1, S3).
 *
 * @example
 * skillsCapability({ directoryRead: true }) // { 'io.modelcontextprotocol/skills': { directoryRead: true } }
 */
export function skillsCapability(
  options: { readonly directoryRead?: boolean } = {},
): Record<string, { readonly directoryRead?: true }> {
  return { [EXTENSION_ID]: options.directoryRead === true ? { directoryRead: true } : {} };
}

/** What {@link capabilitiesOf} declares. */
export interface Declared {
  /** The methods of the extension are there: declaring the extension promises them (requirement S2). */
  readonly released: boolean;
  readonly directoryRead: boolean;
  /** Changes are told: of lists, and of single resources to who subscribes to them. */
  readonly listChanged: boolean;
  /** What the prompt methods answer from; empty: there are none. */
  readonly promptSets: readonly PromptSet[];
  /** What answers the tool methods; absent: there are none. */
  readonly tools?: object | undefined;
}

/**
 * The capabilities that serving skills needs (requirement S4).
 *
 * @example
 * capabilitiesOf({ released: true, directoryRead: true, promptSets: [], listChanged: true })
 */
export function capabilitiesOf(declared: Declared): ServerCapabilities {
  return {
    resources: declared.listChanged ? { listChanged: true, subscribe: true } : {},
    completions: {},
    ...(declared.tools !== undefined && { tools: {} }),
    ...(declared.promptSets.length > 0 && { prompts: declared.listChanged ? { listChanged: true } : {} }),
    ...(declared.released && {
      extensions: skillsCapability(declared) as NonNullable<ServerCapabilities['extensions']>,
    }),
  };
}

/**
 * Each handler with everything it may throw turned into a protocol error.
 *
 * @example
 * for (const [method, handler] of wireHandlers(options)) …
 */
export function wireHandlers(options: WireHandlersOptions): ReadonlyMap<SkillMethod, WireHandler> {
  const wired = new Map<SkillMethod, WireHandler>();
  for (const [method, handler] of Object.entries(options.handlers) as [SkillMethod, SkillHandler][]) {
    wired.set(
      method,
      wireHandler(method, (params, era) => handler(params, options.contextOf(era)), options),
    );
  }
  return wired;
}

/**
 * A handler with everything it may throw turned into a protocol error, told as a request.
 *
 * @example
 * wireHandler('resources/subscribe', (params) => subscriptions.subscribe(params), { logger, telemetry })
 */
export function wireHandler(
  method: string,
  handler: (params: RawParams, era: Era) => object | Promise<object>,
  { logger, telemetry }: { readonly logger: Logger; readonly telemetry: Telemetry },
): WireHandler {
  const answer = async (params: RawParams, context: ServerContext): Promise<Result> => {
    try {
      return (await handler(params, eraOf(context))) as Result;
    } catch (error) {
      const uri = params.uri;
      throw toProtocolError(error, { method, ...(typeof uri === 'string' && { uri }) }, logger);
    }
  };
  return (params, context) => {
    const { sessionId, mcpReq } = context;
    return telemetry.request({ method, uri: params.uri, sessionId, meta: mcpReq._meta }, () =>
      answer(params, context),
    );
  };
}

/**
 * Registers the handlers on a server that has none of them yet.
 *
 * @example
 * registerHandlers(server, wireHandlers(options))
 */
export function registerHandlers(server: Server, handlers: ReadonlyMap<string, WireHandler>): void {
  for (const [method, handler] of handlers) setOwnHandler(server, method, handler);
}
