/**
 * Looks at many files and folders, taken on another thread.
 *
 * @module
 */
import { startThread } from './facts-thread.ts';
import { KeptLooks } from './kept-looks.ts';
import { LookShares } from './look-shares.ts';
import type { RealLooks } from './real-looks.ts';
import type { LooksAhead } from './source.ts';

/** What the thread is started with. */
export interface LooksScope {
  readonly job: 'looks';
  readonly root: string;
  readonly device: bigint;
  /** As {@link KeptLooks} reads them. */
  readonly kept: Uint8Array;
  /** Of {@link LookShares}. */
  readonly shares: SharedArrayBuffer;
}

/** Starts a thread that looks; undefined when the system has none left. */
export function startLooksThread(
  program: URL,
  { root, device }: RealLooks,
  bytes: Uint8Array,
): LooksAhead | undefined {
  const shares = new LookShares(new KeptLooks(bytes).folders);
  const kept = new Uint8Array(new SharedArrayBuffer(bytes.length));
  kept.set(bytes);
  const scope: LooksScope = { job: 'looks', root, device, kept, shares: shares.memory };
  try {
    const worker = startThread(program, scope);
    // Nobody waits for it: what it did not look at is looked at here, also when it fails.
    worker.on('error', () => {});
    return { isSame: (at) => shares.isSame(at), close: () => void worker.terminate() };
  } catch {
    return undefined;
  }
}
