/**
 * Packing a skill.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { type Pace, startPace } from '../pace.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { MANIFEST_FILENAME } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { Admission } from './admission.ts';
import { type ArchiveCaps, Budget } from './budget.ts';
import { deflate, storedDeflate } from './deflate.ts';
import { ARCHIVE_FORMATS, type ArchiveFormat } from './detect.ts';
import { type PackedFile, writeTar } from './tar-write.ts';
import { writeZip } from './zip-write.ts';

/** A file of the skill to pack. */
export interface FileToPack {
  /** Below the skill's root, `/`-separated. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Mode 0755 instead of 0644. @default false */
  readonly executable?: boolean;
}

/** The caps of packing; what is beyond them, a reader with the same caps would refuse. */
export type PackOptions = Omit<ArchiveCaps, 'maxRatio'>;

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** What the headers of one entry take at most, its path aside. */
const HEADER_BYTES = 1_024;
/** Sizes and places in a zip have 32 bits, numbers of entries 16; larger ones need zip64, which many do not read. */
const MAX_ZIP_BYTES = 0xffffffff - LIMITS.archiveHeaderBytes;
const MAX_ZIP_ENTRIES = 0xfffe;

/**
 * Returns the archive of a skill, with `SKILL.md` at its root. The bytes depend on paths, content and the executable
 * bits alone: not on the order of `files`, on times, owners, umask, machine or version of Node. What a Finder adds
 * (`isArchiveNoise`) is left out; which other files belong to the skill is for the caller to say.
 *
 * `tar.gz` is ustar, with pax headers only for paths beyond 255 bytes; `zip` has neither extra fields nor data
 * descriptors. The compressor is pinned with this package: a release that changes it says so, since it changes digests.
 *
 * Errors: `ARCHIVE_MISSING_SKILL_MD`; `ARCHIVE_UNSUPPORTED_FOR_PACK` for tar.bz2; `ARCHIVE_UNKNOWN_FORMAT`; the codes
 * of `entryPath`; `ARCHIVE_DUPLICATE`, `ARCHIVE_COLLISION`; `ARCHIVE_TOO_LARGE`, `ARCHIVE_TOO_MANY_ENTRIES`.
 *
 * @example
 * await packSkill([{ path: 'SKILL.md', bytes }, { path: 'run.sh', bytes: script, executable: true }], 'tar.gz')
 */
export async function packSkill(
  files: Iterable<FileToPack> | AsyncIterable<FileToPack>,
  format: ArchiveFormat,
  options: PackOptions = {},
): Promise<Buffer> {
  requireWritable(format);
  const pace = startPace();
  const { sorted, size } = await admit(files, options);
  if (!sorted.some(({ path }) => path === MANIFEST_FILENAME)) {
    throw new SkillError(
      'ARCHIVE_MISSING_SKILL_MD',
      `there is no SKILL.md at the root of the ${sorted.length} files to pack; pack the folder that holds it`,
      { details: { files: sorted.length } },
    );
  }
  if (format === 'tar.gz') return gzip([...writeTar(sorted)], size, pace);
  if (size > MAX_ZIP_BYTES || sorted.length > MAX_ZIP_ENTRIES) {
    throw new SkillError(
      'ARCHIVE_TOO_LARGE',
      `${sorted.length} files of ${size} bytes are more than a zip holds without zip64; pack a tar.gz`,
      { details: { files: sorted.length, bytes: size } },
    );
  }
  return writeZip(sorted, pace);
}

/** Errors: `ARCHIVE_UNSUPPORTED_FOR_PACK`, `ARCHIVE_UNKNOWN_FORMAT`. */
function requireWritable(format: ArchiveFormat): void {
  if (format === 'tar.gz' || format === 'zip') return;
  const known = Object.hasOwn(ARCHIVE_FORMATS, format);
  throw new SkillError(
    known ? 'ARCHIVE_UNSUPPORTED_FOR_PACK' : 'ARCHIVE_UNKNOWN_FORMAT',
    `${quote(String(format))} ${known ? 'is read and not written' : 'is no archive format'}: pack as tar.gz or zip`,
    { details: { format } },
  );
}

/** The files that are packed, by the rules by which they are read again, in code-point order. */
async function admit(
  files: Iterable<FileToPack> | AsyncIterable<FileToPack>,
  options: PackOptions,
): Promise<{ readonly sorted: readonly PackedFile[]; readonly size: number }> {
  const budget = new Budget({ ...options, maxRatio: -1 }, 0);
  const admission = new Admission(options, budget);
  const packed: PackedFile[] = [];
  let size = 0;
  for await (const { path, bytes, executable = false } of files) {
    const entry = admission.admit({ name: path, kind: 'file', size: bytes.length, mode: 0 });
    if (entry === undefined) continue;
    budget.body(path, 0, bytes.length);
    budget.header(HEADER_BYTES + Buffer.byteLength(path));
    size += bytes.length;
    packed.push({ path: entry.path, bytes, executable });
  }
  return { sorted: packed.sort((a, b) => compareCodePoints(a.path, b.path)), size };
}

/** A gzip of one member without name, time and system. */
async function gzip(parts: readonly Uint8Array[], content: number, pace: Pace): Promise<Buffer> {
  const trailer = Buffer.alloc(8);
  let crc = 0;
  let length = 0;
  for (const part of parts) {
    // For an array without memory behind it zlib forgets what came before.
    if (part.length > 0) crc = crc32(part, crc);
    length += part.length;
  }
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  const packed = await deflate(parts, pace);
  const bomb = content > LIMITS.archiveRatioFloor && content > packed.length * LIMITS.archiveRatio;
  return Buffer.concat([GZIP_HEADER, bomb ? storedDeflate(parts) : packed, trailer]);
}
