/**
 * Digests (requirement S31).
 *
 * @module
 */
import { createHash, hash } from 'node:crypto';
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * `sha256:` and 64 lower-case hex digits over the raw bytes; no line end and no BOM is touched.
 *
 * @example
 * digestOf(Buffer.from('x')) // 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'
 */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/**
 * Digest and length of a stream of bytes, without holding it. Errors of the stream come through as they are.
 *
 * @example
 * await digestOfStream(createReadStream(path)) // { digest: 'sha256:…', size: 1024 }
 */
export async function digestOfStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<{ readonly digest: string; readonly size: number }> {
  const state = createHash('sha256');
  let size = 0;
  for await (const chunk of stream) {
    state.update(chunk);
    size += chunk.byteLength;
  }
  return { digest: `sha256:${state.digest('hex')}`, size };
}

/**
 * Whether `value` is a digest in the one spelling that an entry may have (requirement S31).
 *
 * @example
 * isDigest('sha256:ABC') // false
 */
export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value);
}

/**
 * Whether two digests are the same, letter case aside. What is no digest equals nothing, not even itself.
 *
 * @example
 * sameDigest(entry.digest, digestOf(bytes))
 */
export function sameDigest(a: string, b: string): boolean {
  if (a === b) return isDigest(a);
  const lower = a.toLowerCase();
  return isDigest(lower) && lower === b.toLowerCase();
}

/**
 * Whether the bytes could be checked against `expected`: false for an empty one, as in seed 000's `ReadAndVerify`,
 * true when they match. Letter case does not count. `where` is the URI that the error names.
 *
 * Errors: `DIGEST_MISMATCH`.
 *
 * @example
 * verifyDigest(bytes, indexEntry.digest, indexEntry.url)
 */
export function verifyDigest(bytes: Uint8Array, expected: string, where: string): boolean {
  if (expected === '') return false;
  const actual = digestOf(bytes);
  if (sameDigest(expected, actual)) return true;
  throw new SkillError(
    'DIGEST_MISMATCH',
    `${quote(where)} has the digest ${actual}, not ${quote(expected)}; its content must not be used`,
    { details: { uri: where, expected, actual } },
  );
}
