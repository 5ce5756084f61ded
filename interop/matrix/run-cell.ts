import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeTree } from '../tree.ts';
import type { ClientTask, MatrixTarget, StartedServer } from './adapter.ts';
import { isSlow, type PlannedCell } from './cells.ts';
import { ADDED, type Corpus } from './corpus.ts';
import { broken, type Cell, isKnownToBeDeaf, type Judged, judge } from './judge.ts';
import { environmentIn, type PeerShelf } from './surroundings.ts';

/** How long a cell may take. */
const CELL_MS = 180_000;
const SLOW_MS = 1_200_000;
/** How long a notification may take, once the folder is edited; and where it is known that none comes. */
const NOTIFIED_MS = 90_000;
const SILENT_MS = 3_000;

/** A cell that was run, or why it was not. */
export type CellResult = { readonly planned: PlannedCell; readonly cell: Cell } & (
  | { readonly judged: Judged }
  | { readonly notRun: string }
);

/** What every cell of a run shares. */
export interface RunContext {
  readonly corpus: Corpus;
  readonly shelf: PeerShelf;
  /** A temporary folder. */
  readonly temp: string;
}

/** Runs one cell in a folder of its own. Nothing that it started is left. */
export async function runCell(
  planned: PlannedCell,
  { corpus, shelf, temp }: RunContext,
): Promise<CellResult> {
  const { server, client, bridge, way } = planned;
  const cell = cellOf(planned);
  const peers = await shelf.take([...server.peers, ...client.peers, ...(bridge?.peers ?? [])]);
  if ('notRun' in peers) return { planned, cell, notRun: String(peers.notRun) };
  const own = mkdtempSync(join(temp, 'cell-'));
  const folder = join(own, 'skills');
  mkdirSync(folder);
  writeTree(folder, corpus.tree);
  const env = environmentIn(own);
  const started: StartedServer[] = [];
  try {
    const from = bridge?.from ?? way.transport;
    const first = await server.start({ folder, peers, env, transport: from, era: way.era });
    started.push(first);
    let { target } = first;
    if (bridge !== undefined) {
      const between = await bridge.start({ ...way, target, peers, env });
      started.push(between);
      target = between.target;
    }
    const result = await client.run({
      task: taskFor(planned, cell, target, corpus),
      peers,
      env,
      temp: own,
      onWaiting: () => writeTree(folder, ADDED),
      signal: AbortSignal.timeout(isSlow(planned) ? SLOW_MS : CELL_MS),
    });
    return { planned, cell, judged: judge(cell, corpus, result) };
  } catch (error) {
    return { planned, cell, judged: broken(cell, corpus, (error as Error).message) };
  } finally {
    for (const each of started.reverse()) await each.stop();
    rmSync(own, { recursive: true, force: true });
  }
}

/** A cell for which no time was left: that is no pass. */
export function notBegun(planned: PlannedCell, { corpus }: RunContext): CellResult {
  const cell = cellOf(planned);
  return { planned, cell, judged: broken(cell, corpus, 'not begun: the run took too long') };
}

function cellOf({ server, client, bridge, way }: PlannedCell): Cell {
  return { server, client, ...way, ...(bridge === undefined ? {} : { bridge: nameOf(bridge) }) };
}

/** What a bridge is called, with the direction where it has several. */
export function nameOf({ name, from, to }: NonNullable<PlannedCell['bridge']>): string {
  return `${name}, ${from} → ${to}`;
}

function taskFor(
  { server, client, way }: PlannedCell,
  cell: Cell,
  target: MatrixTarget,
  corpus: Corpus,
): ClientTask {
  const beside: Record<string, readonly string[]> = {};
  for (const { roots, files } of corpus.skills) {
    const paths = Object.keys(files)
      .filter((path) => path !== 'SKILL.md')
      .map((path) => path.split('/').map(encodeURIComponent).join('/'));
    for (const root of roots) beside[root] = paths;
  }
  return {
    ...way,
    target,
    beside,
    waitMs: server.notifies && client.hears ? waitFor(cell, corpus) : 0,
    plain: server.offers[0] === 'plain',
  };
}

function waitFor(cell: Cell, corpus: Corpus): number {
  return isKnownToBeDeaf(cell, corpus) ? SILENT_MS : NOTIFIED_MS;
}
