/**
 * What a path inside a source may look like.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { isAddressableName } from '../uri/index.ts';

const DRIVE = /^[A-Za-z]:$/;
const UNSAFE_PATH =
  /[\\\u0000-\u001f\u007f-\u009f\p{Surrogate}]|^\/|\/$|\/\/|(?:^|\/)\.\.?(?:\/|$)|(?:^|\/)[A-Za-z]:(?:\/|$)/u;

/**
 * Whether a name can be one segment of a source path: it can be a segment of a URI (decision 4) and is not a drive (`C:`).
 *
 * @example
 * isSafeSegment('how to.md') // true
 */
export function isSafeSegment(name: string): boolean {
  return isAddressableName(name) && !DRIVE.test(name);
}

/**
 * Whether `path` is a relative, `/`-separated path whose every segment is safe ({@link isSafeSegment}); the empty
 * string, which is the root, is one.
 *
 * @example
 * isSafePath('pdf/../../.env') // false
 */
export function isSafePath(path: string): boolean {
  return !UNSAFE_PATH.test(path);
}

/**
 * Returns nothing when `path` is a path of a file or folder below a root, and throws otherwise.
 *
 * Errors: `PATH_TRAVERSAL` (`.` or `..`), `EMPTY_PATH_SEGMENT` (empty, absolute, `a//b`, trailing slash),
 * `INVALID_SEGMENT` (backslash, control character, drive, unpaired surrogate).
 *
 * @example
 * assertSafePath('pdf/SKILL.md')
 */
export function assertSafePath(path: string): void {
  const shown = JSON.stringify(path);
  for (const segment of path.split('/')) {
    if (segment === '') {
      throw new SkillError(
        'EMPTY_PATH_SEGMENT',
        `the path ${shown} has an empty segment: write it relative, without "//" and a trailing "/"`,
        { details: { path } },
      );
    }
    if (segment === '.' || segment === '..') {
      throw new SkillError('PATH_TRAVERSAL', `the path ${shown} has the segment "${segment}"`, {
        details: { path },
      });
    }
    if (!isSafeSegment(segment)) {
      throw new SkillError(
        'INVALID_SEGMENT',
        `the path ${shown} has a backslash, a control character, an unpaired surrogate or a drive`,
        { details: { path } },
      );
    }
  }
}
