/** Zips built byte by byte, right and wrong. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly name: string | Buffer;
  readonly body?: string | Buffer;
  /** 8 = deflated. @default 0 */
  readonly method?: number;
  readonly flags?: number;
  /** System that made it (upper byte) and version. @default 20, that is DOS */
  readonly madeBy?: number;
  readonly external?: number;
  readonly extra?: Buffer;
  /** What both headers say instead of the truth. */
  readonly size?: number;
  readonly packedSize?: number;
  readonly crc?: number;
  /** The packed data instead of the real one. */
  readonly data?: Buffer;
  /** What the local header alone says. */
  readonly local?: Partial<
    Pick<ZipPart, 'name' | 'method' | 'flags' | 'size' | 'packedSize' | 'crc' | 'extra'>
  >;
  /** A data descriptor behind the data, with zeros in the local header. */
  readonly descriptor?: boolean;
  /** Where the directory says the entry is. */
  readonly offset?: number;
}

export interface ZipOptions {
  readonly comment?: Buffer;
  readonly entries?: number;
  readonly before?: Buffer;
  readonly after?: Buffer;
  readonly directorySize?: number;
  readonly directoryOffset?: number;
  /** Puts a zip64 end before the plain one, which then is full, or says the same. */
  readonly zip64?: boolean | 'beside';
}

export const UNIX: number = (3 << 8) | 20;
export const mode = (bits: number): number => bits * 2 ** 16;

function fields(
  name: Buffer,
  each: { flags: number; method: number; crc: number; packedSize: number; size: number; extra: Buffer },
): Buffer {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(20, 0);
  bytes.writeUInt16LE(each.flags, 2);
  bytes.writeUInt16LE(each.method, 4);
  bytes.writeUInt16LE(0x21, 8);
  bytes.writeUInt32LE(each.crc, 10);
  bytes.writeUInt32LE(each.packedSize, 14);
  bytes.writeUInt32LE(each.size, 18);
  bytes.writeUInt16LE(name.length, 22);
  bytes.writeUInt16LE(each.extra.length, 24);
  return bytes;
}

export function zip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const body: Buffer[] = [options.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  let written = options.before?.length ?? 0;
  const put = (...pieces: Buffer[]): void => {
    for (const piece of pieces) {
      body.push(piece);
      written += piece.length;
    }
  };
  for (const part of parts) {
    const content = Buffer.from(part.body ?? '');
    const method = part.method ?? 0;
    const data = part.data ?? (method === 8 ? deflateRawSync(content) : content);
    const name = Buffer.from(part.name);
    const said = {
      flags: (part.flags ?? 0) | (part.descriptor === true ? 8 : 0),
      method,
      crc: part.crc ?? crc32(content),
      packedSize: part.packedSize ?? data.length,
      size: part.size ?? content.length,
      extra: part.extra ?? Buffer.alloc(0),
    };
    const zeros = part.descriptor === true ? { crc: 0, packedSize: 0, size: 0 } : {};
    const { name: otherName, ...other } = part.local ?? {};
    const localName = otherName === undefined ? name : Buffer.from(otherName);
    const local = { ...said, ...zeros, ...other };
    const offset = part.offset ?? written;
    put(Buffer.from('PK\u0003\u0004', 'latin1'), fields(localName, local), localName, local.extra, data);
    if (part.descriptor === true) {
      const tail = Buffer.alloc(16);
      tail.write('PK\u0007\u0008', 'latin1');
      tail.writeUInt32LE(said.crc, 4);
      tail.writeUInt32LE(said.packedSize, 8);
      tail.writeUInt32LE(said.size, 12);
      put(tail);
    }
    const head = Buffer.from('PK\u0001\u0002\0\0', 'latin1');
    head.writeUInt16LE(part.madeBy ?? 20, 4);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(part.external ?? 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(head, fields(name, said), rest, name, said.extra);
  }
  const offset = options.directoryOffset ?? written;
  const records = Buffer.concat(directory);
  const size = options.directorySize ?? records.length;
  const entries = options.entries ?? parts.length;
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(options.zip64 === true ? 0xffff : entries, 8);
  end.writeUInt16LE(options.zip64 === true ? 0xffff : entries, 10);
  end.writeUInt32LE(options.zip64 === true ? 0xffffffff : size, 12);
  end.writeUInt32LE(options.zip64 === true ? 0xffffffff : offset, 16);
  end.writeUInt16LE(options.comment?.length ?? 0, 20);
  return Buffer.concat([
    ...body,
    records,
    ...(options.zip64 !== undefined ? [zip64End(entries, size, offset, written + records.length)] : []),
    end,
    options.comment ?? Buffer.alloc(0),
    options.after ?? Buffer.alloc(0),
  ]);
}

function zip64End(entries: number, size: number, offset: number, position: number): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.write('PK\u0006\u0006', 'latin1');
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(45, 12);
  end.writeUInt16LE(45, 14);
  end.writeBigUInt64LE(BigInt(entries), 24);
  end.writeBigUInt64LE(BigInt(entries), 32);
  end.writeBigUInt64LE(BigInt(size), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  end.write('PK\u0006\u0007', 56, 'latin1');
  end.writeBigUInt64LE(BigInt(position), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** One extra field. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}
