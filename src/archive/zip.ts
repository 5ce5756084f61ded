/**
 * Reading a zip, entry by entry, without holding it.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { Admission, type ArchiveEntry, type ReadArchiveOptions } from './admission.ts';
import { corrupt, entryError } from './archive-error.ts';
import { Budget } from './budget.ts';
import type { RandomAccess } from './random-access.ts';
import { readZipDirectory, type ZipRecord } from './zip-directory.ts';
import { readZipEntry } from './zip-entry.ts';

/** The link targets that a listing reads are paths; longer ones lead nowhere. */
const MAX_TARGET = 4_096;

/** The entries of a zip, judged, and their content on demand. */
export class ZipReader {
  readonly entries: readonly ArchiveEntry[];
  readonly #access: RandomAccess;
  readonly #records: Map<string, ZipRecord> = new Map();

  /** Errors: those of {@link readZipDirectory} and {@link Admission.admit}; the caller closes `access`. */
  constructor(access: RandomAccess, options: ReadArchiveOptions) {
    this.#access = access;
    const budget = new Budget(options, access.size);
    const admission = new Admission(options, budget);
    const entries: ArchiveEntry[] = [];
    for (const record of readZipDirectory(access, budget)) {
      const entry = admit(record, admission);
      // What the directory says is what a read has to find, so it is counted here, once.
      if (record.kind === 'file') budget.body(record.name, 0, record.size);
      if (entry === undefined) continue;
      entries.push(entry.kind === 'link' ? { ...entry, target: this.#target(record) } : entry);
      if (entry.kind === 'file') this.#records.set(entry.path, record);
    }
    this.entries = entries;
  }

  /** The content of a file. Errors: `FILE_NOT_FOUND`, `ARCHIVE_CORRUPT`, `ARCHIVE_CLOSED`, `SOURCE_UNREADABLE`. */
  read(path: string): Buffer | Promise<Buffer> {
    const record = this.#records.get(path);
    if (record === undefined) throw entryError('FILE_NOT_FOUND', path, 'is no file of the archive');
    return readZipEntry(this.#access, record);
  }

  #target(record: ZipRecord): string {
    if (record.size > MAX_TARGET) throw corrupt('a link of the zip has no path as its target', record.offset);
    const bytes = readZipEntry(this.#access, record);
    if (!(bytes instanceof Buffer)) throw new SkillError('INTERNAL', 'a short entry was not read at once');
    return bytes.toString('utf8');
  }
}

function admit(record: ZipRecord, admission: Admission): ArchiveEntry | undefined {
  const { name, kind, size, mode } = record;
  if (kind === 'directory' && size > 0) throw corrupt('a folder of the zip has content', record.offset);
  return admission.admit({
    name,
    kind,
    size,
    mode,
    backslash: 'separator',
    ...(kind === 'special' ? { what: 'device, pipe or socket' } : {}),
  });
}
