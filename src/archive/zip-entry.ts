/**
 * The content of one zip entry.
 *
 * @module
 */
import { promisify } from 'node:util';
import { crc32, type InputType, inflateRaw, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { corrupt } from './archive-error.ts';
import type { RandomAccess } from './random-access.ts';
import type { ZipRecord } from './zip-directory.ts';

const LOCAL = 0x04034b50;
const LOCAL_LENGTH = 30;
const FLAG_DESCRIPTOR = 0x8;
const FULL = 0xffffffff;

/** From this size on zlib unpacks on another thread: below, handing it over takes longer than doing it. */
const ASYNC_BYTES = 524_288;

const MIN_CHUNK = 64;
const MAX_CHUNK = 65_536;

/** What zlib answers when asked for more than the bytes. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

type Inflate<R> = (bytes: InputType, options: ZlibOptions) => R;
// With `info` zlib returns the engine too, which its types do not say.
const inflateNow = inflateRawSync as unknown as Inflate<Inflated>;
const inflateLater = promisify(inflateRaw) as unknown as Inflate<Promise<Inflated>>;

/**
 * Returns the content of an entry: exactly as many bytes as the directory says, with the checksum it says, from all of
 * the compressed bytes. At once when it is small, else later.
 *
 * Errors: `ARCHIVE_CORRUPT`.
 */
export function readZipEntry(access: RandomAccess, record: ZipRecord): Buffer | Promise<Buffer> {
  const start = readLocal(access, record);
  if (start + record.packedSize > record.limit) {
    throw corrupt('an entry of the zip reaches into what follows it', start);
  }
  const packed = access.read(start, record.packedSize);
  if (record.method === 0) return checked(Buffer.from(packed), record, start);
  const options = {
    info: true,
    maxOutputLength: Math.max(1, record.size),
    // zlib returns its output buffer, so one much larger than the content would be kept with it.
    chunkSize: Math.min(Math.max(record.size + 1, MIN_CHUNK), MAX_CHUNK),
  };
  if (record.size >= ASYNC_BYTES) {
    return inflateLater(packed, options).then(
      (done) => whole(done, record, start),
      (error: unknown) => {
        throw notInflated(error, record, start);
      },
    );
  }
  let done: Inflated;
  try {
    done = inflateNow(packed, options);
  } catch (error) {
    throw notInflated(error, record, start);
  }
  return whole(done, record, start);
}

function whole({ buffer, engine }: Inflated, record: ZipRecord, start: number): Buffer {
  if (engine.bytesWritten !== record.packedSize) {
    throw corrupt('an entry of the zip has bytes after its compressed data', start + engine.bytesWritten);
  }
  return checked(buffer, record, start);
}

function checked(bytes: Buffer, record: ZipRecord, start: number): Buffer {
  if (bytes.length !== record.size) {
    throw corrupt(`an entry of the zip has ${bytes.length} bytes and not the ${record.size} it says`, start);
  }
  if (crc32(bytes) !== record.crc) throw corrupt('the checksum of an entry of the zip is wrong', start);
  return bytes;
}

function notInflated(error: unknown, record: ZipRecord, start: number): Error {
  const tooMuch = error instanceof RangeError;
  return corrupt(
    tooMuch
      ? `an entry of the zip has more than the ${record.size} bytes it says`
      : 'the compressed data of an entry of the zip is not valid',
    start,
    error,
  );
}

/**
 * Returns where the data of an entry begins. Its own header has to say what the directory says, or a reader that goes
 * by the headers would see another archive.
 */
function readLocal(access: RandomAccess, record: ZipRecord): number {
  const { offset, rawName } = record;
  const header = access.read(offset, LOCAL_LENGTH);
  if (header.readUInt32LE(0) !== LOCAL)
    throw corrupt('no entry where the directory of the zip says one is', offset);
  const nameLength = header.readUInt16LE(26);
  const start = offset + LOCAL_LENGTH + nameLength + header.readUInt16LE(28);
  const name = nameLength === rawName.length ? access.read(offset + LOCAL_LENGTH, nameLength) : undefined;
  if (name === undefined || !name.equals(rawName)) throw differs('name', offset);
  const flags = header.readUInt16LE(6);
  if (header.readUInt16LE(8) !== record.method || (flags & 1) !== 0) throw differs('compression', offset);
  // Whoever wrote the entry as a stream left zeros here, of some fields or all, and put the numbers behind the data.
  const open = (flags & FLAG_DESCRIPTOR) !== 0;
  const agrees = (at: number, value: number): boolean => {
    const said = header.readUInt32LE(at);
    return said === value || (open && said === 0);
  };
  if (!agrees(14, record.crc)) throw differs('checksum', offset);
  for (const [at, size] of [
    [18, record.packedSize],
    [22, record.size],
  ] as const) {
    if (!agrees(at, size) && header.readUInt32LE(at) !== FULL) throw differs('size', offset);
  }
  return start;
}

function differs(what: string, offset: number): Error {
  return corrupt(`an entry of the zip and its directory say two things about its ${what}`, offset);
}
