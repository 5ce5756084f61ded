import { PEERS } from '../peers/peers.ts';
import type { CellField, Mark } from './adapter.ts';
import type { PlannedCell } from './cells.ts';
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

/** The page of the documentation: no time, no path and nothing else of one machine stands in it. */
export function reportText(report: InteropReport): string {
  const { corpus, full } = report;
  const lines = [
    '# Interop',
    '',
    'What Skillwire and the software of others make of one another. This page is written by a run, and the same cells are run again before a change lands:',
    '',
    '```sh',
    `npm run interop -- ${full ? '--full ' : ''}--save`,
    '```',
    '',
    'A peer that cannot be installed is *not run*: neither a pass nor a failure. `–` stands where a peer has no such thing. A number in a cell names a fault below: it is not Skillwire’s, and each is checked to be there still.',
    '',
    '## Corpus',
    '',
    `${corpus.skills.length} skills, ${Object.keys(corpus.tree).length} files.`,
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
    'Each column of a connection says: listed, read, bytes equal, verified, notified. `legacy` is 2025-11-25, `modern` 2026-07-28.',
    '',
    ...matrixLines(report),
    '',
    '## Faults',
    '',
    ...faultLines(report),
    '',
    '## Versions',
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

/** One line a connection: short marks, numbers of faults. */
function matrixLines({ results }: InteropReport): string[] {
  return rows(
    [
      'server',
      'through',
      'client',
      'way',
      ...FIELDS.map((field) => (field === 'bytes' ? 'bytes equal' : field)),
    ],
    results.map((result) => {
      const { server, client, bridge, way } = result.planned;
      const head = [
        server.name,
        bridge === undefined ? '' : nameOf(bridge),
        client.name,
        `${way.transport}, ${way.era}`,
      ];
      if ('notRun' in result) return [...head, '*not run*', '', '', '', ''];
      const { marks, met } = result.judged;
      return [...head, ...FIELDS.map((field) => markText(marks[field], met, field))];
    }),
  );
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
