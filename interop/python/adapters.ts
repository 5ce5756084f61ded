import { fileURLToPath } from 'node:url';
import { type BridgeAdapter, type ClientAdapter, EVERY_WAY, type MatrixTarget } from '../matrix/adapter.ts';
import { freePort, runClient, startServer } from '../matrix/program.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

interface OfClient {
  readonly name: string;
  readonly script: string;
  readonly verifies: boolean;
  readonly takes: ClientAdapter['takes'];
}

function client({ name, script, verifies, takes }: OfClient): ClientAdapter {
  return {
    name,
    ours: false,
    peers: ['fastmcp'],
    ways: EVERY_WAY,
    reads: true,
    verifies,
    hears: true,
    takes,
    run: (options) => runClient(options.peers.fastmcp?.program ?? '', [here(script)], options),
  };
}

/** Clients in Python. Both libraries are installed with FastMCP. */
export const PYTHON_CLIENTS: readonly ClientAdapter[] = [
  client({ name: 'FastMCP', script: 'fastmcp_client.py', verifies: true, takes: ['fastmcp'] }),
  client({ name: 'Python SDK', script: 'sdk_client.py', verifies: false, takes: ['plain', 'fastmcp'] }),
];

/** What the proxy reaches: a URL, or a command as JSON. */
function behind(target: MatrixTarget): string {
  return 'url' in target ? target.url : JSON.stringify(target);
}

/** FastMCP's proxy, in front of a server over either transport and spoken to over the other. */
export const PYTHON_BRIDGES: readonly BridgeAdapter[] = (
  [
    ['http', 'stdio'],
    ['stdio', 'http'],
  ] as const
).map(([from, to]) => ({
  name: 'FastMCP proxy',
  peers: ['fastmcp'],
  from,
  to,
  eras: ['legacy', 'modern'],
  async start({ target, peers, env }) {
    const command = peers.fastmcp?.program ?? '';
    const args = [here('proxy.py'), behind(target)];
    if (to === 'stdio') return { target: { command, args, env }, stop: async () => undefined };
    const port = await freePort();
    return startServer({
      command,
      args: [...args, String(port)],
      env,
      url: `http://127.0.0.1:${port}/mcp`,
    });
  },
}));
