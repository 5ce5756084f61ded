/**
 * Cursors of lists (design decision 10).
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';

const SEPARATOR = '\n';
const CHECK_BYTES = 6;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** The name of a list and a key are at most one URI each. */
const MAX_BYTES = CHECK_BYTES + 2 * LIMITS.uriBytes + 64;
const MAX_CHARS = Math.ceil((MAX_BYTES * 4) / 3);

/** Not a secret: it tells a cut or garbled cursor, which would skip entries in silence, from a whole one. */
function checkOf(payload: Uint8Array): Uint8Array {
  return hash('sha256', payload, 'buffer').subarray(0, CHECK_BYTES);
}

/**
 * The cursor after the entry with key `lastKey` of the list `list`.
 *
 * It holds the key itself, so it stays good when entries come and go, when the server restarts, and on every replica.
 * `list` names what is listed, a directory with its URI (`directory skill://demo/references`); it and `lastKey` are
 * not empty, `list` has no line feed.
 *
 * Errors: `INTERNAL` for arguments that could not be decoded again.
 *
 * @example
 * encodeCursor('skills', 'skill://demo/SKILL.md')
 */
export function encodeCursor(list: string, lastKey: string): string {
  const payload = Buffer.from(`${list}${SEPARATOR}${lastKey}`, 'utf8');
  if (
    list === '' ||
    lastKey === '' ||
    list.includes(SEPARATOR) ||
    payload.length + CHECK_BYTES > MAX_BYTES ||
    payload.toString('utf8') !== `${list}${SEPARATOR}${lastKey}`
  ) {
    throw new SkillError('INTERNAL', 'a cursor cannot carry this list or key');
  }
  return Buffer.concat([checkOf(payload), payload]).toString('base64url');
}

function invalid(why: string): SkillError {
  return new SkillError('INVALID_CURSOR', `the cursor ${why}; start again without one`);
}

/**
 * The key after which the list goes on: the entries to send are those with a greater key, whether or not the key's own
 * entry still exists.
 *
 * Errors: `INVALID_CURSOR` for whatever {@link encodeCursor} did not make for this list: no string, too long, not
 * base64url, another spelling of it, cut or garbled, of another list.
 *
 * @example
 * const after = params.cursor === undefined ? undefined : decodeCursor('skills', params.cursor)
 */
export function decodeCursor(list: string, cursor: unknown): string {
  if (typeof cursor !== 'string') throw invalid('is not a string');
  if (cursor.length > MAX_CHARS) throw invalid(`is longer than ${MAX_CHARS} characters`);
  if (!BASE64URL.test(cursor)) throw invalid('is not one of this server');
  const bytes = Buffer.from(cursor, 'base64url');
  const payload = bytes.subarray(CHECK_BYTES);
  if (
    bytes.toString('base64url') !== cursor ||
    !checkOf(payload).every((byte, index) => byte === bytes[index]) ||
    !isUtf8(payload)
  ) {
    throw invalid('is not one of this server, or was changed on its way');
  }
  const text = payload.toString('utf8');
  const prefix = `${list}${SEPARATOR}`;
  if (!text.startsWith(prefix) || text.length === prefix.length) throw invalid('belongs to another list');
  return text.slice(prefix.length);
}
