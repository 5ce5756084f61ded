/**
 * Opening an archive in one go.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { Admission } from './admission.ts';
import { Budget } from './budget.ts';
import { bunzip2Blocks } from './bzip2.ts';
import { requireFormat } from './detect.ts';
import { gunzipSync } from './gunzip-sync.ts';
import { accessBytes } from './random-access.ts';
import { type ArchiveReader, type OpenReaderOptions, openZip, tarArchive } from './reader.ts';
import { TarReader } from './tar.ts';

/** A header, and the rest of the last block of a body. */
const ENTRY_OVERHEAD = 1_023;
const END_OVERHEAD = 1_048_576;

/**
 * Opens an archive in memory at once, as `openReader` does later: while a large tar is unpacked, nothing else runs.
 *
 * A tar.gz is held unpacked for a moment beside its files, up to the caps and 53 MiB for headers.
 *
 * Errors: those of `openReader`.
 *
 * @example
 * const archive = openReaderSync(bytes, { format: 'zip' });
 */
export function openReaderSync(bytes: Uint8Array, options: OpenReaderOptions = {}): ArchiveReader {
  const format = requireFormat(options.format, options.name ?? '', bytes);
  if (format === 'zip') return openZip(accessBytes(bytes), options);
  const budget = new Budget(options, bytes.length);
  const tar = new TarReader(new Admission(options, budget), budget);
  const sink = (chunk: Buffer): void => tar.push(chunk);
  if (format === 'tar.gz') unpackGzip(bytes, options, sink);
  else for (const _ of bunzip2Blocks(bytes, sink));
  tar.end();
  options.onProgress?.(bytes.length, bytes.length);
  return tarArchive(format, tar);
}

/** Within the limit the reader of the tar finds what is too much; it cannot stop zlib, so beyond it nothing else is known. */
function unpackGzip(bytes: Uint8Array, options: OpenReaderOptions, sink: (chunk: Buffer) => void): void {
  const total = capOf(options.maxBytes, LIMITS.archiveBytes);
  const ratio = capOf(options.maxRatio, LIMITS.archiveRatio);
  const byRatio = Math.max(LIMITS.archiveRatioFloor, ratio * bytes.length);
  const entries = capOf(options.maxEntries, LIMITS.archiveEntries);
  const overhead = entries * ENTRY_OVERHEAD + LIMITS.archiveHeaderBytes + END_OVERHEAD;
  gunzipSync(bytes, Math.min(total, byRatio) + overhead, sink, () =>
    total <= byRatio
      ? new SkillError(
          'ARCHIVE_TOO_LARGE',
          `the archive unpacks to more than ${total} bytes; raise maxBytes if you trust it`,
          { details: { limit: total } },
        )
      : new SkillError(
          'ARCHIVE_RATIO',
          `the archive unpacks to more than ${ratio} times its ${bytes.length} bytes; raise maxRatio if you trust it`,
          { details: { limit: ratio, packed: bytes.length } },
        ),
  );
}
