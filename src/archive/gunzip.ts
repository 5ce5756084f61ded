/**
 * Unpacking gzip: one member, checked to its last byte (RFC 1952).
 *
 * @module
 */
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { corrupt } from './archive-error.ts';

/** Takes unpacked bytes as they come, and throws to stop. */
export type ByteSink = (chunk: Buffer) => void;

/** Packed bytes handed to zlib in one go: it unpacks at most 1,032 times as much before the sink can stop it. */
const SLICE = 65_536;
const CHUNK = 131_072;
const MAX_HEADER = 65_536;
const TRAILER = 8;

const FLAG_CRC = 2;
const FLAG_EXTRA = 4;
const FLAG_NAME = 8;
const FLAG_COMMENT = 16;
const FLAGS_RESERVED = 0xe0;

/**
 * Unpacks a gzip stream into `sink`; what the sink throws comes through.
 *
 * A second member and anything else after the first one is an error: readers disagree about it, so it could show one
 * archive to a checker and another one to its user.
 *
 * Errors: `ARCHIVE_CORRUPT`.
 */
export async function gunzip(
  input: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sink: ByteSink,
): Promise<void> {
  const member = new Member(sink);
  try {
    for await (const chunk of input) {
      for (let start = 0; start < chunk.length; start += SLICE) {
        await member.push(chunk.subarray(start, start + SLICE));
      }
    }
    member.end();
  } finally {
    member.close();
  }
}

class Member {
  readonly #sink: ByteSink;
  readonly #inflate: InflateRaw = createInflateRaw({ chunkSize: CHUNK });
  /** Bytes of the header or the trailer, as long as either is not whole. */
  #held: Buffer = Buffer.alloc(0);
  #state: 'header' | 'body' | 'trailer' = 'header';
  #headerBytes = 0;
  #fed = 0;
  #crc = 0;
  #size = 0;
  #failure: unknown;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.#inflate.on('data', (chunk: Buffer) => this.#output(chunk));
    this.#inflate.on('error', (cause: Error) => this.#fail(cause));
  }

  async push(chunk: Uint8Array): Promise<void> {
    let rest = chunk;
    if (this.#state === 'header') {
      this.#held = Buffer.concat([this.#held, rest]);
      const length = headerLength(this.#held);
      if (length === undefined) return;
      rest = this.#held.subarray(length);
      this.#headerBytes = length;
      this.#held = Buffer.alloc(0);
      this.#state = 'body';
    }
    if (this.#state === 'body' && rest.length > 0) rest = await this.#unpack(rest);
    if (this.#state === 'trailer') this.#trailer(rest);
  }

  /** Errors: `ARCHIVE_CORRUPT` when the member is not whole or its checksum is wrong. */
  end(): void {
    const offset = this.#headerBytes + this.#fed + this.#held.length;
    if (this.#state !== 'trailer' || this.#held.length < TRAILER) {
      throw corrupt('the gzip stream ends early', offset);
    }
    const [crc, size] = [this.#held.readUInt32LE(0), this.#held.readUInt32LE(4)];
    if (crc !== this.#crc || size !== this.#size) {
      throw corrupt('the checksum of the gzip stream is wrong', offset - TRAILER);
    }
  }

  close(): void {
    this.#inflate.destroy();
  }

  /** Feeds one slice and returns what lies after the compressed data: empty as long as that goes on. */
  async #unpack(slice: Uint8Array): Promise<Uint8Array> {
    this.#fed += slice.length;
    await new Promise<void>((resolve) => {
      this.#inflate.once('close', resolve);
      this.#inflate.write(slice, () => {
        this.#inflate.off('close', resolve);
        resolve();
      });
    });
    if (this.#failure !== undefined) throw this.#failure;
    const over = this.#fed - this.#inflate.bytesWritten;
    if (over === 0) return slice.subarray(slice.length);
    this.#fed -= over;
    this.#state = 'trailer';
    return slice.subarray(slice.length - over);
  }

  #trailer(more: Uint8Array): void {
    this.#held = Buffer.concat([this.#held, more.subarray(0, TRAILER + 2)]);
    if (this.#held.length <= TRAILER) return;
    const at = this.#headerBytes + this.#fed + TRAILER;
    const again = this.#held[TRAILER] === 0x1f && (this.#held[TRAILER + 1] ?? 0x8b) === 0x8b;
    throw corrupt(again ? 'a second gzip member follows the first' : 'bytes follow the gzip stream', at);
  }

  #output(chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    // For an array without memory behind it zlib forgets what came before.
    if (chunk.length > 0) this.#crc = crc32(chunk, this.#crc);
    this.#size = (this.#size + chunk.length) % 2 ** 32;
    try {
      this.#sink(chunk);
    } catch (error) {
      this.#failure = error;
      this.#inflate.destroy();
    }
  }

  #fail(cause: Error): void {
    const at = this.#headerBytes + this.#inflate.bytesWritten;
    this.#failure ??= corrupt('the compressed data is not valid', at, cause);
  }
}

/** The length of the gzip header that `bytes` begins with; undefined as long as it is not whole. */
export function headerLength(bytes: Buffer): number | undefined {
  for (const [at, expected] of [0x1f, 0x8b, 8].entries()) {
    if (at < bytes.length && bytes[at] !== expected) throw corrupt('no gzip header', at);
  }
  if (bytes.length < 10) return undefined;
  const flags = bytes.readUInt8(3);
  if ((flags & FLAGS_RESERVED) !== 0) throw corrupt('unknown flags in the gzip header', 3);
  let at: number | undefined = 10;
  if ((flags & FLAG_EXTRA) !== 0) at = bytes.length < 12 ? undefined : 12 + bytes.readUInt16LE(10);
  if ((flags & FLAG_NAME) !== 0) at = afterZero(bytes, at);
  if ((flags & FLAG_COMMENT) !== 0) at = afterZero(bytes, at);
  if ((flags & FLAG_CRC) !== 0 && at !== undefined) {
    if (bytes.length >= at + 2 && bytes.readUInt16LE(at) !== (crc32(bytes.subarray(0, at)) & 0xffff)) {
      throw corrupt('the checksum of the gzip header is wrong', at);
    }
    at += 2;
  }
  if (at !== undefined && at <= bytes.length) return at;
  if (bytes.length > MAX_HEADER + SLICE) throw corrupt('the gzip header does not end', MAX_HEADER);
  return undefined;
}

function afterZero(bytes: Buffer, from: number | undefined): number | undefined {
  if (from === undefined || from >= bytes.length) return undefined;
  const zero = bytes.indexOf(0, from);
  return zero < 0 ? undefined : zero + 1;
}
