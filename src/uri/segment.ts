/**
 * One segment of a URI: the rule it obeys, and its two spellings.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from './quote.ts';

const UNRESERVED = /^[A-Za-z0-9\-._~]+$/;
const FORBIDDEN = /[/\\\u0000-\u001f\u007f-\u009f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/**
 * Whether `name` can be a segment of a URI, and so the name of a file that is served: not empty, not `.` or `..`,
 * no slash, backslash or control character (C0, DEL, C1), no lone surrogate. Design decision 4.
 *
 * Unicode is taken as it is: NFC and NFD spellings are two names.
 *
 * @example
 * isAddressableName('how to.md') // true
 * isAddressableName('a\\b') // false
 */
export function isAddressableName(name: string): boolean {
  if (UNRESERVED.test(name)) return name !== '.' && name !== '..';
  return name !== '' && !FORBIDDEN.test(name) && !LONE_SURROGATE.test(name);
}

/**
 * The canonical spelling of one segment: every byte of its UTF-8 outside `A-Za-z0-9-._~` as `%XX`, upper-case.
 *
 * Errors: as {@link requireSegment}.
 *
 * @example
 * encodeSegment('how to.md') // 'how%20to.md'
 */
export function encodeSegment(name: string): string {
  requireSegment(name);
  return encodeChecked(name);
}

/** {@link encodeSegment} for a name that is known to be addressable. */
export function encodeChecked(name: string): string {
  if (UNRESERVED.test(name)) return name;
  return encodeURIComponent(name).replace(
    LEFT_BY_ENCODE_URI_COMPONENT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Throws unless `name` is a segment as {@link isAddressableName} has it.
 *
 * Errors: `EMPTY_PATH_SEGMENT`, `PATH_TRAVERSAL` (`.`, `..`), `INVALID_SEGMENT` (the rest). `where` is the text that
 * the message names.
 */
export function requireSegment(name: string, where: string = name): void {
  if (isAddressableName(name)) return;
  if (name === '') {
    throw new SkillError(
      'EMPTY_PATH_SEGMENT',
      `${quote(where)} has an empty path segment; write one slash only`,
      {
        details: { uri: where },
      },
    );
  }
  if (name === '.' || name === '..') {
    throw new SkillError('PATH_TRAVERSAL', `${quote(where)} has the segment "${name}"; write the full path`, {
      details: { uri: where, segment: name },
    });
  }
  throw new SkillError(
    'INVALID_SEGMENT',
    `${quote(where)}: the segment ${quote(name)} holds a slash, a backslash, a control character or half a surrogate pair`,
    { details: { uri: where, segment: name } },
  );
}

/**
 * The text of a segment as it stands in a URI, percent-decoded exactly once and then judged.
 *
 * Errors: `INVALID_SCHEME` for a bad `%` escape or bytes that are not UTF-8 (such text is no URI), else as
 * {@link requireSegment}.
 */
export function decodeSegment(raw: string, uri: string): string {
  let text = raw;
  if (raw.includes('%')) {
    try {
      text = decodeURIComponent(raw);
    } catch (cause) {
      throw new SkillError(
        'INVALID_SCHEME',
        `${quote(uri)} is not a URI: ${quote(raw)} has a bad percent escape or bytes that are not UTF-8; write "%" itself as "%25"`,
        { details: { uri, segment: raw }, cause },
      );
    }
  }
  requireSegment(text, uri);
  return text;
}
