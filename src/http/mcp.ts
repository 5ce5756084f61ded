/**
 * `/mcp`: one path for stateless modern requests and for sessions of 2025-era clients.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERROR_TABLE, isSkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';
import { takesGzip } from './accept-encoding.ts';
import type { Principal } from './app.ts';
import { readJsonBody } from './body.ts';
import { goneSignal, isEventStream, toWebRequest, writeAnswer } from './bridge.ts';
import { failureText } from './failure.ts';
import { answeredFast, sendTo } from './fast.ts';
import type { ModernHandlers } from './modern.ts';
import type { ProviderLookup } from './provider-lookup.ts';
import { type Refusal, refuse } from './reply.ts';
import { answerId, isInitialize, isLegacy, methodOf } from './rpc.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { STREAMS_TAKEN, type StreamPlaces } from './streams.ts';

/** One request that passed the guard. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal;
  /** Tells a client that waits for it to send its body; undefined when it sends it anyway. */
  readonly onRead: (() => void) | undefined;
  /** Facts for the log: `era`, `rpc`. */
  readonly facts: Record<string, unknown>;
}

/** Options of {@link createMcpEndpoint}. */
export interface McpEndpointOptions {
  readonly providerOf: ProviderLookup;
  readonly sessions: Sessions;
  readonly modern: ModernHandlers;
  readonly places: StreamPlaces;
  readonly maxRequestBytes: number;
  /** Called when the answer becomes a stream, which a shutdown does not wait for. */
  readonly onStream: (response: ServerResponse) => void;
  readonly logger: Logger;
}

const METHODS = 'GET, POST, DELETE';
const SESSION_NOT_FOUND: Refusal = { status: 404, code: -32001, message: 'Session not found' };
const SESSION_REQUIRED: Refusal = {
  status: 400,
  code: -32000,
  message: 'Bad Request: send the Mcp-Session-Id that initialize answered with',
};
const SESSIONS_TAKEN: Refusal = {
  status: 503,
  code: -32603,
  message: 'Service Unavailable: as many sessions are open as this server holds',
  headers: { 'retry-after': '30' },
};
const PROVIDER_CLOSED: Refusal = {
  status: 503,
  code: ERROR_TABLE.PROVIDER_CLOSED.rpc,
  message: 'Service Unavailable: the provider is closed',
  data: { code: 'PROVIDER_CLOSED' },
};
const CLOSING: Refusal = {
  status: 503,
  code: -32603,
  message: 'Service Unavailable: the server is shutting down',
  headers: { 'retry-after': '5', connection: 'close' },
};

/** The refusal of every request once the server is shutting down. */
export { CLOSING as SHUTTING_DOWN };

/**
 * The endpoint: answers an exchange, whatever happens in it, and throws nothing. What can be answered at once is answered
 * before the turn of the event loop that brought the last byte of the request is over.
 *
 * A session belongs to the principal that opened it; to everybody else it does not exist.
 *
 * @example
 * createMcpEndpoint(options)(exchange)
 */
export function createMcpEndpoint(options: McpEndpointOptions): (exchange: Exchange) => void {
  const { sessions, modern, places, providerOf, onStream, logger } = options;

  const post = (exchange: Exchange): void => {
    const { request, response, onRead } = exchange;
    readJsonBody(request, { maxBytes: options.maxRequestBytes, onRead }, (outcome) => {
      if ('refusal' in outcome) refuse(request, response, outcome.refusal);
      else answer(exchange, outcome.value);
    });
  };

  const answer = (exchange: Exchange, body: unknown): void => {
    const { request, facts } = exchange;
    facts.rpc = methodOf(body)?.slice(0, 100);
    try {
      const legacy = isLegacy(request.headers, body);
      facts.era = legacy ? 'legacy' : 'modern';
      const under = legacy ? postInSession(exchange, body) : postModern(exchange, body);
      under?.catch((error: unknown) => fail(exchange, error, body));
    } catch (error) {
      fail(exchange, error, body);
    }
  };

  /** Nothing when it was answered at once. */
  const postModern = (exchange: Exchange, body: unknown): Promise<void> | undefined => {
    const found = providerOf(exchange.principal);
    return found instanceof Promise
      ? found.then((provider) => answerFrom(provider, exchange, body))
      : answerFrom(found, exchange, body);
  };

  const answerFrom = (
    provider: SkillProvider,
    exchange: Exchange,
    body: unknown,
  ): Promise<void> | undefined => {
    const { headers } = exchange.request;
    const send = sendTo(exchange.response, takesGzip(headers['accept-encoding']));
    const answered = answeredFast(provider, headers, body, send);
    if (answered === true) return undefined;
    if (answered === false) return answerBySdk(provider, exchange, body);
    return answered.then((done) => (done ? undefined : answerBySdk(provider, exchange, body)));
  };

  const answerBySdk = async (provider: SkillProvider, exchange: Exchange, body: unknown): Promise<void> => {
    const { request, response } = exchange;
    const signal = goneSignal(response);
    const web = toWebRequest(request, signal);
    if (methodOf(body) !== 'subscriptions/listen') {
      const { handler, leave } = modern.enter(provider, { listens: false });
      try {
        const answer = await handler.fetch(web, { parsedBody: body });
        // 499 stands for a request that was dropped before it had an answer; a client still there must hear why.
        if (answer.status === 499 && !signal.aborted) refuse(request, response, withId(CLOSING, body));
        else await writeAnswer(answer, response);
      } finally {
        leave();
      }
      return;
    }
    // A stream of a closed provider would stand open and never say anything.
    if (provider.closed) {
      refuse(request, response, withId(PROVIDER_CLOSED, body));
      return;
    }
    const giveBack = places.take();
    if (giveBack === undefined) {
      refuse(request, response, withId(STREAMS_TAKEN, body));
      return;
    }
    const { handler, leave } = modern.enter(provider, { listens: true });
    try {
      const answer = await handler.fetch(web, { parsedBody: body });
      if (isEventStream(answer)) onStream(response);
      await writeAnswer(answer, response);
    } finally {
      leave();
      giveBack();
    }
  };

  const postInSession = async (exchange: Exchange, body: unknown): Promise<void> => {
    const { request, response, principal } = exchange;
    const id = sessionId(request);
    const web = toWebRequest(request, new AbortController().signal);
    if (id !== undefined) {
      const session = sessions.find(id, principal);
      if (session === undefined) {
        refuse(request, response, withId(SESSION_NOT_FOUND, body));
        return;
      }
      try {
        await writeAnswer(await session.post(web, body), response);
      } finally {
        sessions.touch(session);
      }
      return;
    }
    if (!isInitialize(body)) {
      refuse(request, response, withId(SESSION_REQUIRED, body));
      return;
    }
    const provider = await providerOf(principal);
    if (provider.closed) {
      refuse(request, response, withId(PROVIDER_CLOSED, body));
      return;
    }
    const answer = await sessions.open({ principal, provider, request: web, body });
    if (answer === undefined) refuse(request, response, withId(SESSIONS_TAKEN, body));
    else await writeAnswer(answer, response);
  };

  const openStream = async (exchange: Exchange, session: Session): Promise<void> => {
    const { request, response } = exchange;
    const giveBack = places.take();
    if (giveBack === undefined) {
      refuse(request, response, STREAMS_TAKEN);
      return;
    }
    try {
      const answer = await session.openStream(toWebRequest(request, goneSignal(response)));
      if (!isEventStream(answer)) {
        await writeAnswer(answer, response);
        return;
      }
      onStream(response);
      try {
        await writeAnswer(answer, response);
      } finally {
        session.streamEnded();
      }
    } finally {
      giveBack();
      sessions.touch(session);
    }
  };

  /** GET and DELETE: the two things one does with a session beside posting to it. */
  const useSession = async (exchange: Exchange): Promise<void> => {
    const { request, response, principal, facts } = exchange;
    facts.era = 'legacy';
    const id = sessionId(request);
    if (id === undefined) {
      refuse(request, response, SESSION_REQUIRED);
      return;
    }
    const session = sessions.find(id, principal);
    if (session === undefined) {
      refuse(request, response, SESSION_NOT_FOUND);
      return;
    }
    if (request.method === 'GET') await openStream(exchange, session);
    else await writeAnswer(await session.delete(toWebRequest(request, goneSignal(response))), response);
  };

  const fail = (exchange: Exchange, error: unknown, body: unknown): void => {
    logger.error('a request failed', { error: failureText(error) });
    const known = isSkillError(error, 'PUBLIC_CACHE_REFUSED');
    refuse(exchange.request, exchange.response, {
      status: 500,
      code: ERROR_TABLE.INTERNAL.rpc,
      message: known ? ERROR_TABLE.PUBLIC_CACHE_REFUSED.message : 'Internal server error',
      ...(known ? { data: { code: 'PUBLIC_CACHE_REFUSED' } } : {}),
      ...idOf(body),
    });
  };

  return (exchange) => {
    const { request, response } = exchange;
    const { method } = request;
    if (method === 'POST') {
      post(exchange);
      return;
    }
    const asksModern =
      sessionId(request) === undefined && request.headers['mcp-protocol-version'] === MODERN_VERSION;
    if ((method === 'GET' || method === 'DELETE') && !asksModern) {
      useSession(exchange).catch((error: unknown) => fail(exchange, error, undefined));
      return;
    }
    refuse(request, response, {
      status: 405,
      code: -32000,
      message: 'Method not allowed',
      headers: { allow: asksModern ? 'POST' : METHODS },
    });
  };
}

/** The version in which `/mcp` has neither streams to GET nor sessions to DELETE. */
const MODERN_VERSION = '2026-07-28';

function sessionId(request: IncomingMessage): string | undefined {
  const value = request.headers['mcp-session-id'];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function idOf(body: unknown): { readonly id?: string | number } {
  const id = answerId(body);
  return id === undefined ? {} : { id };
}

function withId(refusal: Refusal, body: unknown): Refusal {
  return { ...refusal, ...idOf(body) };
}
