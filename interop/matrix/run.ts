import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tally } from '../tally.ts';
import { writeTree } from '../tree.ts';
import { ALL_SERVERS, isSlow, type PlannedCell, plannedCells } from './cells.ts';
import { type CommandsRow, commandsRow } from './commands.ts';
import { corpusOf } from './corpus.ts';
import { FAULTS, type Fault } from './faults.ts';
import { type InteropReport, ranText, reportText, tableText, titleOf } from './report.ts';
import { type CellResult, notBegun, type RunContext, runCell } from './run-cell.ts';
import { environmentIn, PeerShelf } from './surroundings.ts';

/** How much is run. */
export interface MatrixOptions {
  /** Also peers with peers, and the corpus in its full size. */
  readonly full: boolean;
  /** Also writes `docs/reference/interop.md`. */
  readonly save: boolean;
  /** Only cells whose title has this, and rows of servers whose name has it; nothing is saved then. */
  readonly only?: string;
}

/** Cells at a time: most wait for a program to start. */
const AT_ONCE = 3;
/** What has not begun by then is not begun, so that a run ends; with `full` all takes longer. */
const RUN_MS = { small: 20 * 60_000, full: 75 * 60_000 } as const;
const PAGE = fileURLToPath(new URL('../../docs/reference/interop.md', import.meta.url));

/** Runs the commands and the matrix, counts what holds, and prints or writes what was found. */
export async function matrix(tally: Tally, { full, save, only = '' }: MatrixOptions): Promise<void> {
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-matrix-'));
  const corpus = corpusOf(full ? 'full' : 'small');
  const context: RunContext = { corpus, shelf: new PeerShelf(), temp };
  const until = Date.now() + RUN_MS[corpus.size];
  try {
    // Their caps are those of a command line, which the full size is there to exceed.
    const small = { ...context, corpus: corpusOf('small') };
    const rows = await inParallel(
      ALL_SERVERS.filter(({ name }) => name.includes(only)),
      (adapter) => commands(adapter, small),
    );
    for (const row of rows) countRow(tally, row);
    const cells = plannedCells(full).filter((planned) => titleOf(planned).includes(only));
    const found = new Map<PlannedCell, CellResult>();
    // Those that take longest begin first, so that nothing waits for them in the end.
    const queue = [...cells].sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)));
    await inParallel(queue, async (planned) => found.set(planned, await timed(planned, context, until)));
    const results = cells.flatMap((planned) => found.get(planned) ?? []);
    for (const result of results) countCell(tally, result);
    countFaults(tally, results, rows);
    const report: InteropReport = {
      full,
      corpus,
      rows,
      results,
      missing: context.shelf.missing,
      replaced: context.shelf.replaced,
    };
    console.log(tableText(report));
    console.log(ranText(report));
    if (save && only === '') writeFileSync(PAGE, reportText(report));
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

/** Runs a cell and says so at once: a run takes long. */
async function timed(planned: PlannedCell, context: RunContext, until: number): Promise<CellResult> {
  const begun = Date.now();
  const result = begun > until ? notBegun(planned, context) : await runCell(planned, context);
  const ended = 'notRun' in result ? 'not run' : result.judged.wrong.length > 0 ? 'wrong' : 'right';
  console.log(`${((Date.now() - begun) / 1_000).toFixed(1).padStart(6)} s, ${ended}: ${titleOf(planned)}`);
  if ('judged' in result && result.judged.wrong.length > 0)
    console.log(`         ${result.judged.wrong.slice(0, 3).join('; ').slice(0, 400)}`);
  return result;
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
