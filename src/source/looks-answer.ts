/**
 * The looks that one thread takes for another.
 *
 * @module
 */
import { KeptLooks } from './kept-looks.ts';
import { LookShares } from './look-shares.ts';
import type { LooksScope } from './looks-thread.ts';
import { folderLooker, RealLooks } from './real-looks.ts';

/**
 * Names and stamps of one folder that are looked at here, bytes. Texts made of more may not fit into the memory of a thread,
 * and where that is full within one call of the engine the process ends, not the thread.
 */
const MOST_BYTES = 8_388_608;

/** Looks at folders from the last one on until the other thread is met, but not at those that hold very many files. */
export function lookAll({ root, device, kept, shares }: LooksScope): void {
  const looks = new KeptLooks(kept);
  const isSame = folderLooker(new RealLooks(root, device), looks);
  new LookShares(looks.folders, shares).look((at) => looks.size(at) <= MOST_BYTES && isSame(at));
}
