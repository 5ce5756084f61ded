/**
 * What tells two queries of one URL apart without saying what stands in them.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import { speaksOfCredential } from './credentials.ts';

/** What changes from one call to the next says nothing about the server. */
const PASSING = /expire|date|time|nonce|^(?:sig|signature|se|x-amz-.*)$/i;
/** Enough to tell queries apart, and too few to find a secret by that looks like none. */
const DIGITS = 4;

/**
 * Returns a mark of the query of `url`, empty where it has nothing to tell apart by. What looks like a credential is not in
 * it, so that it stays the same when a token changes, and neither is the order.
 *
 * @example
 * queryMark(new URL('https://skills.example/mcp?team=docs&api_key=…')) // '#1f3a'
 */
export function queryMark(url: URL): string {
  const told = [...url.searchParams].filter(([name]) => !PASSING.test(name) && !speaksOfCredential(name));
  if (told.length === 0) return '';
  const text = JSON.stringify(told.map(([name, value]) => `${name}=${value}`).sort());
  return `#${createHash('sha256').update(text).digest('hex').slice(0, DIGITS)}`;
}
