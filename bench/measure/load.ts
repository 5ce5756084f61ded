import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { program } from '../built.ts';
import { run } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { FILES_EACH, READ_FILE, skillName } from '../corpus.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { megabytes, NOTHING, number, quotient, table, time } from '../table.ts';

/** What a load program prints. */
interface Loaded {
  readonly ms: number;
  readonly cpuMs: number;
  readonly rss: number;
  readonly peak: number;
  readonly count: number;
}

/** Those who load, in the order of their rows. */
const LABELS = {
  floor: 'plain synchronous read and hash',
  cold: 'Skillwire, first start',
  warm: 'Skillwire, with the digests of an earlier start',
  sdk: 'official SDK',
  olaservo: '`@olaservo/ext-skills`',
} as const;

/** Anybody who loads. */
export type Loader = keyof typeof LABELS;

/** One load in a process of its own. Errors: it did not find `files` files. */
export async function load(
  who: Loader,
  root: string,
  files: number,
  { cache = '', peer = '' }: { readonly cache?: string; readonly peer?: string } = {},
): Promise<Loaded> {
  const args: Record<Loader, readonly string[]> = {
    floor: [program('load-floor'), root],
    cold: [program('load-skillwire'), root],
    warm: [program('load-skillwire'), root, cache],
    sdk: [program('load-sdk'), root],
    olaservo: ['--experimental-import-meta-resolve', program('load-olaservo'), peer, root],
  };
  const [loaded] = await run<Loaded>(args[who]);
  if (loaded?.count !== files) throw new Error(`${who} finds ${loaded?.count} of ${files} files`);
  return loaded;
}

/** Time and memory of a load, everybody in turns, and of a reload after one edit. */
export async function measureLoad({ plan, temp, large, olaservo, status }: Bench): Promise<Measured> {
  const files = plan.skills * FILES_EACH;
  const cache = join(temp, 'cache-of-loads');
  const found: Record<Loader, Loaded[]> = { floor: [], cold: [], warm: [], sdk: [], olaservo: [] };
  // The first of each finds nothing in the memory of the system, or nothing kept.
  await load('floor', large, files);
  await load('warm', large, files, { cache });
  for (let round = 0; round < plan.loads; round++) {
    status(`loads, round ${round + 1} of ${plan.loads}`);
    for (const who of ['floor', 'cold', 'warm'] as const)
      found[who].push(await load(who, large, files, { cache }));
    if (round < plan.peerLoads && !('notRun' in olaservo))
      found.olaservo.push(await load('olaservo', large, files, { peer: olaservo.folder }));
  }
  rmSync(cache, { recursive: true, force: true });
  const sdk = await sdkLoads(large, files, { plan, status });
  found.sdk.push(...sdk.loads);
  status('edits');
  const [edits] = await run<{ times: number[]; refreshMs: number }>([
    program('reload-skillwire'),
    large,
    String(plan.edits),
  ]);
  const of = (who: Loader, what: keyof Loaded): number => median(found[who].map((each) => each[what]));
  const numbers: Record<string, number> = {
    'reload.skillwire.ms': median(edits?.times ?? []),
    'reload.skillwire.mostMs': Math.max(...(edits?.times ?? [])),
    'reload.refresh.ms': edits?.refreshMs ?? Number.NaN,
    'reload.sdk.ms': sdk.reloadMs,
  };
  for (const who of Object.keys(LABELS) as Loader[])
    for (const what of ['ms', 'cpuMs', 'rss', 'peak'] as const)
      if (found[who].length > 0) numbers[`load.${who}.${what}`] = of(who, what);
  const reason = 'notRun' in olaservo ? olaservo.notRun : '';
  const lines = [
    `### Load: ${plan.skills.toLocaleString('en')} skills, ${files.toLocaleString('en')} files`,
    '',
    ...table(
      [
        '',
        ...['time', 'of floor', 'processor time', 'memory after', 'memory at most'].map((head) => ({
          number: head,
        })),
      ],
      (Object.keys(LABELS) as Loader[]).map((who) =>
        found[who].length === 0
          ? [
              LABELS[who],
              who === 'olaservo' ? `*not run*: ${reason}` : '*not run*',
              ...Array(4).fill(NOTHING),
            ]
          : [
              LABELS[who],
              time(of(who, 'ms')),
              number(quotient(of(who, 'ms'), of('floor', 'ms'))),
              time(of(who, 'cpuMs')),
              megabytes(of(who, 'rss')),
              megabytes(of(who, 'peak')),
            ],
      ),
    ),
    '',
    `### One edit to a new snapshot: ${plan.skills.toLocaleString('en')} skills`,
    '',
    ...table(
      ['', { number: 'median' }, { number: 'longest' }],
      [
        [
          `Skillwire, told the path (${plan.edits} edits)`,
          time(numbers['reload.skillwire.ms']),
          time(numbers['reload.skillwire.mostMs']),
        ],
        ['Skillwire, everything scanned again', time(numbers['reload.refresh.ms']), NOTHING],
        ['official SDK, `reload()`', time(numbers['reload.sdk.ms']), NOTHING],
        ['`@olaservo/ext-skills`', 'restart', NOTHING],
      ],
    ),
  ];
  return {
    lines,
    numbers: Object.fromEntries(Object.entries(numbers).filter(([, value]) => !Number.isNaN(value))),
  };
}

/** Loads of the official SDK, the last of them followed by an edit and a reload. */
async function sdkLoads(
  root: string,
  files: number,
  { plan, status }: Pick<Bench, 'plan' | 'status'>,
): Promise<{ readonly loads: readonly Loaded[]; readonly reloadMs: number }> {
  const loads: Loaded[] = [];
  let reloadMs = Number.NaN;
  for (let round = 0; round < plan.peerLoads; round++) {
    status('load of the official SDK, which takes its time');
    const file = join(root, skillName(Math.floor(plan.skills / 2)), ...READ_FILE.split('/'));
    const [loaded, reloaded] = await run<Loaded & { reloadMs: number }>([program('load-sdk'), root, file]);
    if (loaded?.count !== files) throw new Error(`the official SDK finds ${loaded?.count} of ${files} files`);
    loads.push(loaded);
    reloadMs = reloaded?.reloadMs ?? Number.NaN;
  }
  return { loads, reloadMs };
}
