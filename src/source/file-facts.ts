/**
 * What is said of a file, taken from its bytes without keeping them.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs';
import { digestOf } from '../integrity/digest.ts';
import { isLosslessText } from '../integrity/text.ts';
import { CHANGED, LARGEST_CALL, modifiedAtOf, stampOf } from './file-read.ts';
import type { HostFs } from './host-fs.ts';
import { SECRET_SCAN_BYTES } from './secret.ts';
import type { SourceFacts } from './source.ts';

/** Room for the usual file; a larger one gets room of its own, which is dropped afterwards. */
const ROOM = 262_144;

/** Takes facts of files, one after the other, in one piece of memory. */
export class FactsTaker {
  readonly #fs: HostFs;
  #room: Buffer | undefined;

  constructor(fs: HostFs) {
    this.#fs = fs;
  }

  /**
   * Returns the facts of the open file of the state `stats`, and the beginning of its bytes as long as `look` runs, or
   * {@link CHANGED} when it is not as long as that state says.
   *
   * The stamp is of a look before the bytes: whatever is written from then on gives the file another one, so that no
   * second look is needed before these facts are published. Bytes that are sent are held against the stamp after them.
   */
  take(fd: number, stats: BigIntStats, look: (head: Buffer) => void): SourceFacts | typeof CHANGED {
    const size = Number(stats.size);
    const buffer = this.#roomFor(size + 1);
    // One byte more shows a file that has grown, or that has content though the system says that it is empty.
    if (this.#fill(fd, buffer, size) !== size) return CHANGED;
    const bytes = buffer.subarray(0, size);
    look(bytes.subarray(0, SECRET_SCAN_BYTES));
    return {
      size,
      digest: digestOf(bytes),
      text: isLosslessText(bytes),
      stamp: stampOf(stats),
      modifiedAt: modifiedAtOf(stats),
    };
  }

  /** Returns the beginning of an open file, as much as the check for secrets looks at; it stands until the next call. */
  head(fd: number): Buffer {
    const buffer = this.#roomFor(SECRET_SCAN_BYTES);
    let filled = 0;
    while (filled < SECRET_SCAN_BYTES) {
      const read = this.#fs.read(fd, buffer, filled, SECRET_SCAN_BYTES - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    return buffer.subarray(0, filled);
  }

  /** Returns how many bytes came, `size` or one more at most. The usual file comes with one call, its end included. */
  #fill(fd: number, buffer: Buffer, size: number): number {
    let filled = 0;
    do {
      const read = this.#fs.read(fd, buffer, filled, Math.min(size + 1 - filled, LARGEST_CALL), filled);
      if (read === 0) break;
      filled += read;
    } while (filled < size);
    return filled;
  }

  #roomFor(bytes: number): Buffer {
    if (bytes > ROOM) return Buffer.allocUnsafeSlow(bytes);
    this.#room ??= Buffer.allocUnsafeSlow(ROOM);
    return this.#room;
  }
}
