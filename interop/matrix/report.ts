import { PEERS } from '../peers/peers.ts';
import type { CellField, Mark, Way } from './adapter.ts';
import { ALL_BRIDGES, type PlannedCell } from './cells.ts';
import { type Corpus, type CorpusPart, PARTS } from './corpus.ts';
import { FAULTS, type Fault } from './faults.ts';
import type { RowResult } from './run.ts';
import { type CellResult, nameOf } from './run-cell.ts';

/** All that a run found. */
export interface InteropReport {
  readonly full: boolean;
  readonly corpus: Corpus;
  readonly rows: readonly RowResult[];
  readonly results: readonly CellResult[];
  /** Peers that could not be had. */
  readonly missing: ReadonlySet<string>;
  /** What stood in others for the versions that were asked for. */
  readonly replaced: ReadonlyMap<string, readonly string[]>;
}

const FIELDS: readonly CellField[] = ['listed', 'read', 'bytes', 'verified', 'notified'];

/** What a cell is called. */
export function titleOf({ server, client, bridge, way }: PlannedCell): string {
  const between = bridge === undefined ? '' : ` through ${nameOf(bridge)}`;
  return `${client.name} reads ${server.name}${between} (${way.transport}, ${way.era})`;
}

/** The tables as they are printed. */
export function tableText(report: InteropReport): string {
  return [...commandLines(report.rows), '', ...matrixLines(report), '', ...faultLines(report)].join('\n');
}

/** How much was run, and with what. */
export function ranText({ full, corpus, rows: all, results, missing, replaced }: InteropReport): string {
  const notRun = results.filter((result) => 'notRun' in result).length;
  const between = full ? 'Skillwire with everybody, and the others with each other' : 'Skillwire on one side';
  const size = Object.values(corpus.tree).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  const lines = [
    `${results.length - notRun} of ${results.length} connections were run (${between}), and the commands against ${all.filter((row) => !('notRun' in row)).length} of ${all.length} servers.`,
    `The corpus was that of ${full ? 'a full run' : 'every run'}: ${corpus.skills.length} skills, ${Object.keys(corpus.tree).length} files, ${(size / 1_048_576).toFixed(1)} MiB; the commands always get that of every run.`,
    missing.size === 0 ? 'Every peer was there.' : `Not there: ${[...missing].join(', ')}.`,
    ...[...replaced]
      .filter(([, modules]) => modules.length > 0)
      .map(([name, modules]) => `${name} was built with ${modules.join(', and with ')}.`),
  ];
  return lines.join(' ');
}

/** The page of the documentation: no time, no path and nothing else of one machine stands in it. */
export function reportText(report: InteropReport): string {
  const { full } = report;
  const lines = [
    '# Interop',
    '',
    'What Skillwire and the software of others make of one another. This page is written by a run. The connections that have Skillwire on a side are run again before a change lands, with less of the two large parts of the corpus:',
    '',
    '```sh',
    `npm run interop -- ${full ? '--full ' : ''}--save`,
    '```',
    '',
    'A peer that cannot be installed is *not run*: neither a pass nor a failure. `–` stands where a peer has no such thing. A number in a cell names a fault below: another’s, or a limit of Skillwire’s that is there because of another’s. Each is checked to be there still.',
    '',
    '## This run',
    '',
    ranText(report),
    '',
    '## Corpus',
    '',
    ...rows(['part', 'what it has'], Object.entries(PARTS)),
    '',
    '## Commands',
    '',
    'What `skillwire list`, `verify` and `pull` give of each server over HTTP, with the exit code in front. Servers with nothing but resources are read with `--plain`, and pulled with `--allow-unverified`.',
    '',
    ...commandLines(report.rows),
    '',
    '## Matrix',
    '',
    'Each line says of a connection what was listed, read, equal byte for byte, verified and notified. `legacy` is 2025-11-25, `modern` 2026-07-28.',
    '',
    slowText(),
    '',
    ...matrixLines(report),
    '',
    '## Faults',
    '',
    ...faultLines(report),
    '',
    '## Versions',
    '',
    'Peers are installed when a run wants them, below `interop/peers`. Go is run with your environment of Go, so a mirror of its modules is taken from `GOPROXY`, and other versions of them from `GOFLAGS=-modfile=…` or `GOWORK`; what stood in for what is told above.',
    '',
    ...rows(
      ['peer', 'what is installed'],
      [
        ['official SDK', 'as in `package-lock.json`'],
        ...Object.entries(PEERS).map(([name, peer]) => [
          name,
          report.missing.has(name) ? `${installedText(peer)}: *not run*` : installedText(peer),
        ]),
      ],
    ),
    '',
  ];
  return lines.join('\n');
}

function installedText(peer: (typeof PEERS)[keyof typeof PEERS]): string {
  if (peer.kind === 'npm')
    return Object.entries(peer.packages)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ');
  return peer.kind === 'pip' ? peer.requirements.join(', ') : peer.package;
}

function commandLines(all: readonly RowResult[]): string[] {
  return rows(
    ['server', 'dialect', '`list`', '`verify`', '`pull`', 'faults'],
    all.map((row) =>
      'notRun' in row
        ? [row.server, '*not run*', '', '', '', '']
        : [
            row.server,
            row.dialect,
            row.list,
            row.verify,
            row.pull,
            row.wrong.length > 0 ? '**wrong**' : numbers(row.met),
          ],
    ),
  );
}

/** Connections with one of ours on a side, and with `full` those of others among themselves. */
function matrixLines({ results, full }: InteropReport): string[] {
  const [ours, others] = [true, false].map((wanted) =>
    results.filter(({ planned }) => (planned.server.ours || planned.client.ours) === wanted),
  ) as [CellResult[], CellResult[]];
  if (!full) return connectionLines(ours);
  return [
    '### With Skillwire on a side',
    '',
    ...connectionLines(ours),
    '',
    '### Others among themselves',
    '',
    ...connectionLines(others),
  ];
}

/** A line for the ways of a client to a server that came to the same: short marks, numbers of faults. */
function connectionLines(results: readonly CellResult[]): string[] {
  const lines = new Map<
    string,
    { readonly head: string[]; readonly ways: Way[]; readonly marks: string[] }
  >();
  for (const result of results) {
    const { server, client, bridge, way } = result.planned;
    const head = [server.name, bridge === undefined ? '' : nameOf(bridge), client.name];
    const marks =
      'notRun' in result
        ? ['*not run*', '', '', '', '']
        : FIELDS.map((field) => markText(result.judged.marks[field], result.judged.met, field));
    const key = JSON.stringify([head, marks]);
    const line = lines.get(key) ?? { head, ways: [], marks };
    line.ways.push(way);
    lines.set(key, line);
  }
  return rows(
    [
      'server',
      'through',
      'client',
      'ways',
      ...FIELDS.map((field) => (field === 'bytes' ? 'bytes equal' : field)),
    ],
    [...lines.values()].map(({ head, ways, marks }) => [...head, waysText(ways), ...marks]),
  );
}

/** `stdio: legacy, modern; http: legacy`. */
function waysText(ways: readonly Way[]): string {
  const erasOf = (wanted: Way['transport']): string =>
    ways
      .filter(({ transport }) => transport === wanted)
      .map(({ era }) => era)
      .join(', ');
  const [stdio, http] = [erasOf('stdio'), erasOf('http')];
  if (stdio === http) return `stdio and http: ${stdio}`;
  return [stdio && `stdio: ${stdio}`, http && `http: ${http}`].filter((text) => text !== '').join('; ');
}

function markText(mark: Mark, met: readonly Fault[], field: CellField): string {
  if (mark === 'no') return '**no**';
  if (mark === 'yes' || mark === '–') return mark;
  return numbers(met.filter(({ fields, what }) => fields.includes(field) && mark.includes(what)));
}

function numbers(faults: readonly Fault[]): string {
  return faults
    .map((fault) => FAULTS.indexOf(fault) + 1)
    .sort((a, b) => a - b)
    .join(', ');
}

/** What only a full run has, and why. */
function slowText(): string {
  const slow = ALL_BRIDGES.flatMap((bridge) =>
    bridge.slow === undefined
      ? []
      : [
          `${nameOf(bridge)} in ${bridge.slow.eras.join(', ')}, as ${bridge.slow.why} (${bridge.slow.reproduction})`,
        ],
  );
  return `Too slow for every run: ${slow.join('; ')}.`;
}

function faultLines({ results, rows: all }: InteropReport): string[] {
  const met = new Set<Fault>();
  for (const row of all) if ('met' in row) for (const fault of row.met) met.add(fault);
  for (const result of results) if ('judged' in result) for (const fault of result.judged.met) met.add(fault);
  return rows(
    ['', 'whose', 'parts', 'what', 'how to see it'],
    FAULTS.flatMap((fault, index) =>
      met.has(fault)
        ? [[`${index + 1}`, whoseText(fault), partsText(fault.parts), fault.what, fault.reproduction]]
        : [],
    ),
  );
}

/** The names of those whose it is. */
function whoseText({ whose, server = [], client = [], bridge = [] }: Fault): string {
  if (whose === 'server') return server.join('; ');
  if (whose === 'client') return client.join('; ');
  return whose === 'bridge' ? bridge.join('; ') : whose;
}

function partsText(parts: readonly CorpusPart[] | undefined): string {
  return parts === undefined ? 'all' : parts.join(', ');
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)];
}
