import { GO_CLIENTS, GO_SERVERS } from '../go/adapters.ts';
import { PYTHON_BRIDGES, PYTHON_CLIENTS } from '../python/adapters.ts';
import type { BridgeAdapter, ClientAdapter, ServerAdapter, Way } from './adapter.ts';
import { BRIDGES } from './bridges.ts';
import { CLIENTS } from './clients.ts';
import { SERVERS } from './servers.ts';

/** Everything that is run against everything. */
export const ALL_SERVERS: readonly ServerAdapter[] = [...SERVERS, ...GO_SERVERS];
export const ALL_CLIENTS: readonly ClientAdapter[] = [...CLIENTS, ...PYTHON_CLIENTS, ...GO_CLIENTS];
export const ALL_BRIDGES: readonly BridgeAdapter[] = [...BRIDGES, ...PYTHON_BRIDGES];

/** Clients of others that bridges are tried with: one of the earlier revision, as most are. */
const BRIDGED = ['official SDK 1.x'];

/** One connection that is to be tried. */
export interface PlannedCell {
  readonly server: ServerAdapter;
  readonly client: ClientAdapter;
  readonly bridge?: BridgeAdapter;
  /** As the client speaks. */
  readonly way: Way;
}

/**
 * The cells of a run: those with one of ours on a side, or with `full` all that can be. A client is put to servers that
 * offer what it takes; a bridge stands between our server and a client.
 */
export function plannedCells(full: boolean): PlannedCell[] {
  const cells: PlannedCell[] = [];
  for (const server of ALL_SERVERS) {
    for (const client of ALL_CLIENTS) {
      const wanted = full || client.ours || (server.ours && server.variant !== true);
      if (!wanted || !fits(server, client)) continue;
      for (const way of waysOf(server, full)) if (speaks(client, way)) cells.push({ server, client, way });
    }
  }
  const [ours] = ALL_SERVERS;
  for (const bridge of ALL_BRIDGES) {
    for (const client of ALL_CLIENTS) {
      if (ours === undefined || !(client.ours || BRIDGED.includes(client.name))) continue;
      for (const era of bridge.eras) {
        if (bridge.slow?.eras.includes(era) && !(full && client.ours)) continue;
        const way = { transport: bridge.to, era };
        if (speaks(client, way)) cells.push({ server: ours, client, bridge, way });
      }
    }
  }
  return cells;
}

/** Of a variant, each transport and each revision once is enough for every run. */
function waysOf({ ways, variant }: ServerAdapter, full: boolean): readonly Way[] {
  return full || variant !== true
    ? ways
    : ways.filter(({ transport, era }) => (transport === 'stdio') === (era === 'modern'));
}

/** Whether a cell takes minutes, and not for its own sake. */
export function isSlow({ bridge, way }: PlannedCell): boolean {
  return bridge?.slow?.eras.includes(way.era) ?? false;
}

function fits(server: ServerAdapter, client: ClientAdapter): boolean {
  return client.takes.some((dialect) => server.offers.includes(dialect));
}

function speaks(client: ClientAdapter, { transport, era }: Way): boolean {
  return client.ways.some((way) => way.transport === transport && way.era === era);
}
