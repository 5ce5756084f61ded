/**
 * Every place where Skillwire leans on something of the SDK that has no public way: what they are, and nothing else.
 * Named in `docs/design/decisions.md`; `tests/server/sdk-access.test.ts` fails when one of them moves.
 *
 * @module
 */

import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
import { McpServer, type Result, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { SkillError } from '../errors.ts';

/** A request as the SDK hands it to a stored handler. */
export interface StoredRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A handler as the SDK stores it: it validates the request itself. */
export type StoredHandler = (request: StoredRequest, context: ServerContext) => Promise<Result>;

/** A handler that stands before the one a caller registered, or may register later. */
export type FrontHandler = (
  params: Readonly<Record<string, unknown>>,
  context: ServerContext,
  theirs: StoredHandler | undefined,
  /** The caller's handler of another fronted method. */
  behind: (method: string) => StoredHandler | undefined,
) => Result | Promise<Result>;

/** Takes any parameters: handlers check their own, because the SDK's messages quote its validation library. */
export const ANY_PARAMS: StandardSchemaV1<Record<string, unknown>, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'skillwire',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};

interface HandlerStore {
  _getRequestHandler?(method: string): StoredHandler | undefined;
}

interface HandlerWrapper {
  _wrapHandler?: ((method: string, handler: StoredHandler) => StoredHandler) | undefined;
}

type Register = (method: string, schemas: { readonly params: typeof ANY_PARAMS }, handler: unknown) => void;

/**
 * Registers a handler that judges its parameters by itself, whatever they are.
 *
 * A `Server` judges those of `tools/call` before any handler, in the words of its validation library, and as an error of
 * the protocol, which no model reads. What it would refuse goes to the handler instead.
 *
 * @example
 * setOwnHandler(server, 'tools/call', (params, context) => call(params, context))
 */
export function setOwnHandler(
  server: Server,
  method: string,
  handler: (params: Record<string, unknown>, context: ServerContext) => Result | Promise<Result>,
  register: Register = server.setRequestHandler.bind(server) as Register,
): void {
  const wrapper = server as unknown as HandlerWrapper;
  const wrap = method === 'tools/call' ? wrapper._wrapHandler?.bind(server) : undefined;
  if (wrap === undefined) {
    register(method, { params: ANY_PARAMS }, handler);
    return;
  }
  const own = Object.getOwnPropertyDescriptor(server, '_wrapHandler');
  wrapper._wrapHandler = (name, stored) => {
    const judged = wrap(name, stored);
    return (request, context) => (isToolCall(request) ? judged : stored)(request, context);
  };
  try {
    register(method, { params: ANY_PARAMS }, handler);
  } finally {
    if (own === undefined) delete wrapper._wrapHandler;
    else Object.defineProperty(server, '_wrapHandler', own);
  }
}

function isToolCall({ params = {} }: StoredRequest): boolean {
  const { name, arguments: given } = params;
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return typeof name === 'string' && (given === undefined || isObject);
}

/** The handler that the SDK would call for `method`. The accessor is protected: there is no public one. */
export function storedHandler(server: Server, method: string): StoredHandler | undefined {
  const store = server as unknown as HandlerStore;
  if (typeof store._getRequestHandler !== 'function') {
    throw new SkillError('INTERNAL', 'this version of the MCP SDK keeps its request handlers somewhere else');
  }
  return store._getRequestHandler(method);
}

/** Whether the server handles `method`. */
export function hasHandler(server: Server, method: string): boolean {
  try {
    server.assertCanSetRequestHandler(method);
    return false;
  } catch {
    return true;
  }
}

/**
 * The low-level server of either kind, or undefined for what is none: a client, a server of the SDK's first version, a
 * `McpServer` of another copy of the package.
 */
export function lowLevel(target: McpServer | Server): Server | undefined {
  const server: unknown = target instanceof McpServer ? target.server : target;
  return isServer(server) ? server : undefined;
}

const SERVER_METHODS = ['_getRequestHandler', 'registerCapabilities', 'getClientCapabilities'];

function isServer(value: unknown): value is Server {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Readonly<Record<string, unknown>>;
  return SERVER_METHODS.every((name) => typeof members[name] === 'function');
}

/**
 * Puts a handler before a caller's own for each method, whether the caller registered it already or does so later.
 *
 * `McpServer` installs its handlers when the first resource or completion is registered, and refuses to when one is
 * there; so the three methods that register handlers are shadowed on this one server: for a fronted method they keep
 * the caller's handler behind ours.
 *
 * @example
 * frontHandlers(server, new Map([['resources/read', (params, context, theirs) => read(params) ?? theirs?.(…)]]))
 */
export function frontHandlers(server: Server, fronts: ReadonlyMap<string, FrontHandler>): void {
  const set = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  const assertFree = server.assertCanSetRequestHandler.bind(server);
  const remove = server.removeRequestHandler.bind(server);
  const behind = new Map<string, StoredHandler>();

  const keepBehind = (method: string): void => {
    const handler = storedHandler(server, method);
    if (handler !== undefined) behind.set(method, handler);
  };
  const putFront = (method: string, front: FrontHandler): void => {
    const handler = (params: Record<string, unknown>, context: ServerContext): ReturnType<FrontHandler> =>
      front(params, context, behind.get(method), (other) => behind.get(other));
    setOwnHandler(server, method, handler, set);
  };

  for (const [method, front] of fronts) {
    keepBehind(method);
    putFront(method, front);
  }

  server.setRequestHandler = ((method: string, ...rest: unknown[]): void => {
    set(method, ...rest);
    const front = fronts.get(method);
    if (front === undefined) return;
    keepBehind(method);
    putFront(method, front);
  }) as typeof server.setRequestHandler;
  server.assertCanSetRequestHandler = (method: string): void => {
    // Ours is stored in any case; only one of the caller's is in the caller's way.
    if (!fronts.has(method) || behind.has(method)) assertFree(method);
  };
  server.removeRequestHandler = (method: string): void => {
    if (fronts.has(method)) behind.delete(method);
    else remove(method);
  };
}
