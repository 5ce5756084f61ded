import { join } from 'node:path';
import { type ClientAdapter, EVERY_WAY, type ServerAdapter } from '../matrix/adapter.ts';
import { runClient, startServer } from '../matrix/program.ts';

/** Over stdio it frames messages as language servers do, which nobody else of MCP does: see `suite.ts`. */
const WAYS = EVERY_WAY.filter(({ transport }) => transport === 'http');

function server(name: string, flags: readonly string[]): ServerAdapter {
  return {
    name,
    ours: false,
    peers: ['mcpkit'],
    ways: WAYS,
    offers: flags.length > 0 ? ['draft-index'] : ['draft-index', 'plain'],
    notifies: true,
    ...(flags.length > 0 ? { variant: true } : {}),
    start: ({ folder, env, peers }) =>
      startServer({
        command: join(peers.mcpkit?.folder ?? '', 'serve'),
        args: [folder, 'http', ...flags],
        env,
      }),
  };
}

/** mcpkit as a server, with files and with archives. */
export const GO_SERVERS: readonly ServerAdapter[] = [
  server('mcpkit', []),
  server('mcpkit, tar.gz', ['tar.gz']),
  server('mcpkit, zip', ['zip']),
];

/** mcpkit as a client. */
export const GO_CLIENTS: readonly ClientAdapter[] = [
  {
    name: 'mcpkit',
    ours: false,
    peers: ['mcpkit'],
    ways: WAYS,
    reads: true,
    verifies: true,
    hears: true,
    takes: ['draft-index'],
    run: (options) => runClient(join(options.peers.mcpkit?.folder ?? '', 'read'), [], options),
  },
];
