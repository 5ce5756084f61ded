import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { fireOnce } from '../fire.ts';
import { type Job, jobsFor } from '../jobs.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { CONNECTIONS } from '../plan.ts';
import { memoryOf } from '../process-facts.ts';
import { settle } from '../settle.ts';
import { serveSkillwire, settledSkillwire } from '../skillwire-server.ts';
import { megabytes, number, quotient, rate, table, time } from '../table.ts';
import { cost, messagesOf } from './http.ts';

const REST_MS = 1_500;

/** Reads of a server of many skills beside those of one of few, and the memory of the server of many. */
export async function measureLarge({ plan, temp, large, few, status }: Bench): Promise<Measured> {
  const servers: Server[] = [];
  try {
    status(`a server of ${plan.skills} skills`);
    const many = await serveSkillwire(large, temp);
    servers.push(many);
    const loaded = memoryOf(many.pid);
    const busyMs = await settle(many.pid);
    const small = await settledSkillwire(few, temp);
    servers.push(small);
    const asked = {
      many: { server: many, messages: messagesOf(readsOf(plan.skills), many) },
      few: { server: small, messages: messagesOf(readsOf(plan.few), small) },
    };
    for (const { server, messages } of Object.values(asked))
      await fireOnce(server.url, messages, CONNECTIONS);
    const rates: Record<'many' | 'few', number[]> = { many: [], few: [] };
    for (let round = 0; round < Math.max(plan.rounds, 3); round++) {
      status(`reads of ${plan.skills} and ${plan.few} skills, round ${round + 1}`);
      for (const who of ['many', 'few'] as const) {
        const warmMs = round === 0 ? plan.warmMs : plan.warmMs / 8;
        rates[who].push((await cost(asked[who], warmMs, plan.ms)).perSecond);
      }
    }
    await sleep(REST_MS);
    return reported(
      { many: median(rates.many), few: median(rates.few), busyMs, loaded, serving: memoryOf(many.pid) },
      plan,
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

function readsOf(skills: number): Job {
  return jobsFor(skills).find(({ key }) => key === 'readMany') as Job;
}

function reported(
  found: {
    readonly many: number;
    readonly few: number;
    readonly busyMs: number;
    readonly loaded: ReturnType<typeof memoryOf>;
    readonly serving: ReturnType<typeof memoryOf>;
  },
  { skills, few }: Bench['plan'],
): Measured {
  const shown = skills.toLocaleString('en');
  return {
    numbers: {
      'large.many.perSecond': found.many,
      'large.few.perSecond': found.few,
      ...(found.serving && { 'large.rss': found.serving.rss }),
      ...(found.loaded && { 'large.loadPeak': found.loaded.peak }),
    },
    lines: [
      `### A server of ${shown} skills`,
      '',
      ...table(
        ['`skillwire serve --http`', { number: '' }],
        [
          [`\`resources/read\` of different files, ${shown} skills`, rate(found.many)],
          [`the same, ${few} skills`, rate(found.few)],
          ['of it', number(quotient(found.many, found.few))],
          ['memory when it begins to listen', megabytes(found.loaded?.rss)],
          ['most until then', megabytes(found.loaded?.peak)],
          ['busy with archives for installers after it listens', time(found.busyMs)],
          ['memory after these requests', megabytes(found.serving?.rss)],
          ['most in all', megabytes(found.serving?.peak)],
        ],
      ),
    ],
  };
}
