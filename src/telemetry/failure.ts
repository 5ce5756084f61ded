/**
 * What may be said of an error: its kind, never its words, since they can quote a skill or a server.
 *
 * @module
 */
import { ERROR_TABLE, isSkillError, type SkillErrorCode } from '../errors.ts';

/** An error as spans, channels and counters show it. */
export interface Failure {
  /** A code of `ERROR_TABLE`, the number of a protocol error, or the name of the error's class. */
  readonly type: string;
  /** A fixed text. */
  readonly message: string;
  /** The code of a JSON-RPC error. */
  readonly rpcCode?: number;
}

/** Names of classes are the program's own; anything longer or stranger was set by somebody. */
const CLASS_NAME = /^[A-Za-z]\w{0,63}$/;

/**
 * The kind of an error, whatever was thrown.
 *
 * @example
 * failureOf(new SkillError('DIGEST_MISMATCH', 'expected …')).type // 'DIGEST_MISMATCH'
 */
export function failureOf(error: unknown): Failure {
  if (isSkillError(error) && Object.hasOwn(ERROR_TABLE, error.code)) {
    return { type: error.code, message: ERROR_TABLE[error.code].message };
  }
  if (typeof error !== 'object' || error === null) {
    return { type: typeof error, message: 'a value that is no error was thrown' };
  }
  const { code, data, name } = error as Readonly<Record<string, unknown>>;
  // A DOMException, such as that of an abort, has a number too, which says less than its name.
  if (typeof code === 'number' && Number.isSafeInteger(code) && !(error instanceof DOMException)) {
    const skillCode = skillCodeIn(data);
    return {
      type: skillCode ?? String(code),
      message: skillCode === undefined ? 'a protocol error' : ERROR_TABLE[skillCode].message,
      rpcCode: code,
    };
  }
  const type = typeof name === 'string' && CLASS_NAME.test(name) ? name : 'Error';
  return { type, message: 'an error outside the table' };
}

function skillCodeIn(data: unknown): SkillErrorCode | undefined {
  if (typeof data !== 'object' || data === null || !('code' in data)) return undefined;
  const { code } = data;
  return typeof code === 'string' && Object.hasOwn(ERROR_TABLE, code) ? (code as SkillErrorCode) : undefined;
}
