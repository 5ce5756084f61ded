/**
 * Archives that no honest tool makes.
 *
 * @module
 */
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { writeTar } from '../../archive/tar-write.ts';

/** An entry of a bad archive. */
export interface BadEntry {
  /** As it goes in. */
  readonly name: string;
  readonly bytes: Uint8Array | string;
  /** Type and permissions, as Unix has them. @default a regular file */
  readonly mode?: number;
}

const REGULAR = 0o100644;
/** The mode of a symbolic link; its bytes are where it leads. */
export const LINK_MODE = 0o120777;
const UTF8_NAMES = 0x800;

/** A tar.gz of entries whose names nobody looked at. */
export function badTarGz(entries: readonly BadEntry[]): Buffer {
  const files = entries.map(({ name, bytes }) => ({
    path: name,
    bytes: Buffer.from(bytes),
    executable: false,
  }));
  return gzipSync(Buffer.concat([...writeTar(files)]));
}

/** A zip of entries whose names nobody looked at. */
export function badZip(entries: readonly BadEntry[]): Buffer {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, mode = REGULAR } of entries) {
    const content = Buffer.from(bytes);
    const packed = deflateRawSync(content);
    const path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF8_NAMES, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(mode * 0x10000, 6);
    tail.writeUInt32LE(offset, 10);
    // Made by Unix, so that the mode counts.
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003'), common, tail, path]));
    body.push(local);
    offset += local.length;
  }
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(records.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...body, records, end]);
}
