/**
 * The mark by which a block's own lines are told from the text in it.
 *
 * @module
 */
import { createHmac, randomBytes } from 'node:crypto';

const DIGITS = 16;
let processKey: Uint8Array | undefined;

/**
 * Sixteen hex digits that nobody without `key` can know beforehand, and that stand in none of the texts. The same texts
 * and key give the same mark, so that a prompt with an unchanged block stays the same for a cache.
 *
 * @example
 * const mark = blockMark(entries) // 'f3a9c1d07b52e846'
 */
export function blockMark(texts: readonly string[], key?: string | Uint8Array): string {
  processKey ??= randomBytes(32);
  for (let round = 0; ; round++) {
    const hmac = createHmac('sha256', key ?? processKey).update(`${round}`);
    for (const text of texts) hmac.update(`${text.length}:`).update(text);
    const mark = hmac.digest('hex').slice(0, DIGITS);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}
