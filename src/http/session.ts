/**
 * One session of a 2025-era client: a server, its transport, and what is under way on it.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';
import { encodeListChanged } from '../wire/index.ts';
import { isEventStream } from './bridge.ts';
import { failureText } from './failure.ts';
import { cancelledIds, type RpcId, repeatedId, requestIds } from './rpc.ts';

/** A session. Answers are web responses; the caller writes them. */
export interface Session {
  /** Absent until `initialize` was accepted. */
  readonly id: string | undefined;
  /** Whether a request is under way or a stream is open. */
  readonly busy: boolean;
  /** Answers a POST whose body was parsed already. */
  post(request: Request, body: unknown): Promise<Response>;
  /** Answers a GET. When the answer is a stream, `streamEnded` is due once it ended. */
  openStream(request: Request): Promise<Response>;
  streamEnded(): void;
  /** Answers a DELETE. */
  delete(request: Request): Promise<Response>;
  /** Ends streams and requests under way. Twice is fine. */
  end(): Promise<void>;
}

/** Options of {@link openSession}. */
export interface SessionOptions {
  readonly provider: SkillProvider;
  /** Called when `initialize` was accepted, before it is answered. */
  readonly onOpen: (id: string, session: Session) => void;
  /** Called once the session ended, whoever ended it. */
  readonly onEnd: (session: Session) => void;
  readonly logger: Logger;
}

/** The answer for a session that does not exist, has ended, or is another principal's. */
export function sessionNotFound(): Response {
  return rpcError(404, -32001, 'Session not found');
}

/**
 * A session that waits for its `initialize`, on a server of its own.
 *
 * It mends three things of the SDK's transport, each of which would leave a request open for ever: two requests under
 * way with one id, a request the client cancelled, and a session that ends while it still owes an answer.
 *
 * @example
 * const session = await openSession({ provider, onOpen, onEnd, logger })
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { provider } = options;
  const server: Server = provider.createServer({ transport: 'http', listChanged: true });
  const underWay = new Set<RpcId>();
  const owed = new Set<() => void>();
  let requests = 0;
  let streams = 0;
  let ended = false;
  let closing = false;
  let seen = provider.listRevisions;

  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: (id) => options.onOpen(id, session),
  });

  /** The answer, or 404 when the session ends first. */
  const unlessEnded = (work: Promise<Response>): Promise<Response> =>
    new Promise((resolve, reject) => {
      const onEnd = (): void => resolve(sessionNotFound());
      owed.add(onEnd);
      work.then(resolve, reject).finally(() => owed.delete(onEnd));
    });

  const serve = async (request: Request, body: unknown, ids: readonly RpcId[]): Promise<Response> => {
    requests += 1;
    for (const id of ids) underWay.add(id);
    try {
      return await unlessEnded(transport.handleRequest(request, { parsedBody: body }));
    } finally {
      requests -= 1;
      for (const id of ids) underWay.delete(id);
      endWhenQuiet();
    }
  };

  /** Once the provider is closed the session ends, after the requests under way. */
  const endWhenQuiet = (): void => {
    if (!closing || requests > 0 || ended) return;
    server.close().catch((error: unknown) => {
      options.logger.warn('a session did not end cleanly', { error: failureText(error) });
    });
  };
  const forgetProvider = provider.onClose(() => {
    closing = true;
    endWhenQuiet();
  });

  /** The session may end first. */
  const tell = (notification: Parameters<Server['notification']>[0]): Promise<void> =>
    server.notification(notification).catch(() => undefined);

  const session: Session = {
    get id() {
      return transport.sessionId;
    },
    get busy() {
      return requests > 0 || streams > 0;
    },
    async post(request, body) {
      if (ended) return sessionNotFound();
      const ids = requestIds(body);
      if (repeatedId(ids, underWay)) {
        return rpcError(
          400,
          -32600,
          'Invalid Request: a request with this id is still under way in this session',
        );
      }
      const answer = await serve(request, body, ids);
      for (const id of cancelledIds(body)) {
        // A cancelled request gets no result; this ends its POST, and clients ignore what comes after their cancel.
        if (underWay.has(id)) await settle(transport, id);
      }
      return answer.ok ? answer : withoutData(answer);
    },
    async openStream(request) {
      if (ended) return sessionNotFound();
      const answer = await transport.handleRequest(request);
      if (!isEventStream(answer)) return withoutData(answer);
      streams += 1;
      // Changes between two streams of a session, or before its first, reached nobody, and which they were is over.
      const { resources, prompts } = provider.listRevisions;
      if (resources !== seen.resources) {
        const params = encodeListChanged({ version: provider.version });
        await tell({ method: 'notifications/resources/list_changed', params });
      }
      if (prompts !== seen.prompts) await tell({ method: 'notifications/prompts/list_changed' });
      return answer;
    },
    streamEnded() {
      streams -= 1;
      seen = provider.listRevisions;
    },
    async delete(request) {
      if (ended) return sessionNotFound();
      const answer = await transport.handleRequest(request);
      return answer.ok ? answer : withoutData(answer);
    },
    async end() {
      await server.close();
    },
  };

  const onClose = server.onclose;
  server.onclose = () => {
    onClose?.();
    if (ended) return;
    ended = true;
    forgetProvider();
    options.onEnd(session);
    for (const answer of [...owed]) answer();
  };
  server.onerror = (error) => options.logger.debug('a session reported an error', { error: error.message });
  await server.connect(transport);
  return session;
}

async function settle(transport: WebStandardStreamableHTTPServerTransport, id: RpcId): Promise<void> {
  const error = { code: -32000, message: 'Request cancelled' };
  await transport.send({ jsonrpc: '2.0', id, error }).catch(() => {
    // Answered in the meantime: then there is nothing to end.
  });
}

/** The SDK puts the text of caught errors into `data` of its HTTP-level refusals. */
async function withoutData(answer: Response): Promise<Response> {
  const parsed: unknown = await answer.json().catch(() => undefined);
  const error = typeof parsed === 'object' && parsed !== null && 'error' in parsed ? parsed.error : undefined;
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown };
  const headers = answer.headers.has('allow') ? { allow: answer.headers.get('allow') ?? '' } : {};
  return Response.json(
    {
      jsonrpc: '2.0',
      error: {
        code: typeof code === 'number' ? code : -32000,
        message: typeof message === 'string' ? message : 'Bad Request',
      },
      id: null,
    },
    { status: answer.status, headers },
  );
}

function rpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
