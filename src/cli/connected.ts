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

/**
 * What `work` comes to, unless it takes longer than `--timeout` says; what it began is then the caller's to end.
 *
 * Errors: `SERVER_UNREACHABLE` with `limit` (ms) in its details, those of `work`.
 */
export async function inTime<T>(
  label: string,
  { requestTimeoutMs }: ClientSettings,
  work: () => Promise<T>,
): Promise<T> {
  if (requestTimeoutMs === undefined) return work();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `cannot connect to ${label}: ${lateReason(requestTimeoutMs)}`;
      const details = { limit: requestTimeoutMs };
      reject(new SkillError('SERVER_UNREACHABLE', message, { details }));
    }, requestTimeoutMs);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
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

/** A new official client. `auto` asks which revision the server speaks, no longer than `probeMs`; `legacy` does not ask. */
export function newClient(mode: 'auto' | 'legacy', probeMs: number = PROBE_MS): Client {
  const info = { name: 'skillwire', version: VERSION };
  return mode === 'legacy'
    ? new Client(info)
    : new Client(info, { versionNegotiation: { mode, probe: { timeoutMs: probeMs } } });
}

/** How long a command is asked: half of the time, since one of an earlier revision says nothing to the question. */
export function probeMsOf({ requestTimeoutMs = 2 * PROBE_MS }: ClientSettings): number {
  return Math.min(PROBE_MS, Math.ceil(requestTimeoutMs / 2));
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
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS; is it http:// and not https://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS; is it http:// and not https://?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another host',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its TLS certificate is self-signed; NODE_EXTRA_CA_CERTS names a file of authorities to trust',
  SELF_SIGNED_CERT_IN_CHAIN:
    'its TLS certificate is of an unknown authority; NODE_EXTRA_CA_CERTS names a file of authorities to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its TLS certificate is of an unknown authority; NODE_EXTRA_CA_CERTS names a file of authorities to trust',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
};

function reasonOf(error: unknown): string {
  const status = statusOf(error);
  if (status === 401 || status === 403) return `the server wants other credentials (HTTP ${status})`;
  if (status !== undefined) return `the server answers with HTTP ${status}`;
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const known = 'code' in cause && typeof cause.code === 'string' ? REASONS[cause.code] : undefined;
    if (known !== undefined) return known;
  }
  const text = deepest(error);
  const waited = /timed out after (\d+)ms/.exec(text)?.[1];
  if (waited !== undefined) return lateReason(Number(waited));
  if (text === 'bad port') return 'no client connects to that port, which belongs to another protocol';
  // A body that a server sent may be long; its first line says what there is to say.
  return (text.split('\n', 1)[0] ?? '').slice(0, 200);
}

function lateReason(ms: number): string {
  return `it did not answer in ${ms / 1_000} s; --timeout SECONDS decides how long it is waited for`;
}

/** What was wrong in the first place: the messages above it say that something failed. */
function deepest(error: unknown): string {
  let last = error;
  for (let depth = 0; last instanceof Error && last.cause instanceof Error && depth < 5; depth += 1) {
    last = last.cause;
  }
  return last instanceof Error ? last.message : String(last);
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
