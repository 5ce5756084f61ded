import type { BridgeAdapter, MatrixTarget, StartOptions, StdioTarget } from './adapter.ts';
import { freePort, startServer } from './program.ts';

/** A target as one command line, as bridges take it. */
function commandLine({ command, args }: StdioTarget): string {
  return [command, ...args].map((word) => (/[\s"]/.test(word) ? JSON.stringify(word) : word)).join(' ');
}

function stdioOf(target: MatrixTarget): StdioTarget {
  if ('url' in target) throw new Error('the bridge starts its server');
  return target;
}

function urlOf(target: MatrixTarget): string {
  if ('url' in target) return target.url;
  throw new Error('the bridge reaches its server over HTTP');
}

/** Over stdio: the client starts the bridge. */
function spoken(
  program: string,
  args: readonly string[],
  env: StartOptions['env'],
): Promise<{
  readonly target: StdioTarget;
  stop(): Promise<void>;
}> {
  const target = { command: process.execPath, args: [program, ...args], env };
  return Promise.resolve({ target, stop: () => Promise.resolve() });
}

/** What stands between a server and a client in the wild. */
export const BRIDGES: readonly BridgeAdapter[] = [
  {
    name: 'mcp-remote',
    peers: ['mcp-remote'],
    from: 'http',
    to: 'stdio',
    eras: ['legacy', 'modern'],
    start: ({ target, peers, env }) =>
      spoken(
        peers['mcp-remote']?.program ?? '',
        [urlOf(target), '--transport', 'http-only', '--silent'],
        env,
      ),
  },
  {
    name: 'mcp-remote --protocol auto',
    peers: ['mcp-remote'],
    from: 'http',
    to: 'stdio',
    eras: ['legacy', 'modern'],
    start: ({ target, peers, env }) =>
      spoken(
        peers['mcp-remote']?.program ?? '',
        [urlOf(target), '--transport', 'http-only', '--protocol', 'auto', '--silent'],
        env,
      ),
  },
  {
    name: 'supergateway',
    peers: ['supergateway'],
    from: 'http',
    to: 'stdio',
    eras: ['legacy', 'modern'],
    start: ({ target, peers, env }) =>
      spoken(
        peers.supergateway?.program ?? '',
        ['--streamableHttp', urlOf(target), '--logLevel', 'none'],
        env,
      ),
  },
  {
    name: 'supergateway',
    peers: ['supergateway'],
    from: 'stdio',
    to: 'http',
    eras: ['legacy', 'modern'],
    slow: {
      eras: ['modern'],
      why: 'it starts the server anew for each request of 2026',
      reproduction:
        '`supergateway --stdio COMMAND --outputTransport streamableHttp --stateful`; each POST without `Mcp-Session-Id` runs COMMAND once more',
    },
    async start({ target, peers, env }) {
      const port = await freePort();
      return startServer({
        command: process.execPath,
        args: [
          ...[peers.supergateway?.program ?? '', '--stdio', commandLine(stdioOf(target))],
          ...['--outputTransport', 'streamableHttp', '--port', String(port), '--stateful'],
        ],
        env,
        url: `http://127.0.0.1:${port}/mcp`,
      });
    },
  },
  {
    name: 'mcp-proxy',
    peers: ['mcp-proxy'],
    from: 'stdio',
    to: 'http',
    eras: ['legacy', 'modern'],
    async start({ target, peers, env }) {
      const port = await freePort();
      const { command, args } = stdioOf(target);
      return startServer({
        command: process.execPath,
        args: [
          ...[peers['mcp-proxy']?.program ?? '', '--port', String(port), '--host', '127.0.0.1'],
          ...['--', command, ...args],
        ],
        env,
        url: `http://127.0.0.1:${port}/mcp`,
      });
    },
  },
];
