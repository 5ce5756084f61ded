/**
 * The HTTP application: `/mcp`, `/healthz`, `/readyz`.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/provider.ts';

/** Who sent a request, as the token check found it. Two requests with equal `id` are the same principal. */
export interface Principal {
  readonly id: string;
}

/** Options of {@link createHttpApp}. */
export interface HttpAppOptions {
  /** A provider for everybody, or the provider of a principal (then `cacheScope: 'public'` is refused). */
  readonly provider: SkillProvider | ((principal: Principal) => SkillProvider | Promise<SkillProvider>);
  /** Required bearer token, compared in constant time, or a function that finds the principal of a token. @default none */
  readonly token?: string | ((token: string) => Principal | undefined | Promise<Principal | undefined>);
  /** Names accepted in `Host` and `Origin` beside loopback ones and `boundHost`. */
  readonly allowedHosts?: readonly string[];
  /** The address that the server is bound to. @default '127.0.0.1' */
  readonly boundHost?: string;
  /** Serve without a token on an address that is not loopback; `allowedHosts` must then be given. @default false */
  readonly allowAnonymous?: boolean;
  readonly maxRequestBytes?: number;
  readonly sessionIdleMs?: number;
  readonly maxSessions?: number;
  readonly maxOpenStreams?: number;
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
