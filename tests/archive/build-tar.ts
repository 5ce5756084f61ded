/** Tars built byte by byte, right and wrong. */
import { gzipSync } from 'node:zlib';

export interface TarPart {
  readonly name: string | Buffer;
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly mode?: number;
  readonly link?: string;
  readonly prefix?: string;
  /** What the header says instead of the length of the body. */
  readonly size?: number | Buffer;
  /** Records of a pax header before the entry. */
  readonly pax?: readonly (readonly [string, string | Buffer])[];
  readonly magic?: string;
}

const BLOCK = 512;

export function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

export function paxRecord(key: string, value: string | Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')]);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length += 1;
  return Buffer.concat([Buffer.from(String(length)), rest]);
}

export function tarHeader(part: TarPart): Buffer {
  const block = Buffer.alloc(BLOCK);
  Buffer.from(part.name).copy(block, 0, 0, 100);
  block.write(`${(part.mode ?? 0o644).toString(8).padStart(7, '0')}\0`, 100);
  block.write('0000000\u00000000000\0', 108);
  const size = part.size ?? Buffer.byteLength(part.body ?? '');
  if (typeof size === 'number') block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  else size.copy(block, 124);
  block.write('00000000000\0', 136);
  block.write(part.type ?? '0', 156, 'latin1');
  block.write(part.link ?? '', 157);
  block.write(part.magic ?? 'ustar\u000000', 257, 'latin1');
  block.write(part.prefix ?? '', 345);
  return withSum(block);
}

export function withSum(block: Buffer): Buffer {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarPart(part: TarPart): Buffer {
  const body = Buffer.from(part.body ?? '');
  const records = part.pax === undefined ? [] : part.pax.map(([key, value]) => paxRecord(key, value));
  const extended =
    records.length === 0
      ? Buffer.alloc(0)
      : tarPart({ name: 'pax', type: 'x', body: Buffer.concat(records) });
  return Buffer.concat([extended, tarHeader(part), pad(body)]);
}

export const END: Buffer = Buffer.alloc(2 * BLOCK);

export function tar(parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.map(tarPart), END]);
}

export function tarGz(parts: readonly TarPart[]): Buffer {
  return gzipSync(tar(parts));
}
