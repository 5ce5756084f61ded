/**
 * Answers as the bytes that go out, kept while what they say is in force.
 *
 * @module
 */
import { isAscii } from 'node:buffer';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { CatalogRead } from '../catalog/catalog.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Era, ServedOver, SurfaceContext } from './context.ts';
import { listingOf, type ServedParts, type SkillHandler, type SkillMethod } from './handlers.ts';
import type { RawParams } from './params.ts';
import { type PreparedBytes, PreparedCache } from './prepared-cache.ts';
import type { SkillProvider } from './provider.ts';
import { readResource, refuseLargeFile } from './surfaces/read.ts';
import { trueForTheTurn } from './turn.ts';

/** The methods that are asked for again and again, and whose results depend on nothing but the provider. */
export const PREPARED_METHODS = [
  'skills/list',
  'skills/get',
  'resources/list',
  'resources/read',
  'resources/directory/read',
] as const;

/** One of {@link PREPARED_METHODS}. */
export type PreparedMethod = (typeof PREPARED_METHODS)[number];

/** What {@link PreparedResults} answers from. */
export interface PreparedParts {
  readonly served: ServedParts;
  readonly handlers: Readonly<Partial<Record<SkillMethod, SkillHandler>>>;
  /** Of the requests of one era over the transport that the bytes go to. */
  readonly context: SurfaceContext;
  /** Goes into the `_meta` of every modern result, as the SDK puts it there. */
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /** Bytes of results that are kept; beyond it the longest unused go. */
  readonly maxBytes: number;
  readonly telemetry: Telemetry;
  /** Requests come through sockets, so that one look at a file holds for all that are answered in a turn of the event loop. */
  readonly sharesLooks: boolean;
}

/** Longer ones go out from the bytes that are kept, shorter ones are copied more cheaply as part of one text. */
const TEXT_LENGTH = 16_384;
/** A longer one is judged by the handler alone, and no key of the cache. */
const KEY_LENGTH = 2_048;

/**
 * The answers to the requests of one era as JSON bytes: what the SDK would write, up to the id of the request.
 *
 * A kept result goes out only while it is what the handler would give: lists and entries while the snapshot they were
 * made from is in force, the contents of a file while a look at it finds the state whose digest the entry states.
 */
export class PreparedResults {
  readonly #parts: PreparedParts;
  readonly #methods: ReadonlySet<string>;
  readonly #cache: PreparedCache;
  readonly #tail: string;

  constructor(parts: PreparedParts) {
    this.#parts = parts;
    this.#methods = new Set(PREPARED_METHODS.filter((method) => parts.handlers[method] !== undefined));
    this.#cache = new PreparedCache(parts.maxBytes);
    const { era } = parts.context;
    const added = { resultType: 'complete', _meta: { [SERVER_INFO_META_KEY]: parts.serverInfo } };
    this.#tail = `${era === 'modern' ? `,${JSON.stringify(added).slice(1)}` : '}'},"jsonrpc":"2.0","id":`;
  }

  /** Whether the method is served here. */
  has(method: string): method is PreparedMethod {
    return this.#methods.has(method);
  }

  /**
   * The answer to a request, up to its id; the caller found its parameters to be texts. A text of it is ASCII alone. Throws
   * what the handler throws.
   */
  answer(method: PreparedMethod, params: RawParams): PreparedBytes | Promise<PreparedBytes> {
    const subject = String(params.uri ?? '');
    const key = keyOf(method, params.cursor, subject);
    if (key.length > KEY_LENGTH) return this.#made(method, params);
    if (method === 'resources/read') return this.#contents(key, subject, params);
    const state = this.#stateOf(method);
    const kept = this.#cache.get(key, state);
    if (kept !== undefined) return kept.answer;
    const made = this.#made(method, params);
    if (made instanceof Promise || state !== this.#stateOf(method)) return made;
    this.#cache.set(key, state, { answer: made });
    return made;
  }

  /** When a request came that is to be told of, ms since 1970; undefined while nobody is told of any. */
  startTime(): number | undefined {
    return this.#parts.telemetry.hearsRequests() ? performance.timeOrigin + performance.now() : undefined;
  }

  /** Tells of a request that was answered from here. One that failed is told by the handler that says what is wrong. */
  tell(method: PreparedMethod, params: RawParams, startTime: number): void {
    this.#parts.telemetry.request({ method, uri: params.uri, meta: params._meta, startTime }, () => {});
  }

  /** What a result stands and falls with. */
  #stateOf(method: PreparedMethod): object {
    const { served, context } = this.#parts;
    return method === 'resources/list' ? listingOf(served, context.metaPrefix) : served.catalog.snapshot;
  }

  #contents(key: string, uri: string, params: RawParams): PreparedBytes | Promise<PreparedBytes> {
    const { catalog, files } = this.#parts.served;
    const { snapshot } = catalog;
    const kept = this.#cache.get(key, snapshot);
    if (kept?.isUnchanged?.()) return kept.answer;
    const located = files ? snapshot.locate(uri) : undefined;
    if (located?.kind !== 'file') return this.#made('resources/read', params);
    const { file } = located;
    const moved = kept === undefined ? this.#cache.move(key, snapshot, file) : undefined;
    if (moved?.isUnchanged?.()) return moved.answer;
    refuseLargeFile(file, this.#parts.context);
    try {
      const got = catalog.read(uri);
      if (!(got instanceof Promise)) return this.#keep(key, got);
      return got.then(
        (late) => this.#keep(key, late),
        () => this.#made('resources/read', params),
      );
    } catch {
      // What is wrong is for the handler to say.
      return this.#made('resources/read', params);
    }
  }

  #keep(key: string, { file, bytes }: CatalogRead): PreparedBytes {
    const { sharesLooks, served } = this.#parts;
    const { catalog } = served;
    const { snapshot } = catalog;
    const answer = this.#encoded(readResource(file, bytes, this.#parts.context));
    const located = snapshot.locate(file.uri);
    // A read that took a while may end when its file is not served any more.
    if (located?.kind !== 'file' || located.file !== file) this.#cache.delete(key);
    else {
      const look = catalog.unchangedCheck(file);
      const isUnchanged = sharesLooks ? trueForTheTurn(look) : look;
      this.#cache.set(key, snapshot, { answer, isUnchanged }, file);
    }
    return answer;
  }

  #made(method: PreparedMethod, params: RawParams): PreparedBytes | Promise<PreparedBytes> {
    const { handlers, context } = this.#parts;
    const result = (handlers[method] as SkillHandler)(params, context);
    return result instanceof Promise ? result.then((late) => this.#encoded(late)) : this.#encoded(result);
  }

  /** Our results are objects with at least one key, so what the SDK adds can be put behind them. */
  #encoded(result: object): PreparedBytes {
    const bytes = Buffer.from(`{"result":${JSON.stringify(result).slice(0, -1)}${this.#tail}`);
    if (bytes.length <= TEXT_LENGTH && isAscii(bytes)) return bytes.toString('latin1');
    return bytes.buffer.byteLength === bytes.length ? bytes : outOfPool(bytes);
  }
}

/** The same bytes on their own: what is kept must not hold the eight kilobytes that Node cuts small buffers from. */
function outOfPool(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}

/** No two requests with different results have the same: an empty cursor is not none, and none runs into the subject. */
function keyOf(method: PreparedMethod, cursor: unknown, subject: string): string {
  return typeof cursor === 'string'
    ? `${method} ${cursor.length} ${cursor}${subject}`
    : `${method} - ${subject}`;
}

/** The prepared answers for an era over a transport. */
export type PreparedFor = (transport: ServedOver, era: Era) => PreparedResults;

const registry: WeakMap<SkillProvider, PreparedFor> = new WeakMap();

/** Says which answers of a provider are prepared. */
export function registerPrepared(provider: SkillProvider, preparedFor: PreparedFor): void {
  registry.set(provider, preparedFor);
}

/** The prepared answers of a provider, or undefined where there are none: it is not of `createProvider`. */
export function preparedOf(
  provider: SkillProvider,
  transport: ServedOver,
  era: Era,
): PreparedResults | undefined {
  return registry.get(provider)?.(transport, era);
}
