/**
 * What goes wrong between client and server, as errors of this package.
 *
 * @module
 */
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { isSkillError, SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { isRecord } from './json-record.ts';

/** What was asked when it went wrong. */
export interface AskedRequest {
  readonly method: string;
  /** The URI that the request is about, if it is about one. */
  readonly uri?: string | undefined;
  readonly timeoutMs: number;
}

const METHOD_NOT_FOUND = -32601;
/** That of today, and that of servers before it. */
const NOT_FOUND: ReadonlySet<number> = new Set([-32602, -32002]);
const NOT_FOUND_TEXT = /not found|unknown resource/i;

/**
 * The error for what a request came to. A server's own words are quoted and cut; nothing of them is taken for ours.
 *
 * `RESOURCE_NOT_FOUND` when the server does not know the URI, `RESPONSE_TOO_LARGE` when its answer does not fit, `METHOD_NOT_FOUND`, `SERVER_ERROR` for any other answer
 * that is an error, `INVALID_RESULT` for one that is none of the protocol, `SERVER_UNREACHABLE` when none came.
 *
 * @example
 * catch (cause) { throw serverFailure(cause, { method: 'resources/read', uri, timeoutMs }) }
 */
export function serverFailure(cause: unknown, asked: AskedRequest): SkillError {
  if (isSkillError(cause)) return cause;
  const what = asked.uri === undefined ? asked.method : `${asked.method} of ${quote(asked.uri)}`;
  if (cause instanceof ProtocolError) return answered(cause, asked, what);
  const unknown = unknownMethod(cause);
  if (unknown !== undefined) return answered(unknown, asked, what);
  if (cause instanceof SdkHttpError || cause instanceof UnauthorizedError)
    return refusedByHttp(cause, asked, what);
  const details = { method: asked.method, ...(asked.uri === undefined ? {} : { uri: asked.uri }) };
  if (cause instanceof SdkError) {
    if (cause.code === SdkErrorCode.RequestTimeout) {
      return new SkillError('SERVER_UNREACHABLE', `${what}: no answer within ${asked.timeoutMs} ms`, {
        details: { ...details, limit: asked.timeoutMs },
        cause,
      });
    }
    if (cause.code === SdkErrorCode.InvalidResult || cause.code === SdkErrorCode.UnsupportedResultType) {
      return new SkillError(
        'INVALID_RESULT',
        `${what}: the answer breaks the protocol: ${quote(cause.message)}`,
        {
          details,
          cause,
        },
      );
    }
    if (cause.code === SdkErrorCode.MethodNotSupportedByProtocolVersion) {
      return new SkillError('METHOD_NOT_FOUND', `${what}: this protocol version does not have it`, {
        details,
        cause,
      });
    }
  }
  const words = cause instanceof Error ? quote(cause.message) : 'it broke off';
  return new SkillError('SERVER_UNREACHABLE', `${what}: the server cannot be reached: ${words}`, {
    details,
    cause,
  });
}

/**
 * The answer of a server of 2026 that does not know the method: it comes with HTTP status 404, as an unknown session does,
 * and the official transport keeps no more of it than the text. Undefined: `cause` is something else.
 *
 * @example
 * unknownMethod(cause) !== undefined // the server is there, and has no such method
 */
export function unknownMethod(cause: unknown): ProtocolError | undefined {
  if (!(cause instanceof SdkHttpError) || cause.status !== 404) return undefined;
  const { text } = cause.data as { readonly text?: unknown };
  if (typeof text !== 'string') return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = isRecord(answer) ? answer.error : undefined;
  if (!isRecord(error) || error.code !== METHOD_NOT_FOUND) return undefined;
  return new ProtocolError(METHOD_NOT_FOUND, typeof error.message === 'string' ? error.message : '');
}

function answered(cause: ProtocolError, { method, uri }: AskedRequest, what: string): SkillError {
  const details = { method, ...(uri === undefined ? {} : { uri }), rpcCode: cause.code };
  const words = `${quote(cause.message)} (${cause.code})`;
  if (cause.code === METHOD_NOT_FOUND) {
    return new SkillError('METHOD_NOT_FOUND', `${what}: the server does not answer it: ${words}`, {
      details,
      cause,
    });
  }
  if (isRecord(cause.data) && cause.data.code === 'RESPONSE_TOO_LARGE') {
    return new SkillError('RESPONSE_TOO_LARGE', `${what}: ${words}`, { details, cause });
  }
  if (uri !== undefined && (NOT_FOUND.has(cause.code) || NOT_FOUND_TEXT.test(cause.message))) {
    return new SkillError('RESOURCE_NOT_FOUND', `${what}: the server does not have it: ${words}`, {
      details,
      cause,
    });
  }
  return new SkillError('SERVER_ERROR', `${what}: the server answers with an error: ${words}`, {
    details,
    cause,
  });
}

function refusedByHttp(
  cause: SdkHttpError | UnauthorizedError,
  { method, uri }: AskedRequest,
  what: string,
): SkillError {
  const status = cause instanceof SdkHttpError ? cause.status : 401;
  const hint =
    status === 401 || status === 403 ? '; check the token' : status === 404 ? '; the session is gone' : '';
  return new SkillError('SERVER_UNREACHABLE', `${what}: HTTP status ${status}${hint}`, {
    details: { method, ...(uri === undefined ? {} : { uri }), status },
    cause,
  });
}
