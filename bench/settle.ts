import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsOf } from './process-facts.ts';

const LOOK_MS = 250;
/** What is to be done in the background begins by then. */
const FIRST_MS = 2_000;
/** A process that spends less of that in it is idle: a twentieth. */
const IDLE_CPU_MS = LOOK_MS / 20;
const PATIENCE_MS = 120_000;

/**
 * Waits until a process has nothing more to do than to wait, as a server that has begun to listen and still packs archives
 * in the background. Gives the time that took in ms, its last look not counted; at most two minutes.
 */
export async function settle(pid: number): Promise<number> {
  const begun = performance.now();
  await sleep(FIRST_MS);
  let idleSince = begun;
  for (let before = cpuMsOf(pid); performance.now() - begun < PATIENCE_MS; ) {
    await sleep(LOOK_MS);
    const now = cpuMsOf(pid);
    if (before === undefined || now === undefined) break;
    if (now - before > IDLE_CPU_MS) idleSince = performance.now();
    else if (performance.now() - idleSince >= 2 * LOOK_MS) break;
    before = now;
  }
  return Math.max(0, idleSince - begun);
}
