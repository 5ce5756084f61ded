/**
 * Reading a tar as its bytes come.
 *
 * @module
 */

import type { Admission, ArchiveEntry } from './admission.ts';
import { corrupt, unsupported } from './archive-error.ts';
import type { Budget } from './budget.ts';
import { type PaxFields, readGlobalPax, readPax } from './pax.ts';
import { BLOCK, decodeName, readTarHeader, type TarHeader } from './tar-header.ts';

/** An entry with its content; folders and links have none. */
export interface ReadEntry {
  readonly entry: ArchiveEntry;
  readonly bytes: Buffer;
}

/** Zeros that may follow the end: packers fill up their last record, of 10 KiB by default. */
const MAX_PADDING = 1_048_576;

const SPECIAL: Readonly<Record<string, string>> = {
  '3': 'character device',
  '4': 'block device',
  '6': 'named pipe',
};

/** What is being gathered: a body of which `left` bytes are to come, then `padding`. */
interface Gathering {
  readonly take: (body: Buffer) => void;
  /** Counts bytes as they come; absent for what is not kept. */
  readonly count: (before: number, more: number) => void;
  readonly keep: boolean;
  readonly size: number;
  readonly chunks: Buffer[];
  had: number;
}

/**
 * Takes the bytes of a tar piece by piece and keeps the files that {@link Admission} lets in. Understands ustar, pax
 * and GNU long names; whatever else a header may be is refused and never skipped.
 *
 * Errors: `ARCHIVE_CORRUPT`, `ARCHIVE_UNSUPPORTED`, and those of {@link Admission.admit}.
 */
export class TarReader {
  readonly entries: ReadEntry[] = [];
  /** Of the first global header that has one. */
  comment: string | undefined;
  readonly #admission: Admission;
  readonly #budget: Budget;
  /** Less than a block, left over from the last piece. */
  #held: Buffer = Buffer.alloc(0);
  #offset = 0;
  #gathering: Gathering | undefined;
  #padding = 0;
  #zeroBlocks = 0;
  #pax: PaxFields | undefined;
  #longName: string | undefined;
  #longLink: string | undefined;

  constructor(admission: Admission, budget: Budget) {
    this.#admission = admission;
    this.#budget = budget;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const start = at;
      if (this.#gathering !== undefined) at += this.#gather(this.#gathering, chunk.subarray(at));
      else if (this.#padding > 0) at += this.#skip(chunk.length - at);
      else at += this.#block(chunk.subarray(at));
      this.#offset += at - start;
    }
  }

  /** Errors: `ARCHIVE_CORRUPT` when the tar does not end as it should. */
  end(): void {
    if (this.#gathering !== undefined || this.#padding > 0 || this.#held.length > 0) {
      throw corrupt('the tar ends within an entry', this.#offset);
    }
    if (this.#zeroBlocks === 0) throw corrupt('the tar has no end mark', this.#offset);
  }

  #gather(body: Gathering, chunk: Buffer): number {
    const taken = Math.min(body.size - body.had, chunk.length);
    const part = chunk.subarray(0, taken);
    body.count(body.had, taken);
    if (body.keep) body.chunks.push(taken === body.size ? Buffer.from(part) : part);
    body.had += taken;
    if (body.had === body.size) this.#gathered(body);
    return taken;
  }

  #gathered(body: Gathering): void {
    this.#gathering = undefined;
    this.#padding = (BLOCK - (body.size % BLOCK)) % BLOCK;
    const [only] = body.chunks;
    body.take(body.chunks.length === 1 && only !== undefined ? only : Buffer.concat(body.chunks));
  }

  #skip(available: number): number {
    const skipped = Math.min(this.#padding, available);
    this.#padding -= skipped;
    return skipped;
  }

  #block(chunk: Buffer): number {
    const missing = BLOCK - this.#held.length;
    if (chunk.length < missing) {
      this.#held = Buffer.concat([this.#held, chunk]);
      return chunk.length;
    }
    const block =
      this.#held.length === 0 ? chunk.subarray(0, BLOCK) : Buffer.concat([this.#held, chunk], BLOCK);
    const offset = this.#offset - this.#held.length;
    this.#held = Buffer.alloc(0);
    this.#header(readTarHeader(block, offset), offset);
    return missing;
  }

  #header(header: TarHeader | undefined, offset: number): void {
    if (header === undefined) {
      if (this.#pending()) throw corrupt('an extended tar header stands before no entry', offset);
      this.#zeroBlocks += 1;
      if (this.#zeroBlocks * BLOCK > MAX_PADDING) throw corrupt('zeros without end follow the tar', offset);
      return;
    }
    if (this.#zeroBlocks > 0) throw corrupt('bytes follow the end mark of the tar', offset);
    if (header.type === 'x' || header.type === 'g' || header.type === 'L' || header.type === 'K') {
      this.#extended(header, offset);
    } else this.#entry(header, offset);
  }

  #extended({ type, size }: TarHeader, offset: number): void {
    this.#budget.header(BLOCK);
    const at = offset + BLOCK;
    const twice =
      type === 'x' ? this.#pax : type === 'L' ? this.#longName : type === 'K' ? this.#longLink : undefined;
    if (twice !== undefined) throw corrupt('two extended tar headers stand before one entry', offset);
    if (type === 'g' && this.#pending()) throw corrupt('a global tar header stands before an entry', offset);
    this.#begin(
      size,
      true,
      (_, more) => this.#budget.header(more),
      (body) => {
        if (type === 'x') this.#pax = readPax(body, at);
        else if (type === 'g') this.#global(readGlobalPax(body, at));
        else if (type === 'L') this.#longName = readLongName(body, at);
        else this.#longLink = readLongName(body, at);
      },
    );
  }

  #global(comment: string | undefined): void {
    this.comment ??= comment;
  }

  #entry(header: TarHeader, offset: number): void {
    const { path, linkPath, size = header.size } = this.#pax ?? {};
    if (path !== undefined && this.#longName !== undefined && path !== this.#longName) {
      throw corrupt('an entry of the tar has two names', offset);
    }
    const name = path ?? this.#longName ?? decodeName(header.rawName);
    const target = linkPath ?? this.#longLink ?? header.linkName;
    this.#pax = undefined;
    this.#longName = undefined;
    this.#longLink = undefined;
    const kind = kindOf(header.type, name);
    if (kind !== 'file' && size > 0) throw corrupt(`a ${kind} of the tar has content`, offset);
    const entry = this.#admission.admit({
      name,
      kind,
      size,
      mode: header.mode,
      ...(kind === 'link' ? { target } : {}),
      ...(kind === 'special' ? { what: SPECIAL[header.type] ?? 'special file' } : {}),
    });
    const shown = entry?.path ?? name;
    this.#begin(
      size,
      entry !== undefined,
      (before, more) => this.#budget.body(shown, before, more),
      (bytes) => {
        if (entry !== undefined) this.entries.push({ entry, bytes });
      },
    );
  }

  #begin(size: number, keep: boolean, count: Gathering['count'], take: Gathering['take']): void {
    const body: Gathering = { take, count, keep, size, chunks: [], had: 0 };
    if (size === 0) this.#gathered(body);
    else this.#gathering = body;
  }

  #pending(): boolean {
    return this.#pax !== undefined || this.#longName !== undefined || this.#longLink !== undefined;
  }
}

/** What a type flag means. Old tars mark a folder by the slash at the end of its name. */
function kindOf(type: string, name: string): 'file' | 'directory' | 'link' | 'special' {
  if (type === '5') return 'directory';
  if (type === '1' || type === '2') return 'link';
  if (SPECIAL[type] !== undefined) return 'special';
  if (type === '0' || type === '7') return name.endsWith('/') ? 'directory' : 'file';
  throw unsupported(`is of the tar type ${JSON.stringify(type)}`, name);
}

/** The name in the body of a GNU long name header: up to its NUL, behind which nothing but NULs may stand. */
function readLongName(body: Buffer, offset: number): string {
  const end = body.indexOf(0);
  if (end < 0) return decodeName(body);
  if (body.subarray(end).some((byte) => byte !== 0))
    throw corrupt('text follows the NUL of a long name', offset + end);
  return decodeName(body.subarray(0, end));
}
