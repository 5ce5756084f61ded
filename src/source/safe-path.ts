/**
 * What a path inside a source may look like, and which names clash on other file systems.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { isAddressableName } from '../uri/index.ts';

const DRIVE = /^[A-Za-z]:$/;
const UNSAFE_PATH =
  /[\\\u0000-\u001f\u007f-\u009f\p{Surrogate}]|^\/|\/$|\/\/|(?:^|\/)\.\.?(?:\/|$)|(?:^|\/)[A-Za-z]:(?:\/|$)/u;
const RESERVED_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;
const RESERVED_CHARACTER = /[<>:"|?*]/;
const ASCII = /^[\u0000-\u007f]*$/;

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

/**
 * Returns a key that is equal for two names which some file system takes for the same: case folded and composed
 * (threat A4). It may also be equal for two names that no system confuses; it is never shown.
 *
 * @example
 * collisionKey('Skill.md') === collisionKey('SKILL.md') // true
 */
export function collisionKey(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * Returns why Windows cannot hold a file of this name, or undefined when it can.
 *
 * @example
 * windowsNameProblem('aux.md') // 'is a device name on Windows'
 */
export function windowsNameProblem(name: string): string | undefined {
  if (RESERVED_DEVICE.test(name.replace(/ +(?=\.|$)/g, ''))) return 'is a device name on Windows';
  if (RESERVED_CHARACTER.test(name)) return 'has a character that Windows refuses: < > : " | ? *';
  if (/[. ]$/.test(name)) return 'ends with a dot or a space, which Windows drops';
  return undefined;
}
