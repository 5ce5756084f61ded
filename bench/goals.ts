import type { Numbers } from './measured.ts';
import { number, quotient, table } from './table.ts';

/** Something to reach. */
interface Goal {
  readonly name: string;
  readonly value: (numbers: Numbers) => number | undefined;
  readonly most?: number;
  readonly least?: number;
  readonly unit?: string;
}

const over =
  (top: string, bottom: string) =>
  (numbers: Numbers): number | undefined =>
    quotient(numbers[top], numbers[bottom]);
const scaled =
  (name: string, by: number) =>
  (numbers: Numbers): number | undefined =>
    quotient(numbers[name], by);

const rateOf = (job: string, who: string): string => `http.${job}.${who}.perSecond`;
const ofFloor = (job: string, label: string, which = ''): Goal => ({
  name: `HTTP \`${label}\`${which} ÷ floor`,
  value: over(rateOf(job, 'skillwire'), rateOf(job, 'floor')),
  least: 0.6,
});
const ofSdk = (job: string, label: string, least: number, which = ''): Goal => ({
  name: `HTTP \`${label}\`${which} ÷ official SDK`,
  value: over(rateOf(job, 'skillwire'), rateOf(job, 'sdk')),
  least,
});
const cpuOf = (job: string, who: string): string => `http.${job}.${who}.cpuUs`;
const costOfFloor = (job: string, label: string, which = ''): Goal => ({
  name: `HTTP \`${label}\`${which}, floor ÷ ours by processor time`,
  value: over(cpuOf(job, 'floor'), cpuOf(job, 'skillwire')),
  least: 0.6,
});
const tail = (job: string, label: string, which = ''): Goal => ({
  name: `HTTP \`${label}\`${which}, p99 ÷ p50`,
  value: over(`http.${job}.skillwire.p99Ms`, `http.${job}.skillwire.p50Ms`),
  most: 5,
});
const stdio = (job: string, era: string, label: string): Goal => ({
  name: `stdio ${label} ÷ official SDK`,
  value: over(`stdio.${era}.${job}.skillwire.perSecond`, `stdio.${era}.${job}.sdk.perSecond`),
  least: 5,
});

/** What is to be reached with 10,000 skills on a machine that does nothing else. */
const GOALS: readonly Goal[] = [
  { name: 'first load ÷ floor', value: over('load.cold.ms', 'load.floor.ms'), most: 1.5 },
  { name: 'warm load ÷ floor', value: over('load.warm.ms', 'load.floor.ms'), most: 0.5 },
  { name: 'memory while serving', value: scaled('large.rss', 1_000_000), most: 120, unit: 'MB' },
  { name: 'memory at most while loading', value: scaled('large.loadPeak', 1_000_000), most: 220, unit: 'MB' },
  {
    name: 'memory with files ten times as large ÷ memory with small ones',
    value: over('bytes.large.peak', 'bytes.small.peak'),
    most: 1.25,
  },
  { name: 'one edit to a new snapshot', value: scaled('reload.skillwire.ms', 1), most: 20, unit: 'ms' },
  ofFloor('read', 'resources/read'),
  ofFloor('readMany', 'resources/read', ' of different files'),
  ofFloor('get', 'skills/get'),
  costOfFloor('read', 'resources/read'),
  costOfFloor('readMany', 'resources/read', ' of different files'),
  costOfFloor('get', 'skills/get'),
  ofSdk('read', 'resources/read', 20),
  ofSdk('get', 'skills/get', 20),
  ofSdk('list', 'skills/list', 15),
  ofSdk('listPlain', 'skills/list', 15, ', uncompressed'),
  ofSdk('resources', 'resources/list', 15),
  ofSdk('resourcesPlain', 'resources/list', 15, ', uncompressed'),
  ofSdk('directory', 'resources/directory/read', 15),
  tail('read', 'resources/read'),
  tail('get', 'skills/get'),
  tail('list', 'skills/list'),
  tail('listPlain', 'skills/list', ', uncompressed'),
  {
    name: 'reads, many skills ÷ few',
    value: over('large.many.perSecond', 'large.few.perSecond'),
    least: 0.9,
  },
  stdio('read', 'modern', '`resources/read`, 2026-07-28'),
  stdio('get', 'modern', '`skills/get`, 2026-07-28'),
  stdio('read', 'legacy', '`resources/read`, 2025-11-25'),
  stdio('get', 'legacy', '`skills/get`, 2025-11-25'),
  { name: 'an open stream, 2026-07-28', value: scaled('streams.modern.bytes', 1_000), most: 100, unit: 'KB' },
  { name: 'an open stream, 2025-11-25', value: scaled('streams.legacy.bytes', 1_000), most: 100, unit: 'KB' },
  {
    name: '`verify` of a server ÷ plain client that checks nothing',
    value: over('client.verify.skillwire.ms', 'client.verify.plain.ms'),
    most: 1.25,
  },
  {
    name: 'client, list of 10,000 skills',
    value: scaled('client.list.skillwire.ms', 1),
    most: 1_000,
    unit: 'ms',
  },
  { name: '`skillwire --version` ÷ `node -e 0`', value: over('cli.version.ms', 'cli.node.ms'), most: 1.5 },
  { name: '`serve` to its first answer, 100 skills', value: scaled('cli.http.ms', 1), most: 400, unit: 'ms' },
  {
    name: 'unpack tar.gz, speed ÷ `tar`',
    value: over('archive.tar.gz.tool.ms', 'archive.tar.gz.skillwire.ms'),
    least: 0.5,
  },
  {
    name: 'unpack zip, speed ÷ `unzip`',
    value: over('archive.zip.tool.ms', 'archive.zip.skillwire.ms'),
    least: 0.5,
  },
];

/** The goals beside what was measured; one of which nothing was measured says so. */
export function goalLines(numbers: Numbers): string[] {
  return table(
    ['', { number: 'goal' }, { number: 'measured' }, ''],
    GOALS.map(({ name, value, most, least, unit = '' }) => {
      const found = value(numbers);
      const shown = (each: number): string => `${number(each)}${unit === '' ? '' : ` ${unit}`}`;
      const goal = most === undefined ? `at least ${shown(least ?? 0)}` : `at most ${shown(most)}`;
      if (found === undefined) return [name, goal, '', '*not run*'];
      const isMet = most === undefined ? found >= (least ?? 0) : found <= most;
      return [name, goal, shown(found), isMet ? 'reached' : '**not reached**'];
    }),
  );
}
