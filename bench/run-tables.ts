import { readFileSync, writeFileSync } from 'node:fs';
import { type Bench, withCorpora } from './corpora.ts';
import { glanceLines } from './glance.ts';
import { goalLines } from './goals.ts';
import { measureArchive } from './measure/archive.ts';
import { measureCli } from './measure/cli.ts';
import { measureClient } from './measure/client.ts';
import { measureFileBytes } from './measure/file-bytes.ts';
import { measureHttp } from './measure/http.ts';
import { measureLarge } from './measure/large.ts';
import { measureLoad } from './measure/load.ts';
import { measureStdio } from './measure/stdio.ts';
import { measureStreams } from './measure/streams.ts';
import { joined, type Measured } from './measured.ts';
import { beside, machine, saveSection, today } from './page.ts';
import { PLANS, type PlanName } from './plan.ts';
import { compareRatios, ratioLines, ratiosOf, type StoredRatios, storedAnew } from './ratios.ts';

/** The rooms of the harness, in the order of the page. */
const ROOMS: Readonly<Record<string, (bench: Bench) => Promise<Measured>>> = {
  load: measureLoad,
  bytes: measureFileBytes,
  http: measureHttp,
  large: measureLarge,
  stdio: measureStdio,
  client: measureClient,
  cli: measureCli,
  streams: measureStreams,
  archive: measureArchive,
};

/** Rooms that the quick check leaves out: they have no stored ratio. */
const NOT_QUICK: readonly string[] = ['bytes', 'streams'];

const RATIOS = 'ratios.json';

/** What is measured and kept. */
export interface RunOptions {
  readonly plan: PlanName;
  /** Write the table into `RESULTS.md`. */
  readonly save: boolean;
  /** Write the ratios into `ratios.json`. */
  readonly store: boolean;
  /** These rooms alone. @default all */
  readonly only: readonly string[] | undefined;
}

/** What a run came to beside what it printed. */
export interface RunOutcome {
  /** Names of stored ratios that regressed. */
  readonly regressed: readonly string[];
  /** Rooms that could not be measured. */
  readonly failed: readonly string[];
}

/** Measures and prints. A room that fails says so on the page and takes no other down. */
export async function runTables({ plan, save, store, only }: RunOptions): Promise<RunOutcome> {
  const unknown = only?.find((name) => ROOMS[name] === undefined);
  if (unknown !== undefined)
    throw new Error(`--only knows no ${unknown}; there are ${Object.keys(ROOMS).join(', ')}`);
  const rooms = Object.entries(ROOMS).filter(
    ([name]) => only?.includes(name) ?? (plan !== 'quick' || !NOT_QUICK.includes(name)),
  );
  const begun = performance.now();
  const failed: string[] = [];
  const { lines, numbers } = await withCorpora(PLANS[plan], async (bench) => {
    const found: Measured[] = [];
    for (const [name, measure] of rooms) {
      const measured = await measure(bench).catch((error: unknown): Measured => {
        console.error(error);
        failed.push(name);
        return { numbers: {}, lines: [`### ${name}`, '', '**failed**'] };
      });
      found.push(measured);
      // Whoever waits reads along.
      console.log(`${measured.lines.join('\n')}\n`);
    }
    return joined(found);
  });
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const head = `${today()}, ${machine()}, ${seconds} s. Medians; compare within one run.`;
  if (plan === 'quick') {
    const isWhole = only === undefined && failed.length === 0;
    return { regressed: quick(ratiosOf(numbers), head, store && isWhole), failed };
  }
  const top = [
    head,
    '',
    `### ${PLANS[plan].skills.toLocaleString('en')} skills at a glance`,
    '',
    ...glanceLines(numbers),
    '',
    '### Goals',
    '',
    ...goalLines(numbers),
    '',
  ];
  console.log(top.join('\n'));
  if (save) saveSection('tables', [...top, ...lines]);
  return { regressed: [], failed };
}

/** Compares with the stored ratios, and then stores these in their place if asked to, which makes nothing a regression. */
function quick(ratios: ReturnType<typeof ratiosOf>, head: string, store: boolean): readonly string[] {
  const file = beside(RATIOS);
  const stored = JSON.parse(readFileSync(file, 'utf8')) as StoredRatios;
  const compared = compareRatios(ratios, stored);
  console.log([head, '', `Stored: ${stored.of}`, '', ...ratioLines(compared)].join('\n'));
  if (!store) return compared.filter(({ outcome }) => outcome === 'regressed').map(({ name }) => name);
  writeFileSync(file, `${JSON.stringify(storedAnew(ratios, stored, head), null, 2)}\n`);
  console.log(`\nstored ${Object.keys(ratios).length} ratios in bench/${RATIOS}`);
  return [];
}
