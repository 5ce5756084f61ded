/**
 * The archive formats, and how one is told from another.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';

/** An archive format that is read. `tar.bz2` is read only. */
export type ArchiveFormat = 'tar.gz' | 'zip' | 'tar.bz2';

/** What a format looks like from outside. */
export interface ArchiveFormatFacts {
  /** How names of such archives end, with the leading dot. */
  readonly suffix: string;
  readonly mimeType: string;
}

/** Every format with its suffix and MIME type (seed 000's `ArchiveFormat.Suffix` and `MimeType`). */
export const ARCHIVE_FORMATS: Readonly<Record<ArchiveFormat, ArchiveFormatFacts>> = {
  'tar.gz': { suffix: '.tar.gz', mimeType: 'application/gzip' },
  zip: { suffix: '.zip', mimeType: 'application/zip' },
  'tar.bz2': { suffix: '.tar.bz2', mimeType: 'application/x-bzip2' },
};

/** Bytes that {@link detectArchiveFormat} looks at. */
export const MAGIC_BYTES = 4;

/**
 * Returns the format that a file name or URL ends in, else the one whose magic bytes `bytes` begins with, else
 * undefined. The suffix is compared with case and wins over the bytes; bytes count from four on, so an empty zip
 * (`PK\5\6`) has no magic (seed 000, recorded in the vectors).
 *
 * @example
 * detectArchiveFormat('skills.tar.gz', bytes) // 'tar.gz'
 */
export function detectArchiveFormat(name: string, bytes: Uint8Array): ArchiveFormat | undefined {
  for (const format of ['tar.gz', 'zip', 'tar.bz2'] as const) {
    if (name.endsWith(ARCHIVE_FORMATS[format].suffix)) return format;
  }
  const [a, b, c, d] = bytes;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  if (a === 0x1f && b === 0x8b) return 'tar.gz';
  if (a === 0x50 && b === 0x4b && c === 3 && d === 4) return 'zip';
  if (a === 0x42 && b === 0x5a && c === 0x68 && d >= 0x31 && d <= 0x39) return 'tar.bz2';
  return undefined;
}

/** Returns the given format, else the detected one. Errors: `ARCHIVE_UNKNOWN_FORMAT`. */
export function requireFormat(
  format: ArchiveFormat | undefined,
  name: string,
  bytes: Uint8Array,
): ArchiveFormat {
  if (format !== undefined) {
    if (Object.hasOwn(ARCHIVE_FORMATS, format)) return format;
    throw new SkillError(
      'ARCHIVE_UNKNOWN_FORMAT',
      `${quote(String(format))} is no archive format: it is tar.gz, zip or tar.bz2`,
      { details: { format } },
    );
  }
  const found = detectArchiveFormat(name, bytes);
  if (found !== undefined) return found;
  const shown = name === '' ? 'the archive' : quote(name);
  const head = Buffer.from(bytes.subarray(0, MAGIC_BYTES)).toString('hex');
  throw new SkillError(
    'ARCHIVE_UNKNOWN_FORMAT',
    `${shown} is no tar.gz, zip or tar.bz2 by its name, and ${head === '' ? 'is empty' : `begins with the bytes ${head}`}; if it is one, give it the ending of its format`,
    { details: { name, head } },
  );
}
