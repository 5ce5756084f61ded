/**
 * Errors on their way to the wire: no foreign message and no path of this machine leaves the process.
 *
 * @module
 */
import { ProtocolError } from '@modelcontextprotocol/server';
import { ERROR_TABLE, isSkillError, SkillError, type SkillErrorCode } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { quote } from '../uri/quote.ts';

/**
 * Codes whose messages are written from the request alone. The message of any other code may name the source as
 * its owner called it, which can be an absolute path, so those go out with the fixed text of the table.
 */
const SPEAKS_OF_THE_REQUEST: ReadonlySet<SkillErrorCode> = new Set<SkillErrorCode>([
  'INVALID_SCHEME',
  'EMPTY_SKILL_PATH',
  'EMPTY_SKILL_NAME',
  'INVALID_SKILL_NAME',
  'MANIFEST_NOT_IN_ROOT',
  'EMPTY_PATH_SEGMENT',
  'RELATIVE_ESCAPES_SKILL',
  'PATH_TRAVERSAL',
  'NOT_MANIFEST_URI',
  'INVALID_SEGMENT',
  'URI_PART_REFUSED',
  'URI_TOO_LONG',
  'RESOURCE_NOT_FOUND',
  'NOT_A_DIRECTORY',
  'INVALID_CURSOR',
  'INVALID_REQUEST',
  'RESPONSE_TOO_LARGE',
  'PROVIDER_CLOSED',
]);

/** Codes that a client reads as "no such resource". */
const NOT_FOUND: ReadonlySet<SkillErrorCode> = new Set<SkillErrorCode>([
  'RESOURCE_NOT_FOUND',
  'FILE_NOT_FOUND',
]);

/** Facts of an error that may leave the process. */
const PUBLIC_DETAILS: readonly string[] = ['limit', 'actual'];

/** What a handler was doing when it failed. */
export interface Failure {
  readonly method: string;
  /** The URI of the request, when it had one. */
  readonly uri?: string;
}

/**
 * The protocol error that tells a client about `error`, whatever was thrown (also null).
 *
 * A `SkillError` keeps its code: `data` is `{ uri, code, … }`, but exactly `{ uri }` when the resource does not exist,
 * because official clients rebuild their not-found error from that shape only (decision 9). Everything else is
 * `-32603` with a fixed text and the URI of the request, and only the logger hears what it was.
 *
 * @example
 * throw toProtocolError(error, { method: 'resources/read', uri }, logger)
 */
export function toProtocolError(error: unknown, failure: Failure, logger: Logger): ProtocolError {
  if (!isSkillError(error) || ERROR_TABLE[error.code] === undefined) {
    logger.error(`${failure.method} failed`, { ...failure, error: describe(error) });
    const fault = new SkillError('INTERNAL');
    return new ProtocolError(
      fault.rpcCode,
      publicMessage(fault, failure.uri),
      publicData(fault, failure.uri),
    );
  }
  const spec = ERROR_TABLE[error.code];
  if (spec.rpc === ERROR_TABLE.INTERNAL.rpc) {
    logger.warn(`${failure.method} failed`, { ...failure, code: error.code, error: describe(error) });
  }
  return new ProtocolError(spec.rpc, publicMessage(error, failure.uri), publicData(error, failure.uri));
}

function publicMessage(error: SkillError, uri: string | undefined): string {
  if (SPEAKS_OF_THE_REQUEST.has(error.code)) return error.message;
  const text = ERROR_TABLE[error.code].message;
  return uri === undefined ? text : `${text}: ${quote(uri)}`;
}

function publicData(error: SkillError, requested: string | undefined): Record<string, unknown> | undefined {
  const named = error.details.uri;
  const uri = typeof named === 'string' ? named : requested;
  if (NOT_FOUND.has(error.code)) return uri === undefined ? undefined : { uri };
  const data: Record<string, unknown> = { code: error.code };
  // A URI refused for its length is not sent back.
  if (uri !== undefined && error.code !== 'URI_TOO_LONG') data.uri = uri;
  for (const key of PUBLIC_DETAILS) {
    const value = error.details[key];
    if (typeof value === 'number' && Number.isFinite(value)) data[key] = value;
  }
  return data;
}

function describe(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`;
  return `thrown value of type ${error === null ? 'null' : typeof error}`;
}
