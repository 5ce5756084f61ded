import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstalledPeer, installPeer } from '../interop/peers/install.ts';
import { writeCorpus } from './corpus.ts';
import type { Plan } from './plan.ts';
import { withTempFolder } from './temp-folder.ts';

/** What the rooms of the harness measure with. */
export interface Bench {
  readonly plan: Plan;
  /** A temporary folder, for what a room needs beside the corpora. */
  readonly temp: string;
  /** The corpora: `plan.skills`, `plan.served` and `plan.few` skills. */
  readonly large: string;
  readonly served: string;
  readonly few: string;
  /** The folder of `@olaservo/ext-skills`; why there is none, or why it is left out. */
  readonly olaservo: InstalledPeer | { readonly notRun: string };
  /** Tells the person who waits what is going on. */
  readonly status: (text: string) => void;
}

/** Digests of files that changed a moment ago are not kept for a warm start. */
const SETTLE_MS = 2_500;

/** Writes the corpora, has `work` measure with them, and removes them. */
export async function withCorpora<T>(plan: Plan, work: (bench: Bench) => Promise<T>): Promise<T> {
  const status = (text: string): void => console.error(`bench: ${text}`);
  const olaservo = plan.peers ? await installPeer('olaservo-ext-skills') : { notRun: 'left out of this run' };
  return withTempFolder('bench', async (temp) => {
    const [large, served, few] = [join(temp, 'large'), join(temp, 'served'), join(temp, 'few')];
    status(`writing ${plan.skills.toLocaleString('en')} skills`);
    writeCorpus(large, plan.skills);
    writeCorpus(served, plan.served);
    writeCorpus(few, plan.few);
    await sleep(SETTLE_MS);
    return work({ plan, temp, large, served, few, olaservo, status });
  });
}
