import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstalledPeer, installPeer, type NotRun } from '../../interop/peers/install.ts';
import { DISK_BYTES_EACH, FILES_EACH, writeCorpus } from '../corpus.ts';
import { median } from '../median.ts';
import type { Series } from '../plot-svg.ts';
import { megabytes, NOTHING, number, quotient, table, time } from '../table.ts';
import { withTempFolder } from '../temp-folder.ts';
import { type Loader, load } from './load.ts';

/** Sizes of the corpus that grows, with how often each load is repeated. */
const SIZES: readonly (readonly [skills: number, rounds: number])[] = [
  [100, 5],
  [1_000, 5],
  [10_000, 3],
  [100_000, 1],
];
/** Peers are not loaded beyond it: the official SDK then takes many minutes, the other gigabytes. */
const PEERS_UNTIL = 10_000;
const SETTLE_MS = 2_500;
/** Files and folders of one skill. */
const NODES_EACH = FILES_EACH + 5;

const LABELS: Readonly<Record<Loader, string>> = {
  floor: 'read and hash',
  cold: 'Skillwire',
  warm: 'Skillwire, warm',
  sdk: 'official SDK',
  olaservo: 'olaservo',
};

/** What was found at one size. */
interface Point {
  readonly skills: number;
  readonly who: Loader;
  readonly ms: number;
  readonly rss: number;
  readonly peak: number;
}

/** The curves of growth. */
export interface Curves {
  readonly time: readonly Series[];
  readonly memory: readonly Series[];
  readonly lines: readonly string[];
  /** Loads that failed, each in a sentence, which stand in the lines too. */
  readonly failed: readonly string[];
}

/** Loads of a corpus that grows, everybody in turns, up to `most` skills. */
export async function measureCurves(
  status: (text: string) => void,
  most: number = Number.POSITIVE_INFINITY,
): Promise<Curves> {
  const olaservo = await installPeer('olaservo-ext-skills');
  const points: Point[] = [];
  const failed: string[] = [];
  const notes: string[] = [
    `Peers are not loaded beyond ${PEERS_UNTIL.toLocaleString('en')} skills.`,
    'More than 200,000 folders are not kept for the next start, so that of 100,000 skills is a first one.',
  ];
  if ('notRun' in olaservo) notes.push(`\`@olaservo/ext-skills\`: *not run*: ${olaservo.notRun}.`);
  await withTempFolder('curves', async (temp) => {
    const root = join(temp, 'skills');
    const cache = join(temp, 'cache');
    let written = 0;
    for (const [skills, rounds] of SIZES.filter(([size]) => size <= most)) {
      const lack = lacking(temp, skills - written);
      if (lack !== undefined) {
        notes.push(`${skills.toLocaleString('en')} skills: *not run*: ${lack}.`);
        break;
      }
      status(`writing ${skills.toLocaleString('en')} skills`);
      writeCorpus(root, skills, written);
      written = skills;
      await sleep(SETTLE_MS);
      const size = { skills, rounds, root, cache, olaservo, status };
      const { loaded, failures } = await measureSize(size);
      points.push(...loaded);
      failed.push(...failures);
    }
  });
  return curvesOf(points, [...notes, ...failed], failed);
}

/** Loads of a corpus of one size, everybody in turns. */
async function measureSize(size: {
  readonly skills: number;
  readonly rounds: number;
  readonly root: string;
  readonly cache: string;
  readonly olaservo: InstalledPeer | NotRun;
  readonly status: (text: string) => void;
}): Promise<{ readonly loaded: readonly Point[]; readonly failures: readonly string[] }> {
  const { skills, rounds, root, cache, olaservo, status } = size;
  const shown = `${skills.toLocaleString('en')} skills`;
  const files = skills * FILES_EACH;
  const options = { cache, peer: 'notRun' in olaservo ? '' : olaservo.folder };
  const found = new Map<Loader, Awaited<ReturnType<typeof load>>[]>();
  const failures = new Map<Loader, string>();
  rmSync(cache, { recursive: true, force: true });
  // The first finds nothing in the memory of the system.
  await load('floor', root, files);
  for (let round = 0; round < rounds; round++)
    for (const who of Object.keys(LABELS) as Loader[]) {
      const isPeer = who === 'sdk' || who === 'olaservo';
      if (isPeer && (skills > PEERS_UNTIL || round > 0)) continue;
      if (failures.has(who) || (who === 'olaservo' && 'notRun' in olaservo)) continue;
      status(`${shown}, round ${round + 1} of ${rounds}: ${LABELS[who]}`);
      try {
        // Nothing is kept before its first.
        if (who === 'warm' && round === 0) await load(who, root, files, options);
        found.set(who, [...(found.get(who) ?? []), await load(who, root, files, options)]);
      } catch (error) {
        // Other sizes and others can be measured all the same.
        console.error(error);
        failures.set(who, `${LABELS[who]}, ${shown}: **failed**.`);
      }
    }
  const loaded = [...found].map(([who, loads]): Point => {
    const of = (what: 'ms' | 'rss' | 'peak'): number => median(loads.map((each) => each[what]));
    return { skills, who, ms: of('ms'), rss: of('rss'), peak: of('peak') };
  });
  return { loaded, failures: [...failures.values()] };
}

/** Why so many more skills cannot be written; undefined when they can. */
function lacking(folder: string, skills: number): string | undefined {
  const { bavail, bsize, ffree, files } = statfsSync(folder);
  // Twice what is needed: the machine is not ours alone.
  const bytes = 2 * skills * DISK_BYTES_EACH;
  if (bavail * bsize < bytes) {
    const free = megabytes(bavail * bsize);
    return `the disk of temporary files has ${free} left, and ${megabytes(bytes)} are wanted`;
  }
  const nodes = 2 * skills * NODES_EACH;
  // Some file systems count no files.
  if (files > 0 && ffree < nodes)
    return `the disk of temporary files has room for ${ffree.toLocaleString('en')} files, and ${nodes.toLocaleString('en')} are wanted`;
  return undefined;
}

function curvesOf(points: readonly Point[], notes: readonly string[], failed: readonly string[]): Curves {
  const loaders = Object.keys(LABELS) as Loader[];
  const series = (what: 'ms' | 'peak', by: number): Series[] =>
    loaders
      .map((who) => ({
        name: LABELS[who],
        points: points
          .filter((point) => point.who === who)
          .map((point): [number, number] => [point.skills, point[what] / by]),
      }))
      .filter((each) => each.points.length > 0);
  const sizes = [...new Set(points.map(({ skills }) => skills))];
  const at = (who: Loader, skills: number): Point | undefined =>
    points.find((each) => each.who === who && each.skills === skills);
  const cell = (who: Loader, skills: number, show: (point: Point) => string): string => {
    const point = at(who, skills);
    return point === undefined ? NOTHING : show(point);
  };
  const head = ['', ...sizes.map((size) => ({ number: `${size.toLocaleString('en')} skills` }))];
  const rows = (show: (point: Point) => string): string[][] =>
    loaders.map((who) => [LABELS[who], ...sizes.map((size) => cell(who, size, show))]);
  return {
    time: series('ms', 1_000),
    memory: series('peak', 1_000_000),
    failed,
    lines: [
      'Time of a load:',
      '',
      ...table(head, [
        ...rows(({ ms }) => time(ms)),
        ...(['cold', 'warm'] as const).map((who) => [
          `${LABELS[who]} ÷ ${LABELS.floor}`,
          ...sizes.map((size) => number(quotient(at(who, size)?.ms, at('floor', size)?.ms))),
        ]),
      ]),
      '',
      'Memory after it, and at most:',
      '',
      ...table(
        head,
        rows(({ rss, peak }) => `${megabytes(rss)}, ${megabytes(peak)}`),
      ),
      '',
      notes.join(' '),
    ],
  };
}
