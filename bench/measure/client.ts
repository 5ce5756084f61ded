import { join } from 'node:path';
import { CLI, program } from '../built.ts';
import { output, run } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { FILES_EACH, SUPPORTING_FILES, uriOf, writeCorpus } from '../corpus.ts';
import { fireOnce } from '../fire.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { httpMessage } from '../message.ts';
import { TOKEN } from '../plan.ts';
import { cpuMsOf } from '../process-facts.ts';
import { settledSkillwire } from '../skillwire-server.ts';
import { NOTHING, number, quotient, table, time } from '../table.ts';

/** Reads that are under way at once, as in `skillwire verify`. */
const SIDE_BY_SIDE = 8;

const LABELS = {
  sockets: 'bare sockets, nothing looked at: what the server can do',
  plain: 'official client, nothing checked and nothing hashed',
  sdk: 'official skills client, everything checked',
  skillwire: 'Skillwire client, everything checked',
  cli: '`skillwire verify`, from its start to its end',
} as const;
type Reader = keyof typeof LABELS;

interface Done {
  readonly ms: number;
  readonly count: number;
}

/** A client that lists many skills, and one that reads and checks every file of a server. */
export async function measureClient(bench: Bench): Promise<Measured> {
  const list = await measureList(bench);
  const verify = await measureVerify(bench);
  return {
    lines: [...list.lines, '', ...verify.lines],
    numbers: { ...list.numbers, ...verify.numbers },
  };
}

async function measureList({ plan, temp, large, status }: Bench): Promise<Measured> {
  status(`listing ${plan.skills} skills`);
  const server = await settledSkillwire(large, temp, 500);
  try {
    const times: Record<'skillwire' | 'sdk', number[]> = { skillwire: [], sdk: [] };
    for (let round = 0; round < plan.rounds; round++)
      for (const who of ['skillwire', 'sdk'] as const) {
        const [done] = await run<Done>([program('client-list'), who, server.url, TOKEN]);
        if (done?.count !== plan.skills) throw new Error(`${who} lists ${done?.count} of ${plan.skills}`);
        times[who].push(done.ms);
      }
    const [skillwire, sdk] = [median(times.skillwire), median(times.sdk)];
    return {
      numbers: { 'client.list.skillwire.ms': skillwire, 'client.list.sdk.ms': sdk },
      lines: [
        `### Clients: a list of ${plan.skills.toLocaleString('en')} skills over HTTP`,
        '',
        ...table(
          ['', { number: 'time' }],
          [
            ['Skillwire client, `listSkills`', time(skillwire)],
            ['official skills client, `list`', time(sdk)],
          ],
        ),
      ],
    };
  } finally {
    await server.stop();
  }
}

async function measureVerify({ plan, temp, status }: Bench): Promise<Measured> {
  const files = plan.verified * FILES_EACH;
  const served = join(temp, 'verified');
  writeCorpus(served, plan.verified);
  const server = await settledSkillwire(served, temp);
  try {
    const paths = ['SKILL.md', ...SUPPORTING_FILES.map(([path]) => path)];
    const messages = Array.from({ length: plan.verified }, (_, at) =>
      paths.map((path) =>
        httpMessage(server.url, { method: 'resources/read', params: { uri: uriOf(at, path) } }, 1_000, TOKEN),
      ),
    ).flat();
    const read = async (who: Reader): Promise<number> => {
      if (who === 'sockets') return fireOnce(server.url, messages, SIDE_BY_SIDE);
      if (who === 'cli') return verifyByCommand(server.url, files);
      const [done] = await run<Done>([program('client-read'), who, server.url, TOKEN]);
      if (done?.count !== files) throw new Error(`${who} reads ${done?.count} of ${files} files`);
      return done.ms;
    };
    const found: Record<Reader, { ms: number; busy: number }[]> = {
      sockets: [],
      plain: [],
      sdk: [],
      skillwire: [],
      cli: [],
    };
    for (let round = 0; round < plan.verifyRounds; round++) {
      status(`clients that read ${files} files, round ${round + 1}`);
      for (const who of Object.keys(LABELS) as Reader[]) {
        const before = cpuMsOf(server.pid) ?? Number.NaN;
        const ms = await read(who);
        found[who].push({ ms, busy: ((cpuMsOf(server.pid) ?? Number.NaN) - before) / ms });
      }
    }
    const of = (who: Reader): number => median(found[who].map(({ ms }) => ms));
    const numbers = Object.fromEntries(
      (Object.keys(LABELS) as Reader[]).map((who) => [`client.verify.${who}.ms`, of(who)]),
    );
    return {
      numbers,
      lines: [
        `### Clients: every file of ${plan.verified.toLocaleString('en')} skills over HTTP, ${files.toLocaleString('en')} files, ${SIDE_BY_SIDE} at a time`,
        '',
        ...table(
          ['', ...['time', 'of the plain client', 'server busy'].map((head) => ({ number: head }))],
          (Object.keys(LABELS) as Reader[]).map((who) => {
            const busy = median(found[who].map((each) => each.busy));
            return [
              LABELS[who],
              time(of(who)),
              number(quotient(of(who), of('plain'))),
              Number.isNaN(busy) ? NOTHING : `${number(busy * 100)}%`,
            ];
          }),
        ),
      ],
    };
  } finally {
    await server.stop();
  }
}

/** The time of `skillwire verify` with its start. Errors: it did not verify every file. */
async function verifyByCommand(url: string, files: number): Promise<number> {
  const begun = performance.now();
  const { code, stdout, stderr } = await output(process.execPath, [CLI, 'verify', url, '--json'], {
    SKILLWIRE_TOKEN: TOKEN,
  });
  const ms = performance.now() - begun;
  const verified = stdout.match(/"outcome": ?"verified"/g)?.length ?? 0;
  if (code !== 0 || verified < files)
    throw new Error(`skillwire verify ended with ${code}, ${verified} of ${files}: ${stderr.slice(-1_000)}`);
  return ms;
}
