/**
 * The directory of a zip.
 *
 * @module
 */
import { corrupt, unsupported } from './archive-error.ts';
import type { Budget } from './budget.ts';
import type { RandomAccess } from './random-access.ts';
import { readUInt64, readZipEnd } from './zip-end.ts';
import { zipName } from './zip-name.ts';

/** One entry as the directory of a zip has it. */
export interface ZipRecord {
  readonly name: string;
  /** The name as stored, for comparison with the local header. */
  readonly rawName: Buffer;
  readonly kind: 'file' | 'directory' | 'link' | 'special';
  readonly mode: number;
  /** 0 = stored, 8 = deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly offset: number;
  /** The lowest byte that belongs to something else. */
  readonly limit: number;
}

const RECORD = 0x02014b50;
const RECORD_LENGTH = 46;
const LOCAL_LENGTH = 30;
const MAX_OVERHEAD = 1_024;
const ZIP64 = 0x0001;
const FLAG_ENCRYPTED = 0x1;
const FLAG_STRONG = 0x40;
const FLAG_UTF8 = 0x800;
const FLAG_MASKED = 0x2000;
const DOS_DIRECTORY = 0x10;
const DOS_READ_ONLY = 0x1;
const UNIX_HOSTS: ReadonlySet<number> = new Set([3, 19]);
const TYPE_OF_MODE: ReadonlyMap<number, ZipRecord['kind']> = new Map([
  [0o040000, 'directory'],
  [0o100000, 'file'],
  [0o120000, 'link'],
]);

/**
 * Returns the records of a zip in the order of its directory. The directory has to hold exactly the entries it says,
 * and no two of them may share bytes of the file (the bombs of Fifield are made of such).
 *
 * Errors: `ARCHIVE_CORRUPT`; `ARCHIVE_UNSUPPORTED` for encryption and unknown compression; `ARCHIVE_UNSAFE_NAME`;
 * `ARCHIVE_TOO_LARGE`, `ARCHIVE_TOO_MANY_ENTRIES`.
 */
export function readZipDirectory(access: RandomAccess, budget: Budget): ZipRecord[] {
  const end = readZipEnd(access);
  budget.declareEntries(end.entries);
  budget.header(end.size);
  const directory = access.read(end.offset, end.size);
  const records: (ZipRecord & { limit: number })[] = [];
  let at = 0;
  while (at < directory.length && records.length <= end.entries) {
    const length = recordLength(directory, at, end.offset);
    records.push(readRecord(directory.subarray(at, at + length), end.offset + at));
    at += length;
  }
  if (records.length !== end.entries) {
    throw corrupt(`the zip does not have the ${end.entries} entries that it says`, end.offset);
  }
  setLimits(records, end.offset);
  return records;
}

function recordLength(directory: Buffer, at: number, offset: number): number {
  if (at + RECORD_LENGTH > directory.length || directory.readUInt32LE(at) !== RECORD) {
    throw corrupt('no record where the directory of the zip goes on', offset + at);
  }
  const length =
    RECORD_LENGTH +
    directory.readUInt16LE(at + 28) +
    directory.readUInt16LE(at + 30) +
    directory.readUInt16LE(at + 32);
  if (at + length > directory.length)
    throw corrupt('a record of the zip is longer than its directory', offset + at);
  return length;
}

function readRecord(record: Buffer, offset: number): ZipRecord {
  const nameEnd = RECORD_LENGTH + record.readUInt16LE(28);
  const rawName = record.subarray(RECORD_LENGTH, nameEnd);
  const extra = readExtra(record.subarray(nameEnd, nameEnd + record.readUInt16LE(30)), offset);
  const flags = record.readUInt16LE(8);
  const name = zipName(rawName, (flags & FLAG_UTF8) !== 0, extra);
  if ((flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED)) !== 0) throw unsupported('is encrypted', name);
  const method = record.readUInt16LE(10);
  if (method !== 0 && method !== 8) throw unsupported(`is compressed by method ${method}`, name);
  const sizes = readSizes(record, extra.get(ZIP64), offset);
  if (method === 0 && sizes.packedSize !== sizes.size) {
    throw corrupt('a stored entry of the zip has two sizes', offset);
  }
  // Compressed data is read at once, so it must not be larger than what any packer makes of the content.
  if (sizes.packedSize > 2 * sizes.size + MAX_OVERHEAD) {
    throw corrupt('an entry of the zip has far more compressed data than content', offset);
  }
  const { kind, mode } = readAttributes(record, name);
  return { name, rawName, kind, mode, method, crc: record.readUInt32LE(16), ...sizes, limit: offset };
}

/** Sizes and place, from the zip64 field where the plain ones are full. */
function readSizes(
  record: Buffer,
  zip64: Buffer | undefined,
  offset: number,
): { readonly size: number; readonly packedSize: number; readonly offset: number } {
  let at = 0;
  const value = (plain: number): number => {
    const number = record.readUInt32LE(plain);
    if (number !== 0xffffffff || zip64 === undefined) return number;
    if (at + 8 > zip64.length) throw corrupt('a zip64 field is too short', offset);
    at += 8;
    return readUInt64(zip64, at - 8, offset);
  };
  const sizes = { size: value(24), packedSize: value(20), offset: value(42) };
  const disk = record.readUInt16LE(34);
  if (disk !== 0 && disk !== 0xffff) throw unsupported('is a zip in several parts');
  return sizes;
}

function readExtra(bytes: Buffer, offset: number): ReadonlyMap<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  while (at + 4 <= bytes.length) {
    const id = bytes.readUInt16LE(at);
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) throw corrupt('an extra field of the zip is longer than its record', offset);
    if (!fields.has(id)) fields.set(id, bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** What an entry is and who may do what with it. A link is one whoever made the zip. */
function readAttributes(
  record: Buffer,
  name: string,
): { readonly kind: ZipRecord['kind']; readonly mode: number } {
  const host = record.readUInt8(5);
  const external = record.readUInt32LE(38);
  const unix = external >>> 16;
  const type = unix & 0o170000;
  const folder = name.endsWith('/') || name.endsWith('\\');
  const isDirectory = folder || (!UNIX_HOSTS.has(host) && (external & DOS_DIRECTORY) !== 0);
  const plain = isDirectory ? 'directory' : 'file';
  const kind = type === 0 || (folder && type === 0o100000) ? plain : (TYPE_OF_MODE.get(type) ?? 'special');
  if (unix !== 0) return { kind, mode: unix & 0o777 };
  const all = isDirectory ? 0o777 : 0o666;
  return { kind, mode: (external & DOS_READ_ONLY) === 0 ? all : all & 0o555 };
}

/** Finds for each record where the next thing begins, and refuses records that reach into it. */
function setLimits(records: (ZipRecord & { limit: number })[], directory: number): void {
  const order = [...records].sort((a, b) => a.offset - b.offset);
  let limit = directory;
  for (const record of order.reverse()) {
    record.limit = limit;
    if (record.offset + LOCAL_LENGTH + record.rawName.length + record.packedSize > limit) {
      throw corrupt('two entries of the zip share bytes, or one reaches into its directory', record.offset);
    }
    limit = record.offset;
  }
}
