/**
 * Requests to one server: timed, capped, joined while under way, paused after failures.
 *
 * @module
 */
import { type Client, SdkErrorCode } from '@modelcontextprotocol/client';
import { type Clock, MAX_TIMER_MS } from '../clock.ts';
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { EXTENSION_ID } from '../wire/index.ts';
import { BackOff } from './back-off.ts';
import { ByteBudget } from './budget.ts';
import { bytesOf, type Contents, contentsOf } from './contents.ts';
import type { RawContents, RequestScope } from './dialect.ts';
import { isRecord, type JsonRecord } from './json-record.ts';
import { serverFailure, unknownMethod } from './server-failure.ts';
import { SharedRuns } from './shared-runs.ts';

/** Options of {@link Connection}. */
export interface ConnectionOptions {
  /** @default LIMITS.clientRequestMs (60 s); -1: none */
  readonly requestTimeoutMs?: number | undefined;
  /** @default none */
  readonly serverByteBudget?: number | undefined;
  /** Gives a client that is connected anew; see `SkillsClientOptions.reconnect`. */
  readonly reconnect?: ((signal: AbortSignal) => Promise<Client>) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly telemetry: Telemetry;
}

/** Takes any object: what is in it is judged by those who asked. */
const ANY_OBJECT = {
  '~standard': {
    version: 1,
    vendor: 'skillwire',
    validate: (value: unknown) =>
      isRecord(value) ? { value } : { issues: [{ message: 'the result is no object' }] },
  },
} as const;

/** Codes that say nothing about the state of the server. */
const HEALTHY: ReadonlySet<string> = new Set([
  'RESOURCE_NOT_FOUND',
  'RESOURCE_TOO_LARGE',
  'SERVER_BYTE_BUDGET_EXCEEDED',
]);
/** The key of the connection as a whole. */
const EVERYTHING = '';

/** One connected client of the official SDK, as every dialect uses it. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #timeoutMs: number;
  readonly #requests: SharedRuns<JsonRecord> = new SharedRuns();
  readonly #reads: SharedRuns<Contents> = new SharedRuns();
  readonly #renewals: SharedRuns<Client> = new SharedRuns();
  readonly #backOff: BackOff;
  readonly budget: ByteBudget;
  #client: Client;
  #generation = 0;

  constructor(client: Client, options: ConnectionOptions) {
    this.#client = client;
    this.#options = options;
    this.#timeoutMs = Math.min(capOf(options.requestTimeoutMs, LIMITS.clientRequestMs), MAX_TIMER_MS);
    this.#backOff = new BackOff(options.clock, options.random);
    this.budget = new ByteBudget(options.serverByteBudget);
  }

  /** Grows when the client was connected anew: what was remembered of the server before counts no more. */
  get generation(): number {
    return this.#generation;
  }

  /** The settings of the skills extension as the server declared them; undefined: it did not. */
  get skillsSettings(): JsonRecord | undefined {
    const extensions: unknown = this.#client.getServerCapabilities()?.extensions;
    const settings =
      isRecord(extensions) && Object.hasOwn(extensions, EXTENSION_ID) ? extensions[EXTENSION_ID] : undefined;
    return isRecord(settings) ? settings : undefined;
  }

  /** Whether the server declared that it has resources. */
  get hasResources(): boolean {
    return this.#client.getServerCapabilities()?.resources !== undefined;
  }

  /**
   * The result of a request, an object of which nothing is known. One that is asked while an equal one is under way
   * shares its answer. `fresh` asks anew all the same.
   *
   * Errors: those of {@link serverFailure}, with `details.retryAfterMs` while a pause is on; the reason of the signal.
   *
   * @example
   * const { skills } = await connection.request('skills/list', {}, scope)
   */
  request(method: string, params: JsonRecord, scope: RequestScope): Promise<JsonRecord> {
    return this.#requests.run(
      keyOf(method, params, scope),
      (signal) => this.#send(method, params, signal),
      scope.signal,
    );
  }

  /**
   * The bytes of one resource, decoded once its size is known to be within `maxBytes` and the budget.
   *
   * Errors: those of {@link Connection.request}; `INVALID_RESULT`, `RESOURCE_TOO_LARGE`, `SERVER_BYTE_BUDGET_EXCEEDED`.
   *
   * @example
   * const { bytes } = await connection.read('skill://pdf/SKILL.md', LIMITS.clientResourceBytes, scope)
   */
  async read(uri: string, maxBytes: number, scope: RequestScope): Promise<RawContents> {
    const contents = await this.readContents(uri, maxBytes, scope);
    const { mimeType } = contents;
    return {
      uri: contents.uri,
      bytes: bytesOf(contents),
      ...(mimeType === undefined ? {} : { mimeType }),
      cached: false,
    };
  }

  /** As {@link Connection.read}, not decoded; `free` takes nothing from the budget. */
  readContents(uri: string, maxBytes: number, scope: RequestScope, free = false): Promise<Contents> {
    const params = { uri };
    return this.#reads.run(
      `${maxBytes} ${free} ${keyOf('resources/read', params, scope)}`,
      async (signal) => {
        const contents = contentsOf(await this.#send('resources/read', params, signal), uri, maxBytes);
        if (!free) this.budget.charge(uri, contents.size);
        return contents;
      },
      scope.signal,
    );
  }

  async #send(method: string, params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> {
    const { clock } = this.#options;
    const uri = typeof params.uri === 'string' ? params.uri : undefined;
    const key = `${method} ${uri ?? ''}`;
    this.#backOff.require(EVERYTHING);
    this.#backOff.require(key);
    const startedAt = clock.now();
    try {
      const result = await this.#ask(method, params, signal);
      this.#backOff.succeeded(EVERYTHING);
      this.#backOff.succeeded(key);
      return result;
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      const error = serverFailure(cause, { method, uri, timeoutMs: this.#timeoutMs });
      if (!HEALTHY.has(error.code)) this.#backOff.failed(key, error, startedAt);
      // A file that takes too long says nothing about the others.
      const down = error.code === 'SERVER_UNREACHABLE' && error.details.limit === undefined;
      if (down) this.#backOff.failed(EVERYTHING, error, startedAt, 1);
      else this.#backOff.succeeded(EVERYTHING);
      throw error;
    }
  }

  async #ask(method: string, params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> {
    const client = this.#client;
    try {
      return await this.#askOf(client, method, params, signal);
    } catch (cause) {
      if (signal.aborted || this.#options.reconnect === undefined || !isGone(cause)) throw cause;
      return this.#askOf(await this.#renew(client, signal), method, params, signal);
    }
  }

  async #askOf(client: Client, method: string, params: JsonRecord, signal: AbortSignal): Promise<JsonRecord> {
    const meta = this.#options.telemetry.requestMeta();
    const sent = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
    const result: unknown = await client.request({ method, params: sent }, ANY_OBJECT, {
      signal,
      timeout: this.#timeoutMs,
      // Else a server could make the SDK ask again and again.
      allowInputRequired: true,
    });
    if (!isRecord(result) || result.resultType === 'input_required') {
      throw new SkillError('INVALID_RESULT', `${method}: the server asks for input instead of answering`, {
        details: { method },
      });
    }
    return result;
  }

  /** A client connected anew in place of `gone`; requests that lost the same one wait for the same new one. */
  #renew(gone: Client, signal: AbortSignal): Promise<Client> {
    if (this.#client !== gone) return Promise.resolve(this.#client);
    return this.#renewals.run(
      'renew',
      async (until) => {
        const { reconnect } = this.#options;
        if (reconnect === undefined) return gone;
        this.#client = await orAgain(() => reconnect(until), until);
        this.#generation += 1;
        this.#backOff.clear();
        return this.#client;
      },
      signal,
    );
  }
}

function keyOf(method: string, params: JsonRecord, scope: RequestScope): string {
  return `${scope.fresh === true ? 'fresh ' : ''}${method} ${JSON.stringify(params)}`;
}

/** Codes of a kept connection that the other side had closed: what was sent on it reached nobody. */
const BROKEN: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** Connections that a pool may have kept from before, each of which has to fail once. */
const KEPT = 4;

/** A kept connection that was closed says nothing about whether a new one can be had. */
async function orAgain(connect: () => Promise<Client>, signal: AbortSignal): Promise<Client> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect();
    } catch (error) {
      if (attempt > KEPT || signal.aborted || !isBroken(error)) throw error;
    }
  }
}

function isBroken(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null || !('cause' in failure)) return false;
  const { cause } = failure;
  return typeof cause === 'object' && cause !== null && 'code' in cause && BROKEN.has(cause.code);
}

/** Whether the server does not know the session any more, or the connection is closed. */
function isGone(failure: unknown): boolean {
  if (typeof failure !== 'object' || failure === null) return false;
  if (isBroken(failure)) return true;
  const { code, status, message } = failure as Record<'code' | 'status' | 'message', unknown>;
  return (
    (status === 404 && unknownMethod(failure) === undefined) ||
    code === SdkErrorCode.ConnectionClosed ||
    code === SdkErrorCode.NotConnected ||
    message === 'Not connected'
  );
}
