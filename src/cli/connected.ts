/**
 * A connection of the command line to a server.
 *
 * @module
 */
import { Client } from '@modelcontextprotocol/client';
import type { SkillsClientOptions } from '../client/index.ts';
import { SkillError } from '../errors.ts';
import { VERSION } from '../version.ts';
import type { SkillReader } from './skill-reader.ts';

/** Options of a client that every kind of target has. */
export interface ClientSettings
  extends Pick<
    SkillsClientOptions,
    'dialect' | 'plain' | 'requestTimeoutMs' | 'dynamic' | 'origin' | 'cacheBytes'
  > {
  /** Ends the connecting. */
  readonly signal?: AbortSignal;
}

/** The settings as options of connecting. */
export function connectOptions({ requestTimeoutMs, signal }: ClientSettings): {
  readonly timeout?: number;
  readonly signal?: AbortSignal;
} {
  return {
    ...(requestTimeoutMs === undefined ? {} : { timeout: requestTimeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** What opening a target gives. */
export interface Connected {
  readonly client: SkillReader;
  /** What is worth a word before the work begins. */
  readonly notes: readonly string[];
  /** What the other side said beside the protocol, the last lines of it. */
  said(): readonly string[];
  /** Ends the connection and what was started for it. Twice is fine. */
  close(): Promise<void>;
}

/** A new official client. `auto` asks which revision the server speaks, no longer than a request; `legacy` does not ask. */
export function newClient(mode: 'auto' | 'legacy', requestTimeoutMs: number = PROBE_MS): Client {
  const info = { name: 'skillwire', version: VERSION };
  const timeoutMs = Math.min(PROBE_MS, requestTimeoutMs);
  return mode === 'legacy'
    ? new Client(info)
    : new Client(info, { versionNegotiation: { mode, probe: { timeoutMs } } });
}

/** A server of an earlier revision that says nothing at all to an unknown request is asked no longer than this. */
const PROBE_MS = 20_000;

/** The error for a connection that did not come about; a `SkillError`, also one underneath, as it is. */
export function connectError(label: string, error: unknown, hint: string): SkillError {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof SkillError) return cause;
  }
  return new SkillError('SERVER_UNREACHABLE', `cannot connect to ${label}: ${reasonOf(error)}`, {
    details: { hint },
    cause: error,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no host of that name',
  ENOENT: 'there is no such program',
  EACCES: 'the program may not be run',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer in time',
};

function reasonOf(error: unknown): string {
  const status = statusOf(error);
  if (status === 401 || status === 403) return `the server wants other credentials (HTTP ${status})`;
  if (status !== undefined) return `the server answers with HTTP ${status}`;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const known = 'code' in cause && typeof cause.code === 'string' ? REASONS[cause.code] : undefined;
    if (known !== undefined) return known;
  }
  const text = error instanceof Error ? error.message : String(error);
  // A body that a server sent may be long; its first line says what there is to say.
  return (text.split('\n', 1)[0] ?? '').slice(0, 200);
}

/** Whether nobody answered at all, as opposed to somebody who is no MCP server. */
export function isDown(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && Object.hasOwn(REASONS, cause.code)) return true;
  }
  return false;
}

/** The HTTP status that ended a connection, if one did. */
export function statusOf(error: unknown): number | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    for (const key of ['status', 'statusCode'] as const) {
      const value = key in cause ? (cause as Error & Record<typeof key, unknown>)[key] : undefined;
      if (typeof value === 'number' && value >= 300 && value < 600) return value;
    }
  }
  return undefined;
}
