/**
 * A hostile server, to be connected to.
 *
 * @module
 */
import { InMemoryTransport, Server, type Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { SkillError } from '../../errors.ts';
import { quote } from '../../uri/quote.ts';
import { VERSION } from '../../version.ts';
import { EXTENSION_ID } from '../../wire/index.ts';
import { type HostileCase, type HostileRequest, type HostileScript, RpcError } from './hostile-case.ts';
import { type HostileEndpoint, listenHostile } from './hostile-http.ts';
import { DEFINITIONS } from './hostile-servers.ts';

/** A hostile server that stands ready. */
export interface HostileServer {
  readonly case: HostileCase;
  /** What was asked, in order. */
  readonly requests: readonly HostileRequest[];
  /** URLs of documents that were asked for, by their path. */
  readonly fetched: readonly string[];
  /** A server of the official SDK that lies; for each connection one, as `serveStdio` and `createMcpHandler` want it. */
  createServer(): Server;
  /** The end for a client of a connection in memory, of either protocol era. */
  connect(): Transport;
  /** Listens on a free port of the loopback address; MCP at `/mcp`, documents below `/.well-known/`. */
  listen(): Promise<{ readonly url: string }>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * The hostile server of that name, with a memory of its own.
 *
 * It lies to whoever connects, so keep it to tests: `listen` binds to the loopback address alone.
 *
 * Errors: `USAGE` for a name that no case has.
 *
 * @example
 * const hostile = openHostile('wrong-digest')
 * await client.connect(hostile.connect())
 */
export function openHostile(name: string): HostileServer {
  const definition = DEFINITIONS.find((each) => each.name === name);
  if (definition === undefined) {
    throw new SkillError('USAGE', `there is no hostile server ${quote(name)}; hostileServers names them`);
  }
  const { script: make, ...facts } = definition;
  const script = make();
  const requests: HostileRequest[] = [];
  const fetched: string[] = [];
  const links: { close(): Promise<void> }[] = [];
  let endpoint: Promise<HostileEndpoint> | undefined;
  const createServer = (): Server => lyingServer(script, requests);
  return {
    case: facts,
    requests,
    fetched,
    createServer,
    connect: () => {
      const [mine, theirs] = InMemoryTransport.createLinkedPair();
      links.push(serveStdio(createServer, { transport: theirs }));
      return mine;
    },
    listen: async () => {
      endpoint ??= listenHostile({ script, createServer, requests, fetched });
      const { url } = await endpoint;
      return { url };
    },
    close: async () => {
      await Promise.all(links.splice(0).map((link) => link.close()));
      await (await endpoint)?.close();
      endpoint = undefined;
    },
  };
}

function lyingServer({ extension, answer }: HostileScript, requests: HostileRequest[]): Server {
  const server = new Server(
    { name: 'hostile', version: VERSION },
    {
      capabilities: {
        resources: {},
        ...(extension === undefined ? {} : { extensions: { [EXTENSION_ID]: extension } }),
      },
    },
  );
  server.fallbackRequestHandler = async ({ method, params = {} }) => {
    const request = { method, params };
    requests.push(request);
    const result = await answer(request);
    if (result === undefined) throw new RpcError(-32601, 'Method not found');
    return { ...result };
  };
  return server;
}
