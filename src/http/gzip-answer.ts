/**
 * Prepared answers in gzip, compressed once: only the id is added to each.
 *
 * @module
 */
import { constants, crc32, deflateRaw } from 'node:zlib';
import { LIMITS } from '../limits.ts';
import { countWith, type PreparedBytes } from '../server/prepared-cache.ts';

/** A whole body in gzip, to be sent in this order. */
export interface GzipAnswer {
  /** The same bytes for every id. */
  readonly front: Buffer;
  readonly end: Buffer;
}

/** Everything before the id. */
interface Front {
  readonly bytes: Buffer;
  readonly crc: number;
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** What a stored block says before its bytes, and a member of gzip after the last. */
const BLOCK_BYTES = 5;
const TRAILER_BYTES = 8;
const STORED_BYTES = 0xffff;
/** What shrinks less is not worth the work of a client. */
const WORTH_IT = 0.75;

/** By the bytes that they are made of, with which they are counted and dropped. */
const fronts: WeakMap<Buffer, Front | 'asked' | 'plain'> = new WeakMap();
let isBusy = false;

/**
 * The answer of `head`, `after` in gzip (RFC 1952), or undefined where it goes out plain: a short one, one that shrinks too
 * little, and one that is not compressed yet. It is compressed on another thread, one at a time, once it was asked for
 * twice: what nobody keeps is asked for once.
 *
 * One member, since there are clients that read no second one. The head is one run of deflate blocks (RFC 1951); the id
 * stands in a block of its own that is not compressed, so that nothing in an answer is compressed together with what the
 * client chose.
 */
export function gzipAnswer(head: PreparedBytes, after: string): GzipAnswer | undefined {
  if (typeof head === 'string' || head.length < LIMITS.gzipAnswerBytes) return undefined;
  const front = fronts.get(head);
  if (front === undefined) fronts.set(head, 'asked');
  else if (front === 'asked') compress(head);
  return typeof front === 'object' ? answerOf(front, head.length, after) : undefined;
}

function compress(head: Buffer): void {
  if (isBusy) return;
  const done = (error: Error | null, deflated: Buffer): void => {
    isBusy = false;
    if (error !== null || deflated.length > head.length * WORTH_IT) {
      fronts.set(head, 'plain');
      return;
    }
    const bytes = Buffer.concat([HEADER, deflated]);
    fronts.set(head, { bytes, crc: crc32(head) });
    countWith(head, bytes.length);
  };
  try {
    // Ended as a flush ends, on a whole byte, so that a block can follow.
    deflateRaw(head, { finishFlush: constants.Z_SYNC_FLUSH }, done);
    isBusy = true;
  } catch {
    // No memory to compress in: the plain answer needs none.
    fronts.set(head, 'plain');
  }
}

function answerOf({ bytes, crc }: Front, headLength: number, after: string): GzipAnswer | undefined {
  const length = Buffer.byteLength(after);
  if (length > STORED_BYTES) return undefined;
  const end = Buffer.allocUnsafe(BLOCK_BYTES + length + TRAILER_BYTES);
  end[0] = 1;
  end.writeUInt16LE(length, 1);
  end.writeUInt16LE(length ^ STORED_BYTES, 3);
  end.write(after, BLOCK_BYTES, 'utf8');
  const at = BLOCK_BYTES + length;
  end.writeUInt32LE(crc32(end.subarray(BLOCK_BYTES, at), crc), at);
  end.writeUInt32LE((headLength + length) % 2 ** 32, at + 4);
  return { front: bytes, end };
}
