/**
 * What shows skills to clients that cannot read resources, and to which clients.
 *
 * @module
 */
import type { McpServer, Server, ServerContext } from '@modelcontextprotocol/server';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { EXTENSION_ID } from '../wire/index.ts';
import type { SkillMethod } from './handlers.ts';
import type { WireHandler } from './register.ts';
import { lowLevel } from './sdk-access.ts';

/** A way for clients that cannot read resources: `tools` for models, `prompts` for people. */
export type ExposedWay = 'tools' | 'prompts';

/** All of them. */
export const EXPOSED_WAYS: readonly ExposedWay[] = ['tools', 'prompts'];

/** Who is shown them: those that do not declare the skills extension, or everybody. */
export type ExposeTo = 'clients-without-skills' | 'all';

/** Both. */
export const EXPOSE_TO: readonly ExposeTo[] = ['clients-without-skills', 'all'];

/** What is exposed. */
export interface Exposure {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly to: ExposeTo;
}

/** The options that {@link exposureOf} judges. */
export interface ExposureOptions {
  readonly expose?: readonly ExposedWay[];
  readonly exposeTo?: ExposeTo;
  readonly instructions?: boolean | string;
}

/**
 * What the options expose. Errors: `USAGE` for a way or an audience that does not exist, for an audience with nothing to
 * show it, and for `instructions` that are empty or too long.
 *
 * @example
 * exposureOf({ expose: ['tools'] }) // { tools: true, prompts: false, to: 'clients-without-skills' }
 */
export function exposureOf({ expose = [], exposeTo, instructions }: ExposureOptions): Exposure {
  for (const way of expose) {
    if (EXPOSED_WAYS.includes(way)) continue;
    throw new SkillError(
      'USAGE',
      `expose names ${JSON.stringify(way)}; there are ${EXPOSED_WAYS.join(' and ')}`,
    );
  }
  if (exposeTo !== undefined && !EXPOSE_TO.includes(exposeTo)) {
    throw new SkillError('USAGE', `exposeTo is ${JSON.stringify(exposeTo)}; it is ${EXPOSE_TO.join(' or ')}`);
  }
  if (exposeTo !== undefined && expose.length === 0) {
    throw new SkillError('USAGE', 'exposeTo says who sees what expose names, which is nothing');
  }
  requireInstructions(instructions);
  return {
    tools: expose.includes('tools'),
    prompts: expose.includes('prompts'),
    to: exposeTo ?? 'clients-without-skills',
  };
}

function requireInstructions(instructions: boolean | string | undefined): void {
  if (typeof instructions !== 'string') return;
  const limit = LIMITS.instructionsLength;
  if (instructions.length > limit) {
    throw new SkillError(
      'USAGE',
      `instructions have ${instructions.length} characters; clients are sent at most ${limit}`,
    );
  }
  if (instructions.trim() === '') {
    throw new SkillError('USAGE', 'instructions are empty; false sends none');
  }
}

/** The handlers for clients that are shown what is exposed, and for those that are not. */
export interface HandlersByClient {
  readonly shown: ReadonlyMap<SkillMethod, WireHandler>;
  readonly withheld: ReadonlyMap<SkillMethod, WireHandler>;
}

/** Methods whose answer depends on what a client is shown. */
const VARYING: ReadonlySet<SkillMethod> = new Set<SkillMethod>([
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]);

/**
 * The handlers of one server, which ask at each request what its client declared: in the envelope of that request since
 * 2026-07-28, in `initialize` before. A client that declared nothing that is known is shown everything.
 *
 * @example
 * registerHandlers(server, handlersFor(server, exposure, handlers))
 */
export function handlersFor(
  target: McpServer | Server,
  exposure: Exposure,
  { shown, withheld }: HandlersByClient,
): ReadonlyMap<SkillMethod, WireHandler> {
  if (exposure.to === 'all' || !(exposure.tools || exposure.prompts)) return shown;
  const server = lowLevel(target);
  const chosen = new Map(shown);
  for (const [method, handler] of shown) {
    const other = withheld.get(method);
    if (other === undefined || !VARYING.has(method)) continue;
    chosen.set(method, (params, context) =>
      declaresSkills(server, context) ? other(params, context) : handler(params, context),
    );
  }
  return chosen;
}

/**
 * Whether the client of a request is shown what is exposed.
 *
 * @example
 * isShownTo(server, exposure, context) // false for a client that declares the extension, unless `to` is 'all'
 */
export function isShownTo(target: McpServer | Server, exposure: Exposure, context: ServerContext): boolean {
  return exposure.to === 'all' || !declaresSkills(lowLevel(target), context);
}

/** Where an envelope has what the client declares. */
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

function declaresSkills(server: Server | undefined, context: ServerContext): boolean {
  const envelope: unknown = context.mcpReq.envelope;
  const capabilities =
    envelope === undefined ? server?.getClientCapabilities() : memberOf(envelope, CLIENT_CAPABILITIES);
  const settings = memberOf(memberOf(capabilities, 'extensions'), EXTENSION_ID);
  return settings !== undefined && settings !== null;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}
