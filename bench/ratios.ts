import type { JobKey } from './jobs.ts';
import type { Numbers } from './measured.ts';
import { number, quotient, table } from './table.ts';

/** A ratio of two measured numbers, which tells more from one machine to the next than either of them. */
interface RatioDefinition {
  readonly name: string;
  readonly over: string;
  readonly under: string;
  readonly better: 'higher' | 'lower';
}

const HTTP_JOBS: readonly JobKey[] = [
  'read',
  'readMany',
  'get',
  'getMany',
  'list',
  'listPlain',
  'resources',
  'resourcesPlain',
  'directory',
];

/** Ratios that are stored. Those of requests are of processor time: it is what noise touches least. */
const RATIOS: readonly RatioDefinition[] = [
  lower('load, first start ÷ floor', 'load.cold.ms', 'load.floor.ms'),
  lower('load, warm start ÷ floor', 'load.warm.ms', 'load.floor.ms'),
  ...HTTP_JOBS.flatMap((job) => [
    lower(`HTTP ${job}, Skillwire ÷ floor`, `http.${job}.skillwire.cpuUs`, `http.${job}.floor.cpuUs`),
    higher(`HTTP ${job}, SDK ÷ Skillwire`, `http.${job}.sdk.cpuUs`, `http.${job}.skillwire.cpuUs`),
  ]),
  ...(['modern', 'legacy'] as const).flatMap((era) =>
    (['read', 'get'] as const).map((job) =>
      higher(
        `stdio ${job}, ${era}, SDK ÷ Skillwire`,
        `stdio.${era}.${job}.sdk.cpuUs`,
        `stdio.${era}.${job}.skillwire.cpuUs`,
      ),
    ),
  ),
  higher('reads, many skills ÷ few', 'large.many.perSecond', 'large.few.perSecond'),
  lower('list, Skillwire client ÷ official', 'client.list.skillwire.ms', 'client.list.sdk.ms'),
  lower('verify, Skillwire client ÷ plain', 'client.verify.skillwire.ms', 'client.verify.plain.ms'),
  lower('--version ÷ node -e 0', 'cli.version.ms', 'cli.node.ms'),
  higher('unpack tar.gz, speed ÷ tar', 'archive.tar.gz.tool.ms', 'archive.tar.gz.skillwire.ms'),
  higher('unpack zip, speed ÷ unzip', 'archive.zip.tool.ms', 'archive.zip.skillwire.ms'),
];

function lower(name: string, over: string, under: string): RatioDefinition {
  return { name, over, under, better: 'lower' };
}

function higher(name: string, over: string, under: string): RatioDefinition {
  return { name, over, under, better: 'higher' };
}

/** A ratio as it was found. */
export interface Ratio {
  readonly value: number;
  readonly better: 'higher' | 'lower';
  /** How much worse counts as a regression, as a share; that of the file where absent. */
  readonly tolerance?: number;
}

/** The file of stored ratios. */
export interface StoredRatios {
  /** The run and the machine they are of. */
  readonly of: string;
  readonly tolerance: number;
  readonly ratios: Readonly<Record<string, Ratio>>;
}

/** How a ratio compares with the stored one. */
export interface Comparison {
  readonly name: string;
  readonly now?: number;
  readonly stored?: number;
  /** By how much it is worse, as a share; below 0 it is better. */
  readonly worse?: number;
  readonly tolerance: number;
  readonly outcome: 'fine' | 'regressed' | 'new' | 'not measured';
}

/** The ratios of what was measured; those of which a part is missing are left out. */
export function ratiosOf(numbers: Numbers): Record<string, Ratio> {
  const found: Record<string, Ratio> = {};
  for (const { name, over, under, better } of RATIOS) {
    const value = quotient(numbers[over], numbers[under]);
    if (value !== undefined && value > 0) found[name] = { value: Number(value.toPrecision(4)), better };
  }
  return found;
}

/** Each ratio of today and of the file, compared. */
export function compareRatios(
  now: Readonly<Record<string, Ratio>>,
  stored: StoredRatios,
): readonly Comparison[] {
  const names = new Set([...Object.keys(stored.ratios), ...Object.keys(now)]);
  return [...names].map((name): Comparison => {
    const [today, before] = [now[name], stored.ratios[name]];
    const tolerance = before?.tolerance ?? stored.tolerance;
    if (today === undefined)
      return { name, ...(before && { stored: before.value }), tolerance, outcome: 'not measured' };
    if (before === undefined) return { name, now: today.value, tolerance, outcome: 'new' };
    const worse = before.better === 'lower' ? today.value / before.value - 1 : before.value / today.value - 1;
    const outcome = worse > tolerance ? 'regressed' : 'fine';
    return { name, now: today.value, stored: before.value, worse, tolerance, outcome };
  });
}

/** The file of today's ratios; the tolerances of the one before stay, since people chose them. */
export function storedAnew(
  now: Readonly<Record<string, Ratio>>,
  before: StoredRatios,
  of: string,
): StoredRatios {
  const ratios = Object.entries(now).map(([name, ratio]): [string, Ratio] => {
    const tolerance = before.ratios[name]?.tolerance;
    return [name, tolerance === undefined ? ratio : { ...ratio, tolerance }];
  });
  return { of, tolerance: before.tolerance, ratios: Object.fromEntries(ratios) };
}

/** The comparison for people. */
export function ratioLines(compared: readonly Comparison[]): string[] {
  const right = (head: string): { readonly number: string } => ({ number: head });
  const share = (value: number | undefined): string =>
    value === undefined ? '' : `${value > 0 ? '+' : ''}${Math.round(value * 100)}%`;
  return table(
    ['ratio', right('now'), right('stored'), right('worse by'), right('tolerated'), ''],
    compared.map(({ name, now, stored, worse, tolerance, outcome }) => [
      name,
      number(now),
      number(stored),
      share(worse),
      share(tolerance),
      outcome === 'regressed' ? '**regressed**' : outcome,
    ]),
  );
}
