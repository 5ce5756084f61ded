import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tally } from '../tally.ts';
import { writeTree } from '../tree.ts';
import { ALL_SERVERS, plannedCells } from './cells.ts';
import { type CommandsRow, commandsRow } from './commands.ts';
import { corpusOf } from './corpus.ts';
import { FAULTS, type Fault } from './faults.ts';
import { type InteropReport, reportText, tableText, titleOf } from './report.ts';
import { type CellResult, type RunContext, runCell } from './run-cell.ts';
import { environmentIn, PeerShelf } from './surroundings.ts';

/** How much is run. */
export interface MatrixOptions {
  /** Also peers with peers, and the corpus in its full size. */
  readonly full: boolean;
  /** Also writes `docs/reference/interop.md`. */
  readonly save: boolean;
}

/** Cells at a time: most wait for a program to start. */
const AT_ONCE = 3;
const PAGE = fileURLToPath(new URL('../../docs/reference/interop.md', import.meta.url));

/** Runs the commands and the matrix, counts what holds, and prints or writes what was found. */
export async function matrix(tally: Tally, { full, save }: MatrixOptions): Promise<void> {
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-matrix-'));
  const context: RunContext = { corpus: corpusOf(full ? 'full' : 'small'), shelf: new PeerShelf(), temp };
  try {
    // Their caps are those of a command line, which the full size is there to exceed.
    const small = { ...context, corpus: corpusOf('small') };
    const rows = await inParallel([...ALL_SERVERS], (adapter) => commands(adapter, small));
    for (const row of rows) countRow(tally, row);
    const results = await inParallel(plannedCells(full), (planned) => runCell(planned, context));
    for (const result of results) countCell(tally, result);
    countFaults(tally, results, rows);
    const report: InteropReport = {
      full,
      corpus: context.corpus,
      rows,
      results,
      missing: context.shelf.missing,
    };
    console.log(tableText(report));
    if (save) writeFileSync(PAGE, reportText(report));
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

/** A row of the table of commands, or why there is none. */
export type RowResult = CommandsRow | { readonly server: string; readonly notRun: string };

async function commands(
  adapter: (typeof ALL_SERVERS)[number],
  { corpus, shelf, temp }: RunContext,
): Promise<RowResult> {
  const { name: server } = adapter;
  const peers = await shelf.take(adapter.peers);
  if ('notRun' in peers) return { server, notRun: String(peers.notRun) };
  const own = mkdtempSync(join(temp, 'commands-'));
  const folder = join(own, 'skills');
  mkdirSync(folder);
  writeTree(folder, corpus.tree);
  try {
    return await commandsRow({ adapter, corpus, folder, peers, env: environmentIn(own), temp: own });
  } catch (error) {
    const none = { dialect: '', list: '', verify: '', pull: '', met: [], stale: [] };
    return { server, ...none, wrong: [(error as Error).message] };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function countRow(tally: Tally, row: RowResult): void {
  const what = `list, verify and pull from ${row.server}`;
  if ('notRun' in row) tally.notRun(what, firstLine(row.notRun));
  else tally.check(what, row.wrong.length === 0, row.wrong.join('\n  '));
}

function countCell(tally: Tally, result: CellResult): void {
  const what = titleOf(result.planned);
  if ('notRun' in result) tally.notRun(what, firstLine(result.notRun));
  else tally.check(what, result.judged.wrong.length === 0, result.judged.wrong.join('\n  '));
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}

/** A fault that shows no longer, in a cell where it should, would stand there as an excuse. */
function countFaults(tally: Tally, results: readonly CellResult[], rows: readonly RowResult[]): void {
  for (const fault of FAULTS) {
    const stale = staleOf(fault, results, rows);
    if (stale.length > 0)
      tally.check(`no longer shows: ${fault.what}`, false, `in ${stale.join('; ')}: delete or narrow it`);
  }
}

function staleOf(fault: Fault, results: readonly CellResult[], rows: readonly RowResult[]): string[] {
  const cells = results.flatMap((result) =>
    'judged' in result && result.judged.stale.includes(fault) ? [titleOf(result.planned)] : [],
  );
  const told = rows.flatMap((row) => ('stale' in row && row.stale.includes(fault) ? [row.server] : []));
  return [...cells, ...told];
}
