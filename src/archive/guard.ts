/**
 * What the name of an archive entry may be (threats A1 and A4).
 *
 * @module
 */
import { capOf, LIMITS } from '../limits.ts';
import { isAddressableName } from '../uri/segment.ts';
import { entryError } from './archive-error.ts';

const DRIVE = /^[A-Za-z]:/;
const DRIVE_SEGMENT = /^[A-Za-z]:$/;
const PLAIN = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/** Options of {@link entryPath}. */
export interface EntryPathOptions {
  /**
   * `separator`: a name with backslashes and no slash is read as Windows PowerShell meant it when it wrote the zip;
   * `refuse`: any backslash is `ARCHIVE_UNSAFE_NAME`.
   * @default 'refuse'
   */
  readonly backslash?: 'refuse' | 'separator';
  /** Segments at most; 0 = default, -1 = off. @default LIMITS.archiveDepth */
  readonly maxDepth?: number;
}

/**
 * Returns the path of an entry below the archive's root: relative, `/`-separated, `./` and `//` and a trailing slash
 * taken out; the empty string is the root itself. Every rule looks at the worst reading of the name, the one in which
 * backslashes separate.
 *
 * Errors: `ARCHIVE_ABSOLUTE_PATH` (a leading slash, a share, a drive), `ARCHIVE_PATH_TRAVERSAL` (any `..` segment,
 * also one that leads back inside), `ARCHIVE_UNSAFE_NAME` (backslash, control character, half a surrogate pair),
 * `ARCHIVE_NAME_TOO_LONG`, `ARCHIVE_TOO_DEEP`.
 *
 * @example
 * entryPath('./pdf//SKILL.md') // 'pdf/SKILL.md'
 */
export function entryPath(name: string, options: EntryPathOptions = {}): string {
  const maxDepth = capOf(options.maxDepth, LIMITS.archiveDepth);
  if (PLAIN.test(name)) {
    checkLengths(name, name.split('/'), name, maxDepth);
    return name;
  }
  const slashed = name.replaceAll('\\', '/');
  refuseAbsolute(name, slashed);
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) {
    throw entryError('ARCHIVE_PATH_TRAVERSAL', name, 'has a ".." in its path; the archive is refused');
  }
  // Behind "./" a drive is no longer at the start of the name, and is again at the start of the path.
  if (segments.some((segment, at) => (at === 0 ? DRIVE : DRIVE_SEGMENT).test(segment))) {
    throw entryError('ARCHIVE_ABSOLUTE_PATH', name, 'names a drive; the archive is refused', {
      rule: 'drive',
    });
  }
  if (name.includes('\\') && (options.backslash !== 'separator' || name.includes('/'))) {
    throw entryError(
      'ARCHIVE_UNSAFE_NAME',
      name,
      'has a backslash, which is a separator on some systems and not on others; rename it',
      { rule: 'backslash' },
    );
  }
  for (const segment of segments) {
    if (!isAddressableName(segment)) {
      throw entryError(
        'ARCHIVE_UNSAFE_NAME',
        name,
        'has a control character or half a surrogate pair in its name; rename it',
        { rule: 'control' },
      );
    }
  }
  const path = segments.join('/');
  checkLengths(path, segments, name, maxDepth);
  return path;
}

function refuseAbsolute(name: string, slashed: string): void {
  const rule = slashed.startsWith('//')
    ? 'share'
    : slashed.startsWith('/')
      ? 'root'
      : DRIVE.test(slashed)
        ? 'drive'
        : undefined;
  if (rule === undefined) return;
  const what = { share: 'names a share', root: 'begins with a slash', drive: 'names a drive' }[rule];
  throw entryError('ARCHIVE_ABSOLUTE_PATH', name, `${what}; pack with paths relative to the skill`, { rule });
}

function checkLengths(path: string, segments: readonly string[], name: string, maxDepth: number): void {
  if (segments.length > maxDepth) {
    throw entryError(
      'ARCHIVE_TOO_DEEP',
      name,
      `is ${segments.length} levels deep, more than the limit of ${maxDepth}`,
      { limit: maxDepth, actual: segments.length },
    );
  }
  // A UTF-16 unit is at most three bytes, so short names need no counting.
  if (path.length * 3 <= LIMITS.archiveNameBytes) return;
  const bytes = Buffer.byteLength(path);
  if (bytes > LIMITS.archivePathBytes) throw tooLong(name, 'a path', bytes, LIMITS.archivePathBytes);
  for (const segment of segments) {
    const length = Buffer.byteLength(segment);
    if (length > LIMITS.archiveNameBytes) throw tooLong(name, 'a name', length, LIMITS.archiveNameBytes);
  }
}

/** Returns `ARCHIVE_NAME_TOO_LONG` for what an entry has that is too long. */
export function tooLong(name: string, what: string, actual: number, limit: number): Error {
  return entryError(
    'ARCHIVE_NAME_TOO_LONG',
    name,
    `has ${what} of ${actual} bytes, more than the limit of ${limit}; shorten it`,
    { limit, actual },
  );
}

/**
 * Whether a path is what an operating system adds to an archive by itself: `__MACOSX`, `._*`, `.DS_Store` (of a
 * Finder). Readers and packers drop such entries.
 *
 * @example
 * isArchiveNoise('__MACOSX/pdf/._SKILL.md') // true
 */
export function isArchiveNoise(path: string): boolean {
  if (!path.includes('._') && !path.includes('__MACOSX') && !path.includes('.DS_Store')) return false;
  return path
    .split('/')
    .some((segment) => segment === '__MACOSX' || segment === '.DS_Store' || segment.startsWith('._'));
}
