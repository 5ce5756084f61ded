/**
 * An answer is for what was asked (threat T4f).
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { quote } from '../uri/quote.ts';

/**
 * Nothing, if the URI in an answer is the one that was asked for, in whatever equivalent spelling.
 *
 * Errors: `URI_MISMATCH`.
 *
 * @example
 * requireSameUri(uri, contents.uri)
 */
export function requireSameUri(asked: string, answered: string): void {
  if (asked === answered || isSame(asked, answered)) return;
  throw new SkillError(
    'URI_MISMATCH',
    `${quote(asked)} was asked for, and the answer is for ${quote(answered)}; its content must not be used`,
    { details: { uri: asked, actual: answered } },
  );
}

function isSame(asked: string, answered: string): boolean {
  try {
    return canonicalUri(asked, { anyScheme: true }) === canonicalUri(answered, { anyScheme: true });
  } catch {
    // What has no canonical form equals itself alone.
    return false;
  }
}
