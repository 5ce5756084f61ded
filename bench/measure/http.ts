import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../built.ts';
import { type Server, serve } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { ask, fire, fireOnce, type Round } from '../fire.ts';
import { answerBody, answerText } from '../http-answer.ts';
import { type Job, jobsFor } from '../jobs.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { httpMessage } from '../message.ts';
import { CONNECTIONS, TOKEN } from '../plan.ts';
import { cpuMsOf } from '../process-facts.ts';
import { settledSkillwire } from '../skillwire-server.ts';
import { NOTHING, number, quotient, rate, table, time } from '../table.ts';

/** Those who answer, in the order of their columns. */
const WHO = ['floor', 'skillwire', 'sdk', 'olaservo'] as const;
type Who = (typeof WHO)[number];

/** One server with what is asked of it. */
interface Asked {
  readonly server: Server;
  readonly messages: readonly Buffer[];
}

/** A round, and what it cost the server. */
interface Cost extends Round {
  /** Processor time of the server for one answer, in µs. */
  readonly cpuUs: number;
}

/** The shortest answer that has what was asked for. */
const LEAST_BYTES = 100;

/** Requests a second over HTTP: floor, Skillwire and peers in turns, on the same requests. */
export async function measureHttp(bench: Bench): Promise<Measured> {
  const { plan, temp, served, few, olaservo, status } = bench;
  const servers: Server[] = [];
  const begin = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  const peer = (root: string): Promise<Server> | undefined =>
    'notRun' in olaservo
      ? undefined
      : begin(
          serve(['--experimental-import-meta-resolve', program('serve-olaservo'), olaservo.folder, root]),
        );
  try {
    status('starting servers');
    const jobs = jobsFor(plan.served).filter(({ key }) => plan.jobs?.includes(key) ?? true);
    const skillwire = await begin(settledSkillwire(served, temp));
    const floor = await begin(serve([program('serve-floor'), await record(skillwire, jobs, temp)]));
    const sdk = await begin(serve([program('serve-sdk'), served, 'http']));
    const sdkFew = await begin(serve([program('serve-sdk'), few, 'http']));
    const ola = await peer(served);
    const olaFew = await peer(few);
    const of = (job: Job, who: Who): Server | undefined =>
      ({
        floor,
        skillwire,
        sdk: job.peersServeFew ? sdkFew : sdk,
        olaservo: job.peersServeFew ? olaFew : ola,
      })[who];
    const found: Found[] = [];
    for (const job of jobs) found.push(await measureJob(job, (who) => of(job, who), bench));
    return reported(found, bench);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** What was found of one job. */
interface Found {
  readonly job: Job;
  readonly rounds: Readonly<Record<Who, readonly Cost[]>>;
}

async function measureJob(
  job: Job,
  serverOf: (who: Who) => Server | undefined,
  { plan, status }: Bench,
): Promise<Found> {
  const rounds: Record<Who, Cost[]> = { floor: [], skillwire: [], sdk: [], olaservo: [] };
  for (let round = 0; round < plan.rounds; round++) {
    status(`${job.key}, round ${round + 1} of ${plan.rounds}`);
    for (const who of WHO) {
      const server = serverOf(who);
      // It answers so few that one round says all.
      if (server === undefined || (who === 'olaservo' && round > 0)) continue;
      const asked = { server, messages: messagesOf(job, server) };
      if (round === 0) {
        await mustAnswer(asked, job);
        if (who !== 'olaservo') await fireOnce(server.url, asked.messages, CONNECTIONS);
      }
      rounds[who].push(await cost(asked, round === 0 ? plan.warmMs : plan.warmMs / 8, plan.ms));
    }
  }
  return { job, rounds };
}

/** Requests of a job with ids of their own, all as long as each other. */
export function messagesOf(
  { calls, encodings }: Pick<Job, 'calls' | 'encodings'>,
  { url }: Pick<Server, 'url'>,
): readonly Buffer[] {
  return Array.from({ length: Math.max(calls.length, 512) }, (_, at) => {
    const call = calls[at % calls.length] as (typeof calls)[number];
    return httpMessage(url, call, 1_000 + at, TOKEN, encodings);
  });
}

/** One round, with the processor time that it took the server. */
export async function cost({ server, messages }: Asked, warmMs: number, ms: number): Promise<Cost> {
  const before = cpuMsOf(server.pid);
  const round = await fire(server.url, messages, { connections: CONNECTIONS, warmMs, ms });
  const after = cpuMsOf(server.pid);
  const spent = before === undefined || after === undefined ? Number.NaN : after - before;
  return { ...round, cpuUs: (spent * 1_000) / round.answers };
}

/** Errors: the first answer has no result, or one that cannot hold what was asked for. */
async function mustAnswer({ server, messages }: Asked, { key }: Job): Promise<void> {
  const text = answerText(await ask(server.url, messages[0] as Buffer));
  if (text.includes('"result"') && text.length > LEAST_BYTES) return;
  throw new Error(`${key} is answered with ${text.slice(0, 400)}`);
}

/** What Skillwire answers, in a file for the floor: whole bodies, so that both send as many bytes. */
async function record(skillwire: Server, jobs: readonly Job[], temp: string): Promise<string> {
  const answers: Record<string, { body: string; isGzip: boolean }> = {};
  for (const job of jobs) {
    // What is large is compressed once it was asked for.
    await fireOnce(skillwire.url, messagesOf(job, skillwire), CONNECTIONS);
    for (const call of job.calls) {
      const key = `${job.encodings} ${call.method} ${call.params.uri ?? ''}`;
      if (answers[key] !== undefined) continue;
      const message = httpMessage(skillwire.url, call, 1_000, TOKEN, job.encodings);
      const { body, isGzip } = answerBody(await ask(skillwire.url, message));
      answers[key] = { body: body.toString('base64'), isGzip };
    }
  }
  const file = join(temp, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  return file;
}

function reported(found: readonly Found[], { plan, olaservo }: Bench): Measured {
  const numbers: Record<string, number> = {};
  for (const { job, rounds } of found)
    for (const who of WHO)
      for (const what of ['perSecond', 'p50Ms', 'p99Ms', 'cpuUs', 'bytes'] as const) {
        const value = median(rounds[who].map((round) => round[what]));
        if (!Number.isNaN(value)) numbers[`http.${job.key}.${who}.${what}`] = value;
      }
  const of = (job: Job, who: Who, what: keyof Cost): number | undefined =>
    numbers[`http.${job.key}.${who}.${what}`];
  const right = (head: string): { readonly number: string } => ({ number: head });
  const lines = [
    `### Requests over HTTP: ${plan.served.toLocaleString('en')} skills, ${CONNECTIONS} kept connections`,
    '',
    ...table(
      [
        '',
        ...[
          'answer',
          'floor',
          'Skillwire',
          'of floor',
          'p50',
          'p99',
          'official SDK',
          '÷ SDK',
          'olaservo',
        ].map(right),
      ],
      found.map(({ job }) => [
        job.label,
        `${number((of(job, 'skillwire', 'bytes') ?? Number.NaN) / 1_000)} KB`,
        rate(of(job, 'floor', 'perSecond')),
        rate(of(job, 'skillwire', 'perSecond')),
        number(quotient(of(job, 'skillwire', 'perSecond'), of(job, 'floor', 'perSecond'))),
        time(of(job, 'skillwire', 'p50Ms')),
        time(of(job, 'skillwire', 'p99Ms')),
        rate(of(job, 'sdk', 'perSecond')),
        number(quotient(of(job, 'skillwire', 'perSecond'), of(job, 'sdk', 'perSecond'))),
        'notRun' in olaservo ? NOTHING : rate(of(job, 'olaservo', 'perSecond')),
      ]),
    ),
    '',
    'Processor time of the server for one answer, which other work on the machine disturbs less, and which tells the server from whoever asks:',
    '',
    ...table(
      ['', ...['floor', 'Skillwire', 'floor ÷ Skillwire', 'official SDK', 'SDK ÷ Skillwire'].map(right)],
      found.map(({ job }) => [
        job.label,
        `${number(of(job, 'floor', 'cpuUs'))} µs`,
        `${number(of(job, 'skillwire', 'cpuUs'))} µs`,
        number(quotient(of(job, 'floor', 'cpuUs'), of(job, 'skillwire', 'cpuUs'))),
        `${number(of(job, 'sdk', 'cpuUs'))} µs`,
        number(quotient(of(job, 'sdk', 'cpuUs'), of(job, 'skillwire', 'cpuUs'))),
      ]),
    ),
    '',
    ...('notRun' in olaservo ? [`\`@olaservo/ext-skills\`: *not run*: ${olaservo.notRun}.`, ''] : []),
    'Skillwire is `skillwire serve` as it is shipped: it watches its folder, wants a token, checks `Host`, `Origin` and headers, and looks at each file before it says that it has not changed. The floor parses the JSON of the request and answers with the bytes that Skillwire answered. Peers do not page `resources/list`, so that they serve 100 skills there. Clients take gzip, as `fetch` does, but for the rows that say otherwise; peers do not compress.',
  ];
  return { lines, numbers };
}
