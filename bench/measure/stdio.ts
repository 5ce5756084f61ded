import { join } from 'node:path';
import { CLI, program } from '../built.ts';
import type { Bench } from '../corpora.ts';
import { READ_FILE, uriOf } from '../corpus.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import type { Call, Era } from '../message.ts';
import { cpuMsOf } from '../process-facts.ts';
import { StdioSession } from '../stdio-session.ts';
import { number, quotient, rate, table } from '../table.ts';

const ERAS: Readonly<Record<Era, string>> = { modern: '2026-07-28', legacy: '2025-11-25' };
const WHO = ['skillwire', 'sdk'] as const;

/** Requests a second over stdio, 32 under way at once, in both eras: Skillwire and the official SDK in turns. */
export async function measureStdio(bench: Bench): Promise<Measured> {
  const numbers: Record<string, number> = {};
  const rows: string[][] = [];
  const at = Math.min(42, bench.plan.served - 1);
  const calls: Readonly<Record<string, Call>> = {
    read: { method: 'resources/read', params: { uri: uriOf(at, READ_FILE) } },
    get: { method: 'skills/get', params: { uri: uriOf(at) } },
  };
  for (const era of ['modern', 'legacy'] as const) {
    bench.status(`stdio, ${ERAS[era]}`);
    const found = await measureEra(era, calls, bench);
    Object.assign(numbers, found);
    for (const key of Object.keys(calls)) {
      const of = (who: string, what: string): number | undefined =>
        found[`stdio.${era}.${key}.${who}.${what}`];
      rows.push([
        `\`${calls[key]?.method}\`, ${ERAS[era]}`,
        rate(of('skillwire', 'perSecond')),
        rate(of('sdk', 'perSecond')),
        number(quotient(of('skillwire', 'perSecond'), of('sdk', 'perSecond'))),
        number(quotient(of('sdk', 'cpuUs'), of('skillwire', 'cpuUs'))),
      ]);
    }
  }
  const head = ['Skillwire', 'official SDK', '÷ SDK', 'SDK ÷ Skillwire by processor time'];
  return {
    numbers,
    lines: [
      `### Requests over stdio: ${bench.plan.served.toLocaleString('en')} skills, 32 requests under way`,
      '',
      ...table(['', ...head.map((each) => ({ number: each }))], rows),
    ],
  };
}

async function measureEra(
  era: Era,
  calls: Readonly<Record<string, Call>>,
  { plan, temp, served }: Bench,
): Promise<Record<string, number>> {
  const env = { XDG_CACHE_HOME: join(temp, 'cache-of-servers') };
  const open: StdioSession[] = [];
  const session = async (args: readonly string[]): Promise<StdioSession> => {
    const opened = await StdioSession.open(args, era, env);
    open.push(opened);
    return opened;
  };
  try {
    const sessions = {
      skillwire: await session([CLI, 'serve', served]),
      sdk: await session([program('serve-sdk'), served, 'stdio']),
    };
    const numbers: Record<string, number> = {};
    for (const [key, call] of Object.entries(calls)) {
      const rates: Record<string, number[]> = { skillwire: [], sdk: [] };
      const costs: Record<string, number[]> = { skillwire: [], sdk: [] };
      for (let round = 0; round < plan.rounds; round++)
        for (const who of WHO) {
          const before = cpuMsOf(sessions[who].pid) ?? Number.NaN;
          const { perSecond, answers } = await sessions[who].fire(
            call,
            round === 0 ? plan.warmMs : plan.warmMs / 8,
            plan.ms / 2,
          );
          const after = cpuMsOf(sessions[who].pid) ?? Number.NaN;
          rates[who]?.push(perSecond);
          costs[who]?.push(((after - before) * 1_000) / answers);
        }
      for (const who of WHO) {
        numbers[`stdio.${era}.${key}.${who}.perSecond`] = median(rates[who] ?? []);
        const cpuUs = median(costs[who] ?? []);
        if (!Number.isNaN(cpuUs)) numbers[`stdio.${era}.${key}.${who}.cpuUs`] = cpuUs;
      }
    }
    return numbers;
  } finally {
    await Promise.all(open.map((each) => each.close()));
  }
}
