/**
 * The looks that one thread takes for another.
 *
 * @module
 */
import { KeptLooks } from './kept-looks.ts';
import { LookShares } from './look-shares.ts';
import type { LooksScope } from './looks-thread.ts';
import { folderLooker, RealLooks } from './real-looks.ts';

/** Looks at folders from the last one on until the other thread is met. */
export function lookAll({ root, device, kept, shares }: LooksScope): void {
  const looks = new KeptLooks(kept);
  const isSame = folderLooker(new RealLooks(root, device), looks);
  new LookShares(looks.folders, shares).look(isSame);
}
