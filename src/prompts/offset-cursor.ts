/**
 * The cursor of the prompts index: an offset, in the spelling that FastMCP gives the cursors of its lists.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';

/** The number of prompts has at most this many digits, so no cursor is longer than this. */
const MAX_CHARS = 64;
const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;

/**
 * The cursor of an offset: base64url of `{"o": n}`, padded.
 *
 * @example
 * encodeOffset(2) // 'eyJvIjogMn0='
 */
export function encodeOffset(offset: number): string {
  const text = Buffer.from(`{"o": ${offset}}`).toString('base64url');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/**
 * The offset in a cursor, from 0 to `total`. Padding may be missing, as some clients drop it.
 *
 * Errors: `INVALID_CURSOR` for what is not base64url of such an object, is negative, or lies beyond `total`.
 *
 * @example
 * decodeOffset('eyJvIjogMn0', 3) // 2
 */
export function decodeOffset(cursor: string, total: number): number {
  const offset = readOffset(cursor);
  if (offset === undefined) {
    throw invalid(`the cursor ${quote(cursor)} is not one of this server; start again without one`);
  }
  if (offset > total) {
    throw invalid(
      `the cursor ${quote(cursor)} lies beyond the ${total} prompts that match; start again without one`,
    );
  }
  return offset;
}

function readOffset(cursor: string): number | undefined {
  if (cursor.length > MAX_CHARS || !BASE64URL.test(cursor)) return undefined;
  const bare = cursor.replace(/=+$/, '');
  const bytes = Buffer.from(bare, 'base64url');
  // Another spelling of the same bytes, or a character too much.
  if (bytes.toString('base64url') !== bare) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null || Object.keys(read).join() !== 'o' || !('o' in read))
    return undefined;
  const { o } = read;
  return typeof o === 'number' && Number.isSafeInteger(o) && o >= 0 ? o : undefined;
}

function invalid(message: string): SkillError {
  return new SkillError('INVALID_CURSOR', message);
}
