/**
 * The HTTP application: `/mcp`, `/.well-known`, `/healthz`, `/readyz`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';
import { createDrain } from './drain.ts';
import { failureText } from './failure.ts';
import { assertMayBind, createGuard, type Guard } from './guard.ts';
import { answerHealth } from './health.ts';
import type { LaneRequests } from './lane.ts';
import { laneRequests } from './lane-requests.ts';
import { type Listener, startListener, urlHost } from './listener.ts';
import { createMcpEndpoint, type Exchange, SHUTTING_DOWN } from './mcp.ts';
import { createModernHandlers } from './modern.ts';
import { createProviderLookup } from './provider-lookup.ts';
import { closeWithConnection } from './queued-response.ts';
import { refuse } from './reply.ts';
import { logWhenDone } from './request-log.ts';
import { createSessions } from './sessions.ts';
import { createStreamPlaces } from './streams.ts';
import { bearerToken, createAuthenticator, UNAUTHORIZED, WRONG_TOKEN } from './token.ts';
import { answerWellKnown, isWellKnownPath } from './well-known.ts';

/** Who sent a request, as the token check found it. Two requests with equal `id` are the same principal. */
export interface Principal {
  readonly id: string;
}

const DEFAULT_HOST = '127.0.0.1';
const MCP_PATH = '/mcp';
/** Time for the last words of ended streams to leave. */
const FLUSH_MS = 1_000;
/** Packing for the well-known index waits until the first requests of a start have had their answers. */
const PREPARE_MS = 1_000;

/** Options of {@link createHttpApp}. */
export interface HttpAppOptions {
  /** A provider for everybody, or the provider of a principal (then `cacheScope: 'public'` is refused). */
  readonly provider: SkillProvider | ((principal: Principal) => SkillProvider | Promise<SkillProvider>);
  /** Required bearer token, compared in constant time, or a function that finds the principal of a token. @default none */
  readonly token?: string | ((token: string) => Principal | undefined | Promise<Principal | undefined>);
  /** Names accepted in `Host` and `Origin` beside loopback ones and `boundHost`. */
  readonly allowedHosts?: readonly string[];
  /** The address that the server is bound to; what `listen` binds to unless told otherwise. @default '127.0.0.1' */
  readonly boundHost?: string;
  /** Serve without a token on an address that is not loopback; `allowedHosts` must then be given. @default false */
  readonly allowAnonymous?: boolean;
  /**
   * Let everybody read the well-known indexes and what they name: without token, under any `Host`, from pages of any
   * origin. **WARNING**: every page that a person on this machine visits can read the listed skills then. Wants one
   * provider for everybody. @default false
   */
  readonly publicWellKnown?: boolean;
  /** Cap of a request body in bytes; 0 or absent is the default, -1 is off. @default 4 MiB */
  readonly maxRequestBytes?: number;
  /** A 2025-era session without request or stream ends after this many ms; 0 or absent is the default, -1 is off. @default 30 min */
  readonly sessionIdleMs?: number;
  /** 2025-era sessions held at once; 0 or absent is the default, -1 is off. @default 1,000 */
  readonly maxSessions?: number;
  /** Streams held open at once, both eras; 0 or absent is the default, -1 is off. @default 1,024 */
  readonly maxOpenStreams?: number;
  /** Whether `/readyz` may say ok; asked each time. @default always until `close` */
  readonly ready?: () => boolean;
  /** A clock in ms that only goes forward; session idle time is measured by it. @default performance.now */
  readonly now?: () => number;
  /** Hears one line a request at debug, failures at error; never a token or a session id. @default silent */
  readonly logger?: Logger;
}

/** The running application. */
export interface HttpApp {
  /** Handles one request of a `node:http` server. Never rejects. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Listens; port 0 picks one. Errors: `LISTEN_FAILED`, `BIND_REFUSED`. */
  listen(options?: {
    readonly host?: string;
    readonly port?: number;
  }): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /** Stops accepting, lets requests under way end within `drainMs` (default 5,000), ends streams, then closes. Twice is fine. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * An HTTP application that serves a provider's skills at `/mcp` and, for installers that know nothing of MCP, below
 * `/.well-known`, beside `/healthz` and `/readyz`.
 *
 * `/mcp` takes stateless requests of protocol version 2026-07-28 and sessions of 2025-era clients. Nothing listens
 * until `listen` is called; `handler` fits a `node:http` server of the caller's, before which `boundHost` must be said.
 * The provider stays the caller's to close, after the application.
 *
 * Errors: `BIND_REFUSED` for a `boundHost` that is not loopback without token (decision 11), `USAGE` for a token or an
 * allowed host that no request can carry, and for `publicWellKnown` with a provider function, which has no skills for
 * nobody in particular. A provider function whose provider has `cacheScope: 'public'` makes each
 * request fail with `PUBLIC_CACHE_REFUSED`.
 *
 * @example
 * const app = createHttpApp({ provider })
 * const { url } = await app.listen({ port: 8750 }) // http://127.0.0.1:8750/mcp
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const logger = options.logger ?? silentLogger;
  const hears = logger.debug !== silentLogger.debug;
  const allowedHosts = options.allowedHosts ?? [];
  const hasToken = options.token !== undefined;
  const bindRules = { hasToken, allowAnonymous: options.allowAnonymous ?? false, allowedHosts };
  const guardFor = (boundHost: string): Guard => {
    assertMayBind(boundHost, bindRules);
    return createGuard({ boundHost, allowedHosts, hasToken });
  };

  let guard = guardFor(options.boundHost ?? DEFAULT_HOST);
  const principalOf = createAuthenticator(options.token);
  const forEverybody = publicProvider(options);
  const providerOf = createProviderLookup(options.provider);
  const maxOpenStreams = capOf(options.maxOpenStreams, LIMITS.openStreams);
  const drain = createDrain();
  const modern = createModernHandlers({ logger });
  const sessions = createSessions({
    maxSessions: capOf(options.maxSessions, LIMITS.sessions),
    idleMs: capOf(options.sessionIdleMs, LIMITS.sessionIdleMs),
    now: options.now ?? (() => performance.now()),
    logger,
  });
  const maxRequestBytes = capOf(options.maxRequestBytes, LIMITS.requestBytes);
  const endpoint = createMcpEndpoint({
    providerOf,
    sessions,
    modern,
    places: createStreamPlaces(maxOpenStreams),
    maxRequestBytes,
    onStream: (response) => drain.becameStream(response),
    logger,
  });

  let closing = false;
  let closed: Promise<void> | undefined;
  let listener: Listener | undefined;
  let listening = false;
  let preparing: NodeJS.Timeout | undefined;
  let cutShort: () => void = () => undefined;

  const shutDown = async (quiet: Promise<void>): Promise<void> => {
    await quiet;
    await modern.close();
    await sessions.close();
    await drain.empty(FLUSH_MS);
    await listener?.end();
  };

  const isReady = (): boolean => (options.ready?.() ?? true) && !closing;

  /** Nothing when there is nothing to wait for: of a request that is answered at once, waiting is a large part. */
  const handle = (
    request: IncomingMessage,
    response: ServerResponse,
    onRead?: () => void,
  ): Promise<void> | undefined => {
    const facts: Record<string, unknown> = {};
    const path = pathOf(request.url ?? '');
    if (hears) logWhenDone(request, response, path, facts, logger);
    if (path !== MCP_PATH && answerHealth(path, request, response, isReady)) return undefined;
    if (closing) {
      refuse(request, response, SHUTTING_DOWN);
      return undefined;
    }
    drain.track(response);
    if (forEverybody !== undefined && isWellKnownPath(path)) {
      // Nothing is to be guarded: everybody may have it.
      return answerWellKnown(request, response, forEverybody.wellKnown, { isPublic: true, hasToken: false });
    }
    const refusal = guard.check(request);
    if (refusal !== undefined) {
      refuse(request, response, refusal);
      return undefined;
    }
    const found = principalOf(request);
    const arrived = { request, response, facts, onRead };
    return found instanceof Promise
      ? found.then((principal) => admit(arrived, path, principal))
      : admit(arrived, path, found);
  };

  const admit = (
    { request, response, facts, onRead }: Omit<Exchange, 'principal'>,
    path: string,
    principal: Principal | undefined,
  ): Promise<void> | undefined => {
    if (principal === undefined) {
      refuse(request, response, bearerToken(request) === undefined ? UNAUTHORIZED : WRONG_TOKEN);
      return undefined;
    }
    if (path === MCP_PATH) {
      endpoint({ request, response, facts, onRead, principal });
      return undefined;
    }
    if (isWellKnownPath(path)) return answerGuarded(request, response, principal);
    refuse(request, response, {
      status: 404,
      code: -32000,
      message: 'Not found: the MCP endpoint is /mcp',
    });
    return undefined;
  };

  const answerGuarded = async (
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): Promise<void> => {
    const { wellKnown } = await providerOf(principal);
    await answerWellKnown(request, response, wellKnown, { isPublic: false, hasToken });
  };

  /** None where each request has a line in the log, or another provider, or has to be waited for. */
  const lanesFor = (before: Guard): LaneRequests | undefined => {
    const { provider, token } = options;
    if (hears || typeof provider === 'function' || typeof token === 'function') return undefined;
    const isClosing = (): boolean => closing;
    const rules = { provider, guard: before, principalOf, maxRequestBytes, isClosing, drain, logger };
    return laneRequests(rules);
  };

  const onResponseError = (error: Error): void =>
    logger.debug('a response broke off', { error: error.message });

  const handler = (request: IncomingMessage, response: ServerResponse, onRead?: () => void): void => {
    response.on('error', onResponseError);
    closeWithConnection(request, response);
    const fail = (error: unknown): void => {
      logger.error('a request failed', { error: failureText(error) });
      refuse(request, response, { status: 500, code: -32603, message: 'Internal server error' });
    };
    try {
      handle(request, response, onRead)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };

  return {
    handler: (request, response) => handler(request, response),
    async listen({ host = options.boundHost ?? DEFAULT_HOST, port = 0 } = {}) {
      if (listening || closing) {
        throw new SkillError(
          'LISTEN_FAILED',
          closing ? 'the application is closed' : 'the application listens already',
        );
      }
      const next = guardFor(host);
      listening = true;
      try {
        listener = await startListener({ host, port }, handler, logger, lanesFor(next));
      } catch (error) {
        listening = false;
        throw error;
      }
      guard = next;
      if (closing) {
        await listener.end();
        throw new SkillError('LISTEN_FAILED', 'the application was closed while it began to listen');
      }
      const { provider } = options;
      if (typeof provider !== 'function') {
        preparing = setTimeout(() => provider.wellKnown?.prepare(), PREPARE_MS);
        preparing.unref();
      }
      return { host, port: listener.port, url: `http://${urlHost(host)}:${listener.port}${MCP_PATH}` };
    },
    async close({ drainMs = LIMITS.drainMs } = {}) {
      closing = true;
      clearTimeout(preparing);
      listener?.stop();
      closed ??= shutDown(new Promise((resolve) => (cutShort = resolve)));
      // A second call with less patience shortens the wait of the first.
      drain.quiet(drainMs).then(cutShort);
      await closed;
    },
  };
}

/** The provider whose well-known documents everybody may have. Errors: `USAGE`. */
function publicProvider({ provider, publicWellKnown }: HttpAppOptions): SkillProvider | undefined {
  if (publicWellKnown !== true) return undefined;
  if (typeof provider !== 'function') return provider;
  throw new SkillError(
    'USAGE',
    'publicWellKnown needs one provider for everybody, and the provider is a function of who asks',
  );
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}
