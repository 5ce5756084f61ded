/**
 * Writing a zip that depends on names, content and executability alone.
 *
 * @module
 */
import { crc32 } from 'node:zlib';
import { LIMITS } from '../limits.ts';
import type { Pace } from '../pace.ts';
import { deflate } from './deflate.ts';
import type { PackedFile } from './tar-write.ts';

/** 1980-01-01 00:00, the first moment of DOS time. */
const DOS_TIME = 0;
const DOS_DATE = 0x21;
const UNIX = 3;
/** Version 2.0 of the format: folders and deflate. */
const VERSION = 20;
const FLAG_UTF8 = 0x800;
const ASCII = /^[\u0020-\u007e]*$/;
const REGULAR = 0o100000;

/**
 * Returns a zip of `files` in the order given: sizes before the data, no extra fields, no comments, one fixed time.
 * Content that deflate does not make smaller is stored, and so is what would unpack like a bomb.
 */
export async function writeZip(files: Iterable<PackedFile>, pace: Pace): Promise<Buffer> {
  const body: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes, executable } of files) {
    const packed = await deflate([bytes], pace);
    const method =
      packed.length < bytes.length && bytes.length <= packed.length * LIMITS.archiveRatio ? 8 : 0;
    const data = method === 8 ? packed : bytes;
    const name = Buffer.from(path);
    const common = commonFields(name, bytes, data.length, method, ASCII.test(path) ? 0 : FLAG_UTF8);
    const mode = REGULAR | (executable ? 0o755 : 0o644);
    body.push(localHeader(common), name, data);
    directory.push(directoryRecord(common, mode, offset), name);
    offset += LOCAL_LENGTH + name.length + data.length;
  }
  const records = Buffer.concat(directory);
  return Buffer.concat([...body, records, endRecord(directory.length / 2, records.length, offset)]);
}

const COMMON_LENGTH = 26;
const LOCAL_LENGTH = 4 + COMMON_LENGTH;

/** The fields that a local header and its record in the directory share. */
function commonFields(
  name: Buffer,
  bytes: Uint8Array,
  packedSize: number,
  method: number,
  flags: number,
): Buffer {
  const fields = Buffer.alloc(COMMON_LENGTH);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(method, 4);
  fields.writeUInt16LE(DOS_TIME, 6);
  fields.writeUInt16LE(DOS_DATE, 8);
  fields.writeUInt32LE(crc32(bytes), 10);
  fields.writeUInt32LE(packedSize, 14);
  fields.writeUInt32LE(bytes.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

function localHeader(common: Buffer): Buffer {
  return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common]);
}

function directoryRecord(common: Buffer, mode: number, offset: number): Buffer {
  const head = Buffer.from('PK\u0001\u0002\0\0', 'latin1');
  head.writeUInt16LE((UNIX << 8) | VERSION, 4);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(mode * 2 ** 16, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, rest]);
}

function endRecord(entries: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.write('PK\u0005\u0006', 'latin1');
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}
