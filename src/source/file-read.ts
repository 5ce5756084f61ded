/**
 * Reading an open file so that what comes back is one state of it.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs';
import type { HostFs } from './host-fs.ts';

/** The file changed while it was read. */
export const CHANGED = 'changed';

/** Bytes that one call of the system reads at most. */
export const LARGEST_CALL = 1_073_741_824;

/** What a file is told apart by from what it was. */
type State = Pick<BigIntStats, 'size' | 'mtimeNs' | 'ctimeNs' | 'ino' | 'mode'>;

/** Whether nothing happened to a file between two looks at it. */
function same(before: State, after: State): boolean {
  return (
    before.size === after.size &&
    before.mtimeNs === after.mtimeNs &&
    before.ctimeNs === after.ctimeNs &&
    before.ino === after.ino
  );
}

/** Returns the stamp of a state of a file, short and in one piece: there is one for every file of a catalog. */
export function stampOf(stats: BigIntStats): string {
  const { size, mtimeNs, ctimeNs, ino } = stats;
  return [size.toString(32), mtimeNs.toString(32), (ctimeNs - mtimeNs).toString(32), ino.toString(32)].join(
    '.',
  );
}

/**
 * Returns a look at the file at `full` that tells its stamp, or undefined while no file is there. Most looks find what the
 * one before found, whose stamp is told again.
 */
export function stampLooker(fs: HostFs, full: string): () => string | undefined {
  let before: State | undefined;
  let stamp = '';
  return () => {
    try {
      const stats = fs.lstat(full);
      if (before === undefined || !same(before, stats) || before.mode !== stats.mode) {
        if (!stats.isFile()) return undefined;
        const { size, mtimeNs, ctimeNs, ino, mode } = stats;
        stamp = stampOf(stats);
        before = { size, mtimeNs, ctimeNs, ino, mode };
      }
      return stamp;
    } catch {
      return undefined;
    }
  };
}

/** Returns the time of the last modification in ms since 1970, fractions included. */
export function modifiedAtOf(stats: BigIntStats): number {
  return Number(stats.mtimeNs) / 1e6;
}

/** Returns the whole content of an open file of the state `before`, or {@link CHANGED}. */
export function readWhole(fs: HostFs, fd: number, before: BigIntStats): Buffer | typeof CHANGED {
  const size = Number(before.size);
  // A file of size 0 may still have content on file systems that make it up; one byte more shows it.
  const buffer = Buffer.allocUnsafe(size === 0 ? 1 : size);
  let filled = 0;
  while (filled < buffer.length) {
    const read = fs.read(fd, buffer, filled, Math.min(buffer.length - filled, LARGEST_CALL), filled);
    if (read === 0) break;
    filled += read;
  }
  if (filled !== size || !same(before, fs.fstat(fd))) return CHANGED;
  return size === 0 ? Buffer.alloc(0) : buffer;
}
