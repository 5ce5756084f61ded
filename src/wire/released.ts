/**
 * Requests and results of the released extension, without a schema library: a server reads parameters on its hot path.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { SkillEntry } from '../integrity/entry.ts';

/** Parameters of `skills/list` (requirement S38). */
export interface ListSkillsParams {
  readonly cursor?: string;
}

/** Parameters of `skills/get` (requirement S43). */
export interface GetSkillParams {
  readonly uri: string;
}

/** Parameters of `resources/directory/read` (requirement S50). */
export interface ReadDirectoryParams {
  readonly uri: string;
  readonly cursor?: string;
}

/** What every result has on a 2026-07-28 connection, and none before (requirements S39, S42, S44, S47). */
export interface ModernResult {
  readonly resultType?: 'complete';
  /** Freshness hint in ms. */
  readonly ttlMs?: number;
  readonly cacheScope?: 'private' | 'public';
}

/** Result of `skills/list`. */
export interface ListSkillsResult extends ModernResult {
  readonly skills: readonly SkillEntry[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Result of `skills/get`. */
export interface GetSkillResult extends ModernResult {
  readonly skill: SkillEntry;
}

/** A file or folder in a directory; a folder has `mimeType: 'inode/directory'` and no trailing slash. */
export interface DirectoryResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly title?: string;
  readonly description?: string;
  readonly size?: number;
  readonly annotations?: {
    readonly audience?: readonly ('user' | 'assistant')[];
    readonly priority?: number;
    readonly lastModified?: string;
  };
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Result of `resources/directory/read`. */
export interface ReadDirectoryResult extends ModernResult {
  readonly resources: readonly DirectoryResource[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

type Params = Readonly<Record<string, unknown>>;

function invalid(method: string, why: string): SkillError {
  return new SkillError('INVALID_REQUEST', `${method}: ${why}`, { details: { method } });
}

function paramsOf(method: string, params: unknown): Params {
  if (params === undefined) return {};
  if (typeof params !== 'object' || params === null || Array.isArray(params)) {
    throw invalid(method, 'params must be an object');
  }
  return params as Params;
}

function own(params: Params, key: string): unknown {
  return Object.hasOwn(params, key) ? params[key] : undefined;
}

function uriOf(method: string, params: Params): string {
  const uri = own(params, 'uri');
  if (uri === undefined || uri === '') throw invalid(method, 'uri is required');
  if (typeof uri !== 'string') throw invalid(method, 'uri must be a string');
  return uri;
}

function cursorOf(method: string, params: Params): { readonly cursor?: string } {
  const cursor = own(params, 'cursor');
  if (cursor === undefined) return {};
  if (typeof cursor !== 'string') {
    throw new SkillError(
      'INVALID_CURSOR',
      `${method}: cursor must be a string; leave it out for the first page`,
    );
  }
  return { cursor };
}

/**
 * The parameters of `skills/list`; absent ones are none, unknown ones are left out.
 *
 * Errors: `INVALID_REQUEST`, `INVALID_CURSOR` (no string; its content is judged by {@link decodeCursor}).
 *
 * @example
 * listSkillsParams({ cursor: 'abc', _meta: {} }) // { cursor: 'abc' }
 */
export function listSkillsParams(params: unknown): ListSkillsParams {
  return cursorOf('skills/list', paramsOf('skills/list', params));
}

/**
 * The parameters of `skills/get`. The URI is a string that is not empty; whether it is one is judged later.
 *
 * Errors: `INVALID_REQUEST`.
 *
 * @example
 * getSkillParams({ uri: 'skill://demo/SKILL.md' })
 */
export function getSkillParams(params: unknown): GetSkillParams {
  return { uri: uriOf('skills/get', paramsOf('skills/get', params)) };
}

/**
 * The parameters of `resources/directory/read`.
 *
 * Errors: `INVALID_REQUEST`, `INVALID_CURSOR` (no string).
 *
 * @example
 * readDirectoryParams({ uri: 'skill://demo/references' })
 */
export function readDirectoryParams(params: unknown): ReadDirectoryParams {
  const method = 'resources/directory/read';
  const given = paramsOf(method, params);
  return { uri: uriOf(method, given), ...cursorOf(method, given) };
}
